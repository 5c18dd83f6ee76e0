//! A list of tools in pages that fit into a message.
//!
//! The lists of public servers are longer than a message (decisions 9), and how much fits depends on the request, which
//! the reply quotes. So a page is made when it is asked for, out of the whole list.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde::Serialize;
use serde_json::value::RawValue;

use crate::jsonrpc::{self, Error, Id, Members, code};

/// The tools of a server, as it listed them.
#[derive(Clone, Debug)]
pub struct Listing {
    /// Tells this list from those before and after it: a cursor of another one is refused.
    pub number: u64,
    /// The tools, each as it came.
    pub tools: Vec<Box<RawValue>>,
    /// How long a caller may keep the list, in milliseconds.
    pub ttl_ms: u64,
    /// What `_meta` of each page is, as it came.
    pub meta: Option<Box<RawValue>>,
}

/// A page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The answer: the result, or the error of a cursor that is none.
    pub text: String,
    /// Places in the list of the tools that are in no page, because each is too long alone. For the log.
    pub left_out: Vec<usize>,
}

impl Listing {
    /// The page at a cursor, or the first one, as long as `fits` takes it.
    ///
    /// A tool that is too long alone loses its `outputSchema`; one that still is too long is left out (decisions 9).
    pub fn page(&self, id: &Id, cursor: Option<&str>, fits: &dyn Fn(&str) -> bool) -> Page {
        let Some(from) = cursor.map_or(Some(0), |cursor| self.place(cursor)) else {
            let error = Error::new(code::INVALID_PARAMS, "unknown cursor; list without one");
            return Page { text: jsonrpc::error(Some(id), &error), left_out: Vec::new() };
        };
        let mut page = Page { text: String::new(), left_out: Vec::new() };
        let mut shown: Vec<Box<RawValue>> = Vec::new();
        for (place, tool) in self.tools.iter().enumerate().skip(from) {
            let next = place.saturating_add(1);
            let Some(form) = self.form(id, tool, next, fits) else {
                page.left_out.push(place);
                continue;
            };
            shown.push(form);
            if !fits(&self.text(id, &shown, self.cursor(next).as_deref())) {
                // It fits alone, so that it begins the next page, which is never this one again.
                shown.pop();
                page.text = self.text(id, &shown, self.cursor(place).as_deref());
                return page;
            }
        }
        // The tools behind the last one shown may all have been left out: then there is no page after this one.
        page.text = self.text(id, &shown, None);
        page
    }

    /// A tool in the longest form that fits alone into a page.
    fn form(
        &self,
        id: &Id,
        tool: &RawValue,
        next: usize,
        fits: &dyn Fn(&str) -> bool,
    ) -> Option<Box<RawValue>> {
        let alone = |tool: &RawValue| fits(&self.text(id, &[tool.to_owned()], self.cursor(next).as_deref()));
        if alone(tool) {
            return Some(tool.to_owned());
        }
        slim(tool).filter(|slim| alone(slim))
    }

    fn text(&self, id: &Id, tools: &[Box<RawValue>], next: Option<&str>) -> String {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Listed<'a> {
            result_type: &'static str,
            tools: &'a [Box<RawValue>],
            #[serde(skip_serializing_if = "Option::is_none")]
            next_cursor: Option<&'a str>,
            ttl_ms: u64,
            cache_scope: &'static str,
            #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
            meta: Option<&'a RawValue>,
        }
        let listed = Listed {
            result_type: "complete",
            tools,
            next_cursor: next,
            ttl_ms: self.ttl_ms,
            // Lists are the same for all callers (decisions 9).
            cache_scope: "public",
            meta: self.meta.as_deref(),
        };
        jsonrpc::result(id, &listed)
    }

    /// The cursor of a place; none behind the last tool.
    fn cursor(&self, place: usize) -> Option<String> {
        (place < self.tools.len()).then(|| format!("{}.{place}", self.number))
    }

    fn place(&self, cursor: &str) -> Option<usize> {
        let (number, place) = cursor.split_once('.')?;
        let place = place.parse().ok().filter(|place| *place < self.tools.len())?;
        (number == format!("{}", self.number)).then_some(place)
    }
}

/// A tool without its `outputSchema`; none when it has none.
fn slim(tool: &RawValue) -> Option<Box<RawValue>> {
    let members = Members::read(tool).ok()?;
    members.raw("outputSchema")?;
    let rest = members.iter().filter(|(name, _)| *name != "outputSchema");
    let rest: alloc::collections::BTreeMap<&str, &RawValue> = rest.collect();
    serde_json::value::to_raw_value(&rest).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jsonrpc::raw;

    fn listing(lengths: &[usize]) -> Listing {
        let tool = |(place, length): (usize, &usize)| {
            raw(&format!(r#"{{"name":"t{place}","description":"{}"}}"#, "x".repeat(*length))).to_owned()
        };
        Listing {
            number: 7,
            tools: lengths.iter().enumerate().map(tool).collect(),
            ttl_ms: 300_000,
            meta: None,
        }
    }

    /// Names on each page, following the cursors; the places left out.
    fn walk(listing: &Listing, room: usize) -> (Vec<Vec<String>>, Vec<usize>) {
        let (mut pages, mut left_out, mut cursor) = (Vec::new(), Vec::new(), None::<String>);
        loop {
            let page = listing.page(&Id::number(1), cursor.as_deref(), &|text| text.len() <= room);
            assert!(page.text.len() <= room, "{}", page.text);
            left_out.extend(page.left_out);
            let value: serde_json::Value = serde_json::from_str(&page.text).expect("JSON");
            let tools = value["result"]["tools"].as_array().expect("tools");
            pages.push(tools.iter().map(|tool| tool["name"].as_str().unwrap_or_default().into()).collect());
            match value["result"]["nextCursor"].as_str() {
                Some(next) => cursor = Some(next.into()),
                None => return (pages, left_out),
            }
            assert!(pages.len() < 100, "no end: {pages:?}");
        }
    }

    /// MCPX-11: every tool that fits is on one page, in order, whatever the room.
    #[test]
    fn every_tool_is_on_one_page() {
        let lengths = [10, 500, 20, 900, 5, 5, 300, 2_000, 1];
        for room in (160..3_000).step_by(37) {
            let (pages, left_out) = walk(&listing(&lengths), room);
            let shown: Vec<String> = pages.concat();
            let expected: Vec<String> = (0..lengths.len())
                .filter(|place| !left_out.contains(place))
                .map(|place| format!("t{place}"))
                .collect();
            assert_eq!(shown, expected, "room {room}");
            // What is left out would not fit alone.
            assert!(left_out.iter().all(|place| lengths[*place] + 180 > room), "room {room}: {left_out:?}");
        }
        assert_eq!(walk(&listing(&lengths), 10_000).0.len(), 1);
        assert_eq!(walk(&listing(&[]), 200), (Vec::from([Vec::new()]), Vec::new()));
    }

    /// MCPX-12: a tool that is too long alone is shown without the schema of its results, if that helps.
    #[test]
    fn a_tool_loses_its_output_schema() {
        let mut listing = listing(&[10]);
        let schema = format!(r#"{{"outputSchema":{{"title":"{}"}},"name":"big","n":1.50}}"#, "x".repeat(900));
        listing.tools.push(raw(&schema).to_owned());
        let (pages, left_out) = walk(&listing, 400);
        assert_eq!((pages.concat(), left_out), (["t0", "big"].map(Into::into).to_vec(), Vec::new()));
        let page = listing.page(&Id::number(1), Some("7.1"), &|text| text.len() <= 400);
        assert!(page.text.contains(r#"{"n":1.50,"name":"big"}"#), "{}", page.text);
        let page = listing.page(&Id::number(1), Some("7.1"), &|text| text.len() <= 2_000);
        assert!(page.text.contains("outputSchema"), "{}", page.text);
    }

    /// MCPX-13: a cursor of another list, or of no list, is refused.
    #[test]
    fn cursors_of_others() {
        for cursor in ["", "7", "7.", "7.3", "6.1", "7.-1", "x.1", "7.1.1", "07.1"] {
            let page = listing(&[1, 1, 1]).page(&Id::text("a"), Some(cursor), &|_| true);
            assert_eq!(
                page.text,
                r#"{"jsonrpc":"2.0","id":"a","error":{"code":-32602,"message":"unknown cursor; list without one"}}"#,
                "{cursor}"
            );
        }
    }
}

//! The judge: the section as `pulldown-cmark` reads it, which shares no code with this program.

use pulldown_cmark::{Event, LinkType, Parser, Tag, TagEnd};

/// A link at the start of an item of the section.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) title: String,
    pub(crate) address: String,
    /// The text after it, in the same paragraph.
    pub(crate) notes: String,
}

/// The links of the section's items.
pub(crate) fn found(text: &str) -> Vec<Found> {
    let mut reader =
        Reader { text, depth: 0, in_section: false, heading: None, item: None, found: Vec::new() };
    for (event, range) in Parser::new(text).into_offset_iter() {
        reader.take(event, range.start);
    }
    reader.found
}

struct Reader<'a> {
    text: &'a str,
    /// How many lists and quotes are open.
    depth: usize,
    in_section: bool,
    /// Level and text of the heading that is open, outside of lists and quotes.
    heading: Option<(usize, String)>,
    item: Option<Item>,
    found: Vec<Found>,
}

/// Where an item's first paragraph is.
enum Item {
    /// Nothing of it came.
    Start,
    Link(Found),
    After(Found),
}

impl Reader<'_> {
    fn take(&mut self, event: Event<'_>, at: usize) {
        match event {
            Event::Start(Tag::Heading { level, .. }) if self.depth == 0 => {
                self.end_item();
                self.heading = Some((level as usize, String::new()));
            }
            Event::End(TagEnd::Heading(_)) if self.depth == 0 => self.end_heading(),
            Event::Start(Tag::List(_) | Tag::BlockQuote(_)) => {
                self.end_item();
                self.depth += 1;
            }
            Event::End(TagEnd::List(_) | TagEnd::BlockQuote(_)) => {
                self.end_item();
                self.depth -= 1;
            }
            Event::Start(Tag::Item) => {
                self.end_item();
                self.item = Some(Item::Start);
            }
            Event::Start(Tag::Paragraph) if matches!(self.item, Some(Item::Start)) => {}
            // A paragraph with a line under it is one here.
            Event::Start(Tag::Heading { .. })
                if matches!(self.item, Some(Item::Start)) && !self.is_hash(at) => {}
            Event::Start(Tag::Link { link_type: LinkType::Inline, dest_url, .. }) => match self.item.take() {
                Some(Item::Start) => {
                    let found =
                        Found { title: String::new(), address: dest_url.into_string(), notes: String::new() };
                    self.item = Some(Item::Link(found));
                }
                other => self.item = other,
            },
            Event::End(TagEnd::Link) => match self.item.take() {
                Some(Item::Link(found)) => self.item = Some(Item::After(found)),
                other => self.item = other,
            },
            Event::Text(text) | Event::Code(text) => self.text(&text),
            Event::SoftBreak | Event::HardBreak => self.text(" "),
            Event::InlineHtml(html) => self.text(&html),
            Event::Start(Tag::Emphasis | Tag::Strong | Tag::Image { .. } | Tag::Link { .. }) => {
                self.text("?")
            }
            Event::End(TagEnd::Emphasis | TagEnd::Strong | TagEnd::Image) => {}
            _ => self.end_item(),
        }
    }

    fn is_hash(&self, at: usize) -> bool {
        self.text.as_bytes().get(at) == Some(&b'#')
    }

    fn text(&mut self, text: &str) {
        if let Some((_, heading)) = &mut self.heading {
            heading.push_str(text);
        }
        match &mut self.item {
            Some(Item::Link(found)) => found.title.push_str(text),
            Some(Item::After(found)) => found.notes.push_str(text),
            Some(Item::Start) => self.item = None,
            None => {}
        }
    }

    fn end_heading(&mut self) {
        let Some((level, text)) = self.heading.take() else { return };
        if level <= 2 {
            self.in_section = level == 2 && text.eq_ignore_ascii_case("Communications");
        }
    }

    fn end_item(&mut self) {
        if let Some(Item::After(mut found)) = self.item.take()
            && self.in_section
        {
            let spaces: Vec<&str> =
                found.title.split([' ', '\t', '\n']).filter(|word| !word.is_empty()).collect();
            found.title = spaces.join(" ");
            self.found.push(found);
        }
    }
}

//! Blocks of HTML, in which nothing is Markdown (CommonMark, HTML blocks, kinds 1 to 6).
//!
//! A line that is one unknown tag alone (kind 7) is a paragraph here.

use super::work::spend;

/// Where a block of HTML ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// With the line that has one of these texts, in any letter case.
    After(&'static [&'static str]),
    /// Before a blank line.
    Blank,
}

/// Elements whose content is no Markdown, blank lines included.
const RAW: [&str; 4] = ["pre", "script", "style", "textarea"];

/// Elements that begin a block.
const BLOCK: [&str; 62] = [
    "address",
    "article",
    "aside",
    "base",
    "basefont",
    "blockquote",
    "body",
    "caption",
    "center",
    "col",
    "colgroup",
    "dd",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "frame",
    "frameset",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hr",
    "html",
    "iframe",
    "legend",
    "li",
    "link",
    "main",
    "menu",
    "menuitem",
    "nav",
    "noframes",
    "ol",
    "optgroup",
    "option",
    "p",
    "param",
    "search",
    "section",
    "summary",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "title",
    "tr",
    "track",
    "ul",
];

/// The end of the block of HTML that a line begins, its indentation left out; none when it begins none.
pub(super) fn begin(line: &[u8]) -> Option<End> {
    let after = line.strip_prefix(b"<")?;
    if after.starts_with(b"!--") {
        return Some(End::After(&["-->"]));
    }
    if after.starts_with(b"?") {
        return Some(End::After(&["?>"]));
    }
    if after.starts_with(b"![CDATA[") {
        return Some(End::After(&["]]>"]));
    }
    if let [b'!', b'a'..=b'z' | b'A'..=b'Z', ..] = after {
        return Some(End::After(&[">"]));
    }
    let name = after.strip_prefix(b"/").unwrap_or(after);
    let len = name.iter().take(16).take_while(|b| b.is_ascii_alphanumeric()).count();
    let (name, rest) = name.split_at_checked(len)?;
    let is = |element: &&str| element.as_bytes().eq_ignore_ascii_case(name);
    let ends = matches!(rest, [] | [b' ' | b'\t' | b'>', ..]);
    if ends && after.first() != Some(&b'/') && RAW.iter().any(is) {
        return Some(End::After(&["</pre>", "</script>", "</style>", "</textarea>"]));
    }
    ((ends || rest.starts_with(b"/>")) && BLOCK.iter().any(is)).then_some(End::Blank)
}

impl End {
    /// Whether the block ends with this line.
    pub(super) fn is_on(self, line: &[u8]) -> bool {
        let Self::After(texts) = self else { return false };
        spend(line.len());
        let is_at = |at: usize, text: &str| {
            line.get(at..at + text.len()).is_some_and(|piece| piece.eq_ignore_ascii_case(text.as_bytes()))
        };
        (0..line.len()).any(|at| texts.iter().any(|text| is_at(at, text)))
    }
}

#[cfg(test)]
mod tests {
    use super::{End, begin};

    /// WEB-04: which lines begin a block of HTML.
    #[test]
    fn blocks() {
        for (line, expected) in [
            ("<!-- x", Some(End::After(&["-->"]))),
            ("<?php", Some(End::After(&["?>"]))),
            ("<!DOCTYPE html>", Some(End::After(&[">"]))),
            ("<![CDATA[", Some(End::After(&["]]>"]))),
            ("<PRE>", Some(End::After(&["</pre>", "</script>", "</style>", "</textarea>"]))),
            ("<div", Some(End::Blank)),
            ("</details>", Some(End::Blank)),
            ("<hr/>", Some(End::Blank)),
            ("</pre>", None),
            ("<divide>", None),
            ("<https://x.example>", None),
            ("<span>", None),
            ("x <div>", None),
            ("<", None),
        ] {
            assert_eq!(begin(line.as_bytes()), expected, "{line}");
        }
        assert!(End::After(&["-->"]).is_on(b"a --> b") && !End::After(&["-->"]).is_on(b"a -- > b"));
    }
}

//! REFERENCE.md and its marked sections: `<!-- NAME -->`, the text, `<!-- end -->`.

use std::path::PathBuf;

const END: &str = "<!-- end -->";

/// The reference.
pub(crate) struct Document {
    text: String,
    /// The same with every run of white space as one space.
    words: String,
}

impl Document {
    pub(crate) fn read() -> Self {
        Self::of(std::fs::read_to_string(path()).unwrap().replace("\r\n", "\n"))
    }

    fn of(text: String) -> Self {
        let words = one_spaced(&text);
        Self { text, words }
    }

    pub(crate) fn write(&self) {
        // The other tests read it meanwhile.
        let new = path().with_extension("md.new");
        std::fs::write(&new, &self.text).unwrap();
        std::fs::rename(&new, path()).unwrap();
    }

    /// Whether these words stand somewhere.
    pub(crate) fn has(&self, words: &str) -> bool {
        self.words.contains(&one_spaced(words))
    }

    /// The rows whose first cell is this.
    pub(crate) fn rows(&self, first: &str) -> impl Iterator<Item = &str> {
        let start = format!("| {first} | ");
        self.text.lines().filter(move |line| line.starts_with(&start))
    }

    /// The names of the marked sections.
    pub(crate) fn sections(&self) -> Vec<String> {
        let marks = self.text.lines().filter(|line| line.starts_with("<!-- ") && *line != END);
        marks.map(|line| line.trim_start_matches("<!-- ").trim_end_matches(" -->").to_owned()).collect()
    }

    /// What stands in a section.
    pub(crate) fn section(&self, name: &str) -> String {
        let (start, end) = self.place(name);
        self.text[start..end].to_owned()
    }

    pub(crate) fn replace(&mut self, name: &str, text: &str) {
        let (start, end) = self.place(name);
        let mut whole = self.text.clone();
        whole.replace_range(start..end, text);
        *self = Self::of(whole);
    }

    fn place(&self, name: &str) -> (usize, usize) {
        let mark = format!("<!-- {name} -->\n");
        let start = self.text.find(&mark).unwrap() + mark.len();
        let end = self.text[start..].find(END).unwrap_or_else(|| panic!("{name}: no {END}"));
        (start, start + end)
    }
}

/// A row of a table. A `|` in a cell would end it.
pub(crate) fn row(cells: &[&str]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    format!("| {} |\n", cells.join(" | "))
}

/// A table, with an empty line around it.
pub(crate) fn table(head: &[&str], rows: &[String]) -> String {
    format!("\n{}|{}\n{}\n", row(head), "---|".repeat(head.len()), rows.concat())
}

/// Every run of white space as one space.
pub(crate) fn one_spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn path() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../REFERENCE.md"))
}

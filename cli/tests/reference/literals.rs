//! The string literals of Rust source, and their fragments between placeholders.

/// The string literals of a source file, comments, attributes' reasons and the tests at its end left out.
pub(crate) fn literals(source: &str) -> Vec<String> {
    let source = source.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let chars: Vec<char> = source.chars().collect();
    let mut reader = Reader { chars: &chars, at: 0, found: Vec::new() };
    while reader.at < chars.len() {
        reader.step();
    }
    reader.found
}

/// The fragments of a literal: what stands between `{…}` and line breaks.
pub(crate) fn fragments(literal: &str) -> Vec<String> {
    const OPEN: char = '\u{1}';
    const CLOSE: char = '\u{2}';
    let text = literal.replace("{{", "\u{1}").replace("}}", "\u{2}");
    let mut fragments = vec![String::new()];
    let mut inside = false;
    for c in text.chars() {
        match c {
            '{' | '\n' => {
                inside |= c == '{';
                fragments.push(String::new());
            }
            '}' => inside = false,
            _ if inside => {}
            _ => fragments.last_mut().unwrap().push(match c {
                OPEN => '{',
                CLOSE => '}',
                other => other,
            }),
        }
    }
    fragments
        .iter()
        .map(|fragment| fragment.trim().to_owned())
        .filter(|fragment| !fragment.is_empty())
        .collect()
}

struct Reader<'a> {
    chars: &'a [char],
    at: usize,
    found: Vec<String>,
}

impl Reader<'_> {
    /// Over one token, as far as literals need it.
    fn step(&mut self) {
        match (self.peek(0), self.peek(1)) {
            ('/', '/') => self.skip_line(),
            ('"', _) => self.string(),
            ('r', '"' | '#') if !self.before().is_alphanumeric() && self.before() != '_' => self.raw(),
            ('\'', _) => self.quote(),
            _ => self.at += 1,
        }
    }

    fn peek(&self, ahead: usize) -> char {
        self.chars.get(self.at + ahead).copied().unwrap_or('\0')
    }

    fn before(&self) -> char {
        self.at.checked_sub(1).map_or('\0', |at| self.chars[at])
    }

    fn skip_line(&mut self) {
        while self.at < self.chars.len() && self.peek(0) != '\n' {
            self.at += 1;
        }
    }

    /// A character, or a lifetime, which has no second `'`.
    fn quote(&mut self) {
        let end = if self.peek(1) == '\\' {
            self.chars.iter().skip(self.at + 3).position(|c| *c == '\'').map(|more| self.at + 3 + more)
        } else {
            (self.peek(2) == '\'').then_some(self.at + 2)
        };
        self.at = end.unwrap_or(self.at) + 1;
    }

    fn raw(&mut self) {
        let hashes = self.chars[self.at + 1..].iter().take_while(|c| **c == '#').count();
        if self.peek(1 + hashes) != '"' {
            self.at += 1;
            return;
        }
        self.at += 2 + hashes;
        let end: String = std::iter::once('"').chain(std::iter::repeat_n('#', hashes)).collect();
        let rest: String = self.chars[self.at..].iter().collect();
        let text = rest.split(&end).next().unwrap_or_default().to_owned();
        self.at += text.chars().count() + end.len();
        self.found.push(text);
    }

    fn string(&mut self) {
        let is_reason = self.chars[..self.at].ends_with(&['r', 'e', 'a', 's', 'o', 'n', ' ', '=', ' ']);
        self.at += 1;
        let mut text = String::new();
        while self.at < self.chars.len() && self.peek(0) != '"' {
            if self.peek(0) == '\\' {
                self.escape(&mut text);
            } else {
                text.push(self.peek(0));
                self.at += 1;
            }
        }
        self.at += 1;
        if !is_reason {
            self.found.push(text);
        }
    }

    fn escape(&mut self, text: &mut String) {
        let kind = self.peek(1);
        self.at += 2;
        match kind {
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' | '0' => {}
            'u' => {
                let digits: String = self.chars[self.at + 1..].iter().take_while(|c| **c != '}').collect();
                self.at += digits.len() + 2;
                text.extend(u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32));
            }
            '\n' => {
                while self.peek(0).is_whitespace() {
                    self.at += 1;
                }
            }
            other => text.push(other),
        }
    }
}

mod tests {
    /// REF-05: what is a literal, and where a placeholder cuts it.
    #[test]
    fn of_source() {
        let source = "// \"no\"\nfn f<'a>(c: char) -> &'a str {\n let _ = ('\"', '\\'', b'\\n', \"a \\\"b\\\" \\\n   c\\u{e9}\");\n \
                      #[allow(x, reason = \"no\")]\n let _ = r#\"{\"raw\"}\"#; let _ = r\"x\"; for r in y {} \"{{}} {n:?}\"\n}\n\
                      #[cfg(test)]\nmod tests { \"no\" }";
        assert_eq!(super::literals(source), ["a \"b\" cé", "{\"raw\"}", "x", "{{}} {n:?}"]);
        assert_eq!(super::fragments("a {b} c {{d}}\ne{f:?}"), ["a", "c {d}", "e"]);
    }
}

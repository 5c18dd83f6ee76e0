//! An event stream, as its bytes come.

use alloc::string::String;
use alloc::vec::Vec;

/// The messages of an event stream: the data of its events. Comments, and events of another name than `message`, are
/// left out. The form is that of the HTML standard, "Server-sent events".
#[derive(Debug, Default)]
pub struct Events {
    line: Vec<u8>,
    data: Option<String>,
    other: bool,
    /// The last byte ended a line, so that a line feed behind a carriage return ends none.
    after_cr: bool,
}

impl Events {
    /// Takes bytes; the messages that are complete with them.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut messages = Vec::new();
        for byte in bytes {
            let ends = matches!(byte, b'\n' | b'\r') && !(*byte == b'\n' && self.after_cr);
            if ends {
                messages.extend(self.end_line());
            } else if *byte != b'\n' {
                self.line.push(*byte);
            }
            self.after_cr = *byte == b'\r';
        }
        messages
    }

    fn end_line(&mut self) -> Option<String> {
        let line = String::from_utf8_lossy(&self.line).into_owned();
        self.line.clear();
        if line.is_empty() {
            let other = core::mem::take(&mut self.other);
            return self.data.take().filter(|data| !other && !data.is_empty());
        }
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.into()),
            },
            "event" => self.other = value != "message",
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// STDIO-06: the same messages however the bytes are cut.
    #[test]
    fn events() {
        for (stream, messages) in [
            ("event: message\ndata: {\"a\":1}\n\n", &["{\"a\":1}"][..]),
            ("data: 1\r\n\r\ndata:2\r\rdata: 3\n\n", &["1", "2", "3"]),
            (": keepalive\n\ndata: é🐑\n\n: x\n\n", &["é🐑"]),
            ("data: [1,\ndata: 2]\n\n", &["[1,\n2]"]),
            ("event: other\ndata: 1\n\ndata: 2\n\n", &["2"]),
            ("id: 1\nretry: 5\ndata: 1\n\n", &["1"]),
            ("data: cut\n", &[]),
            ("data\n\n\n\n", &[]),
        ] {
            let whole = Events::default().push(stream.as_bytes());
            assert_eq!(whole, messages, "{stream:?}");
            let mut events = Events::default();
            let single: Vec<String> = stream.bytes().flat_map(|byte| events.push(&[byte])).collect();
            assert_eq!(single, messages, "{stream:?}");
        }
    }
}

//! The Content-Length headers of each request as they were sent.
//!
//! hyper keeps one of several that are equal, and none beside a Transfer-Encoding. That is a way to read such a request;
//! another reader may read it in another way, so that core refuses it, and for that it has to see it. So the bytes are
//! followed on their way to hyper, as far as it takes to know where a head begins.
//!
//! What does not look like HTTP is left to hyper: nothing more is followed then, and nothing is added to what it gives.

use std::collections::VecDeque;

/// The beginning of a line that is kept, in bytes: enough for the lengths and the chunk sizes that hyper takes.
const KEPT: usize = 128;

/// Follows the bytes of a connection.
#[derive(Debug, Default)]
pub(super) struct Heads {
    place: Place,
    /// The line at work, as far as it is kept.
    line: Vec<u8>,
    lengths: Vec<String>,
    is_chunked: bool,
    /// Those of the heads that are whole and that nobody asked for yet.
    whole: VecDeque<Vec<String>>,
}

/// What comes next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    /// The first line of a head; empty lines may stand before it.
    #[default]
    First,
    /// A header, or the empty line at the end.
    Header,
    /// So many bytes of a body.
    Body(u64),
    /// The size of a chunk.
    Size,
    /// So many bytes of a chunk, its line break included.
    Chunk(u64),
    /// A trailer, or the empty line at the end.
    Trailer,
    /// Nobody knows.
    Lost,
}

impl Heads {
    /// Follows the next bytes.
    pub(super) fn pass(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            bytes = match self.place {
                Place::Lost => return,
                Place::Body(left) => self.skip(bytes, left, Place::Body, Place::First),
                Place::Chunk(left) => self.skip(bytes, left, Place::Chunk, Place::Size),
                Place::First | Place::Header | Place::Size | Place::Trailer => self.line(bytes),
            };
        }
    }

    /// The Content-Length headers of the next request, in order; none when that is not known.
    pub(super) fn lengths(&mut self) -> Vec<String> {
        self.whole.pop_front().unwrap_or_default()
    }

    fn skip<'a>(&mut self, bytes: &'a [u8], left: u64, more: impl Fn(u64) -> Place, then: Place) -> &'a [u8] {
        let there = bytes.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        let left = left.saturating_sub(there as u64);
        self.place = if left == 0 { then } else { more(left) };
        bytes.get(there..).unwrap_or_default()
    }

    /// Takes a line, or what there is of it.
    fn line<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let (line, rest) = bytes.split_at(end.map_or(bytes.len(), |end| end + 1));
        let line = line.get(..KEPT - self.line.len().min(KEPT)).unwrap_or(line);
        if end.is_none() {
            self.line.extend(line);
        } else if self.line.is_empty() {
            self.place = self.after(&String::from_utf8_lossy(line));
        } else {
            let mut whole = std::mem::take(&mut self.line);
            whole.extend(line);
            self.place = self.after(&String::from_utf8_lossy(&whole));
        }
        rest
    }

    /// What comes after a line.
    fn after(&mut self, line: &str) -> Place {
        let line = line.trim_end_matches(['\r', '\n']);
        match self.place {
            Place::First if line.is_empty() => Place::First,
            Place::First => Place::Header,
            Place::Header if line.is_empty() => self.after_head(),
            Place::Header => {
                let (name, value) = line.split_once(':').unwrap_or_default();
                if name.eq_ignore_ascii_case("content-length") {
                    self.lengths.push(value.trim_matches([' ', '\t']).to_owned());
                }
                self.is_chunked |= name.eq_ignore_ascii_case("transfer-encoding");
                Place::Header
            }
            Place::Size => {
                let digits = line.split(';').next().unwrap_or_default().trim_matches([' ', '\t']);
                match u64::from_str_radix(digits, 16) {
                    Ok(0) => Place::Trailer,
                    Ok(length) => Place::Chunk(length.saturating_add(2)),
                    Err(_) => Place::Lost,
                }
            }
            Place::Trailer if line.is_empty() => Place::First,
            Place::Trailer => Place::Trailer,
            Place::Body(_) | Place::Chunk(_) | Place::Lost => Place::Lost,
        }
    }

    fn after_head(&mut self) -> Place {
        let lengths = std::mem::take(&mut self.lengths);
        let is_chunked = std::mem::take(&mut self.is_chunked);
        let length = lengths.first().map_or(Ok(0), |length| length.parse());
        self.whole.push_back(lengths);
        match length {
            _ if is_chunked => Place::Size,
            Ok(0) => Place::First,
            Ok(length) => Place::Body(length),
            // hyper refuses it.
            Err(_) => Place::Lost,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: &str = "\r\nPOST /mcp HTTP/1.1\r\ncontent-LENGTH: 3\r\nX: Content-Length: 9\r\nContent-Length:3\t\r\n\r\nab\nGET / \
         HTTP/1.1\nHost: a\n\nPOST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n3;x=\"\r\na\r\n\r\n\
         0\r\nContent-Length: 1\r\n\r\nPOST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}";

    /// HTTP-34: each head has its own lengths, however the bytes are cut.
    #[test]
    fn each_head_has_its_lengths() {
        for size in [1, 2, 3, 7, 50, STREAM.len()] {
            let mut heads = Heads::default();
            STREAM.as_bytes().chunks(size).for_each(|bytes| heads.pass(bytes));
            assert_eq!(heads.whole, [vec!["3", "3"], vec![], vec!["5"], vec!["2"]], "{size}");
            assert_eq!(heads.place, Place::First);
        }
    }

    /// HTTP-32: what is no HTTP is not followed, and costs no memory.
    #[test]
    fn what_is_no_http_is_left_alone() {
        for text in
            ["POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", "A\r\nContent-Length: x\r\n\r\n"]
        {
            let mut heads = Heads::default();
            heads.pass(text.as_bytes());
            assert_eq!(heads.place, Place::Lost, "{text:?}");
            heads.pass(b"\r\n\r\nGET / HTTP/1.1\r\n\r\n");
            assert_eq!(heads.whole.len(), 1);
        }
        let mut heads = Heads::default();
        heads.pass(&[b'x'; 100_000]);
        assert_eq!(heads.line.len(), KEPT);
    }
}

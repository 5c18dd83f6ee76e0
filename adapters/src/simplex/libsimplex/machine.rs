//! For which machine a library was built. The loader of the system says of a library for another processor only that
//! there is no such file.

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The processors that a header of an ELF file may name (`e_machine`), with the names that Rust has for them.
const PROCESSORS: [(u16, &str); 7] = [
    (3, "x86"),
    (20, "powerpc"),
    (40, "arm"),
    (62, "x86_64"),
    (183, "aarch64"),
    (243, "riscv64"),
    (258, "loongarch64"),
];

/// The processor that a library was built for, when it is an ELF file for another than this one.
pub(super) fn other_processor(path: &Path) -> Option<String> {
    let mut header = [0; 20];
    File::open(path).ok()?.read_exact(&mut header).ok()?;
    let built_for = processor(&header)?;
    (built_for != std::env::consts::ARCH).then_some(built_for)
}

/// What the first bytes of an ELF file say; none for anything else.
fn processor(header: &[u8; 20]) -> Option<String> {
    let [0x7f, b'E', b'L', b'F', _, order, .., low, high] = *header else { return None };
    let number = if order == 2 { u16::from_be_bytes([low, high]) } else { u16::from_le_bytes([low, high]) };
    let known = PROCESSORS.iter().find(|(known, _)| *known == number);
    Some(known.map_or_else(|| format!("processor number {number}"), |(_, name)| (*name).to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(class: u8, order: u8, machine: [u8; 2]) -> [u8; 20] {
        let mut header = [0; 20];
        header[..6].copy_from_slice(&[0x7f, b'E', b'L', b'F', class, order]);
        header[18..].copy_from_slice(&machine);
        header
    }

    /// LIB-14: headers as they are, in both byte orders; what is no ELF file is left to the loader.
    #[test]
    fn headers_name_processors() {
        for (header, named) in [
            (header(2, 1, [62, 0]), Some("x86_64")),
            (header(2, 1, [183, 0]), Some("aarch64")),
            (header(1, 1, [40, 0]), Some("arm")),
            (header(2, 2, [0, 20]), Some("powerpc")),
            (header(2, 1, [0x39, 0x05]), Some("processor number 1337")),
            ([0; 20], None),
        ] {
            assert_eq!(processor(&header).as_deref(), named);
        }
        let this = std::env::current_exe().unwrap();
        assert_eq!(other_processor(&this), None, "the tests run on this processor");
    }
}

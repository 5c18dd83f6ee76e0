//! Archives, good and bad.
#![allow(clippy::unwrap_used)]

use std::io::{Cursor, Write};

use simplex_agent_adapters::simplex::libsimplex::FILE;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// The content of the library of [`good`]. It is not loaded.
pub(crate) const LIBRARY: &[u8] = b"the library";
/// The content of its companion.
pub(crate) const COMPANION: &[u8] = b"a companion";

/// An archive of these files.
pub(crate) fn of(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, content) in files {
        if name.ends_with('/') {
            writer.add_directory(*name, options).unwrap();
        } else {
            writer.start_file(*name, options).unwrap();
            writer.write_all(content).unwrap();
        }
    }
    writer.finish().unwrap().into_inner()
}

/// An archive as a release has it.
pub(crate) fn good() -> Vec<u8> {
    of(&[
        ("libs/", b""),
        (&format!("libs/{FILE}"), LIBRARY),
        ("libs/libHSa.so", COMPANION),
        ("README", b"hello"),
    ])
}

/// One with a link in the library's place.
pub(crate) fn with_link(to: &str) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    writer.add_symlink(format!("libs/{FILE}"), to, SimpleFileOptions::default()).unwrap();
    writer.finish().unwrap().into_inner()
}

/// The head of a library for a processor that nothing of ours runs on.
pub(crate) fn other_processor() -> Vec<u8> {
    let mut library = vec![0; 64];
    library[..6].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, 1]);
    // SPARC V9.
    library[18] = 43;
    library
}

//! The committed inputs of the fuzz targets, through the same bodies, without a fuzzer.

use std::collections::BTreeSet;
use std::path::Path;

use simplex_proptests::fuzz::{TARGETS, Target};

/// RPC-34, WEB-27, WEB-37, CHAT-07: each input of `fuzz/corpus`, by the target whose folder it is in; each target has a
/// folder and a file for the fuzzer.
#[test]
fn the_corpus_holds() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz");
    let folders = std::fs::read_dir(fuzz.join("corpus")).expect("a corpus");
    let folders: BTreeSet<String> =
        folders.map(|entry| entry.expect("an entry").file_name().into_string().expect("a name")).collect();
    let names: BTreeSet<String> = TARGETS.iter().map(|target| target.name.to_owned()).collect();
    assert_eq!(folders, names, "folders of the corpus, and targets");
    for Target { name, body } in TARGETS {
        assert!(fuzz.join("fuzz_targets").join(name).with_extension("rs").exists(), "{name}");
        let mut count = 0;
        for entry in std::fs::read_dir(fuzz.join("corpus").join(name)).expect("a folder") {
            let path = entry.expect("an entry").path();
            let bytes = std::fs::read(&path).expect("readable");
            println!("{}", path.display());
            body(&bytes);
            count += 1;
        }
        assert!(count >= 10, "{name}: {count}");
    }
}

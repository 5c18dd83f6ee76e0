//! What `replay` prints of a record.

use std::fs;
use std::path::Path;

use simplex_proptests::script;

/// REC-05: a run in the script format, by the letter. `UPDATE_SCRIPTS=1` writes it anew.
#[test]
fn first_day() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let source = fs::read_to_string(tests.join("readable/first-day.script")).expect("the script");
    let seen = script::record(&source, &tests.join("scripts"));
    let path = tests.join("readable/first-day.txt");
    if std::env::var_os("UPDATE_SCRIPTS").is_some() {
        fs::write(&path, &seen).expect("writable");
    }
    let written = fs::read_to_string(&path).expect("what is printed");
    assert!(seen == written, "{} differs; what is printed:\n{seen}", path.display());
}

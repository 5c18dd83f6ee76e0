//! The texts that the library answers with by itself; those of commands come from the simulator.

use serde_json::json;
use simplex_agent_core::simplex::{markdown as parser, name, size};

/// The store is open (digest 1.3).
pub(crate) fn ok() -> String {
    json!({"type": "ok"}).to_string()
}

/// The confirmation is unknown.
pub(crate) fn invalid_confirmation() -> String {
    json!({"type": "invalidConfirmation"}).to_string()
}

/// The file is no database, or has another key.
pub(crate) fn not_a_database(file: &str) -> String {
    json!({"type": "errorNotADatabase", "dbFile": file}).to_string()
}

/// The file is of a later version.
pub(crate) fn later_database(file: &str) -> String {
    let error = json!({"type": "migrationError", "mtrError": {"type": "noDown", "dbMigrations": ["later"]}});
    json!({"type": "errorMigration", "dbFile": file, "migrationError": error}).to_string()
}

/// The file cannot be used.
pub(crate) fn error_sql(file: &str, reason: &str) -> String {
    json!({"type": "errorSQL", "dbFile": file, "migrationSQLError": reason}).to_string()
}

/// A command on a store that is not open.
pub(crate) fn store_error(reason: &str) -> String {
    let error = json!({"type": "dBException", "message": reason});
    json!({"error": {"type": "errorStore", "storeError": error}}).to_string()
}

/// A command that is no text.
pub(crate) fn not_parsed() -> String {
    let error = json!({"type": "commandError", "message": "Failed reading: empty"});
    json!({"error": {"type": "error", "errorType": error}}).to_string()
}

/// A command for a remote host: the simulator has none.
pub(crate) fn no_remote_host(remote_host: i32) -> String {
    let key = json!({"type": "id", "remoteHostId": remote_host});
    json!({"error": {"type": "errorRemoteHost", "rhKey": key, "remoteHostError": {"type": "missing"}}})
        .to_string()
}

/// The answer of `chat_parse_markdown`.
pub(crate) fn markdown(text: &str) -> String {
    match parser::parse(text) {
        Some(parts) => json!({"formattedText": parts}).to_string(),
        None => "{}".to_owned(),
    }
}

/// The answer of `chat_valid_name`.
pub(crate) fn valid_name(text: &str) -> String {
    name::valid_form(text)
}

/// The answer of `chat_json_length`.
pub(crate) fn json_length(text: &str) -> i32 {
    i32::try_from(size::encoded_len(text)).unwrap_or(i32::MAX)
}

/// The answer of `chat_parse_uri`, without a sanitised form.
pub(crate) fn uri(text: &str) -> String {
    let scheme = text.split_once(':').map(|(scheme, _)| scheme).filter(|scheme| is_scheme(scheme));
    match scheme {
        Some(scheme) => json!({"uriInfo": {"scheme": scheme}, "parseError": ""}).to_string(),
        None => json!({"parseError": "no scheme"}).to_string(),
    }
}

/// Whether this is the scheme of a URI (RFC 3986, section 3.1).
fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
}

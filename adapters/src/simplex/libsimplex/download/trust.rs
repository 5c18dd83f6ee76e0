//! Which certificates are trusted: a built-in list, so that a machine without one can download, or the file that a
//! person whose network has its own authority names in `SSL_CERT_FILE`, as OpenSSL reads it.

use std::path::Path;
use std::sync::Arc;

use ureq::tls::{PemItem, RootCerts, parse_pem};

/// The certificates of a file, or the built-in ones.
///
/// # Errors
///
/// A file that does not read, or holds no certificate.
pub(super) fn roots(file: Option<&Path>) -> Result<RootCerts, String> {
    let Some(file) = file else { return Ok(RootCerts::WebPki) };
    let at_file = |reason: &str| format!("SSL_CERT_FILE, {}: {reason}", file.display());
    let text = std::fs::read(file).map_err(|error| at_file(&error.to_string()))?;
    let certificates = parse_pem(&text).filter_map(|item| match item {
        Ok(PemItem::Certificate(certificate)) => Some(certificate),
        _ => None,
    });
    let certificates: Vec<_> = certificates.collect();
    if certificates.is_empty() {
        Err(at_file("no certificate in it"))
    } else {
        Ok(RootCerts::Specific(Arc::new(certificates)))
    }
}

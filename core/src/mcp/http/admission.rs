//! The checks that need no body, in the order of `Order of checks` of the MCP digest, section 1.1.

use super::authority::{is_loopback, split_url};
use super::{Head, Header, Limits, Reply, too_large};

/// The one path that is served.
const PATH: &str = "/mcp";

/// Whether the body of a request may be read.
///
/// # Errors
/// The answer, in this order: 403 for a host or an origin that is not this machine, 404 for another path, 401 without
/// the token, 405 for another method, 415 for another content type, 400 for a length that is none and 413 for a declared
/// length above [`Limits::body`].
pub fn admit(head: &Head) -> Result<(), Reply> {
    host(head)?;
    origin(head)?;
    path(head)?;
    if !head.authorized {
        let message = "the Authorization header must be Bearer and the token of the data folder";
        return Err(Reply::refused(401, message).with("WWW-Authenticate", "Bearer"));
    }
    if head.method != "POST" {
        return Err(Reply::refused(405, "only POST is served").with("Allow", "POST"));
    }
    content_type(head)?;
    length(head)
}

/// A target in absolute form names the host itself and the Host header is not looked at (RFC 9112, section 3.2.2).
fn host(head: &Head) -> Result<(), Reply> {
    let (refusal, authority) = match (split_url(&head.target), head.header("host")) {
        (Some((authority, _)), _) => ("the target must name localhost, 127.0.0.1 or [::1]", authority),
        (None, Header::One(authority)) => ("the Host must name localhost, 127.0.0.1 or [::1]", authority),
        (None, Header::None) => return Err(Reply::refused(403, "the Host header is missing")),
        (None, Header::Many) => return Err(Reply::refused(403, "the Host header is there twice")),
    };
    if is_loopback(authority) { Ok(()) } else { Err(Reply::refused(403, refusal)) }
}

fn origin(head: &Head) -> Result<(), Reply> {
    match head.header("origin") {
        Header::None | Header::One("") => Ok(()),
        Header::One(origin) => match split_url(origin) {
            Some((authority, "")) if is_loopback(authority) => Ok(()),
            _ => Err(Reply::refused(403, "the Origin must name localhost, 127.0.0.1 or [::1]")),
        },
        Header::Many => Err(Reply::refused(403, "the Origin header is there twice")),
    }
}

/// A query changes nothing; everything else but the path itself, a target that is no URL included, is not found.
fn path(head: &Head) -> Result<(), Reply> {
    let path = split_url(&head.target).map_or(head.target.as_str(), |(_, path)| path);
    let path = path.split_once('?').map_or(path, |(path, _)| path);
    if path == PATH && !head.target.contains('#') { Ok(()) } else { Err(Reply::empty(404)) }
}

fn content_type(head: &Head) -> Result<(), Reply> {
    let essence = match head.header("content-type") {
        Header::One(value) => value.split(';').next().unwrap_or_default().trim_matches([' ', '\t']),
        Header::None | Header::Many => "",
    };
    if essence.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    Err(Reply::refused(415, "the Content-Type must be application/json"))
}

/// Two lengths, or a length beside a transfer coding, are how one request is smuggled inside another; what the body is
/// then, nobody can say, so the connection is closed.
fn length(head: &Head) -> Result<(), Reply> {
    let refused = |message| Err(Reply::refused(400, message).with("Connection", "close"));
    let coding = head.header("transfer-encoding");
    let coded = coding != Header::None;
    if coded && !matches!(coding, Header::One(coding) if coding.eq_ignore_ascii_case("chunked")) {
        return refused("the Transfer-Encoding must be chunked");
    }
    match head.header("content-length") {
        Header::None => Ok(()),
        Header::Many => refused("the Content-Length header is there twice"),
        Header::One(_) if coded => refused("Content-Length and Transfer-Encoding are there both"),
        Header::One(digits) if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            refused("the Content-Length is not a number")
        }
        Header::One(digits) => match digits.parse::<usize>() {
            Ok(length) if length <= Limits::SERVED.body => Ok(()),
            _ => Err(too_large()),
        },
    }
}

#[cfg(test)]
mod tests;

//! One request: admitted, read, handed to the machine, answered.

use std::fmt;
use std::future::poll_fn;
use std::sync::Arc;
use std::time::Duration;

use ::hyper::body::Incoming;
use ::hyper::header::{
    AUTHORIZATION, CONTENT_LENGTH, COOKIE, HeaderMap, HeaderName, HeaderValue, PROXY_AUTHORIZATION,
};
use ::hyper::http::request::Parts;
use ::hyper::{Request, Response};
use http_body_util::BodyExt;
use simplex_agent_core::mcp::http::{
    Body, Head, Limits, Reply, Token, admit, authorized, crowded, head_too_large,
};
use smol::future::FutureExt;

use super::Shared;
use super::body::Answer;
use super::connection::Connection;
use crate::http::budget::Held;
use crate::http::requests::Part;

/// There is no answer: the connection is closed.
#[derive(Debug)]
pub(super) struct Aborted;

impl fmt::Display for Aborted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the server closes")
    }
}

impl std::error::Error for Aborted {}

/// Serves one request. Its future is dropped when the client leaves.
///
/// # Errors
/// The front end closes and the machine has not answered.
pub(super) async fn serve(
    shared: &Shared,
    connection: &Arc<Connection>,
    request: Request<Incoming>,
) -> Result<Response<Answer>, Aborted> {
    connection.used();
    let (parts, incoming) = request.into_parts();
    let head = head(&parts, connection.lengths(), &shared.token);
    let refused = |reply: Reply| response(reply.status, &reply.headers, Answer::whole(reply.body, None));
    let admitted =
        if head_length(&parts) > shared.limits.head { Err(head_too_large()) } else { admit(&head) };
    if let Err(reply) = admitted {
        return refused(reply);
    }
    let mut held = shared.requests.hold();
    let body = match read(incoming, &shared.limits, &mut held).await {
        Ok(body) => body,
        Err(reply) => return refused(reply),
    };
    let open = shared.requests.begin(head, body, held).ok_or(Aborted)?;
    let request = connection.begin(open);
    match poll_fn(|context| request.poll_part(context)).await {
        Part::Reply(Reply { status, headers, body }) => {
            response(status, &headers, Answer::whole(body, Some(request)))
        }
        Part::Open(headers) => {
            connection.streams();
            response(200, &headers, Answer::stream(request))
        }
        Part::Send(_) | Part::Close | Part::Abort => Err(Aborted),
    }
}

/// The bytes of a head as it was sent, spaces around values aside. hyper holds to the limit only what it has read when
/// the head is not whole yet.
fn head_length(parts: &Parts) -> usize {
    let line = parts.method.as_str().len() + parts.uri.to_string().len() + "  HTTP/1.1\r\n".len();
    let header =
        |(name, value): (&HeaderName, &HeaderValue)| name.as_str().len() + value.len() + ": \r\n".len();
    line + parts.headers.iter().map(header).sum::<usize>() + "\r\n".len()
}

/// The head as the machine sees it, with the lengths that hyper left out. What could carry a secret is left out, so that
/// no record can hold it.
fn head(parts: &Parts, lengths: Vec<String>, token: &Token) -> Head {
    let mut headers = Vec::new();
    for (name, value) in &parts.headers {
        if ![AUTHORIZATION, PROXY_AUTHORIZATION, COOKIE].contains(name) {
            headers.push((name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned()));
        }
    }
    let given = parts.headers.get_all(CONTENT_LENGTH).iter().count();
    headers.extend(lengths.into_iter().skip(given).map(|value| (CONTENT_LENGTH.as_str().to_owned(), value)));
    Head {
        method: parts.method.as_str().to_owned(),
        target: parts.uri.to_string(),
        headers,
        authorized: authorized(bearer(&parts.headers), token),
    }
}

/// The one Authorization header.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    match (values.next(), values.next()) {
        (Some(value), None) => value.to_str().ok(),
        _ => None,
    }
}

/// The body, at most as long and for as long as the limits allow.
///
/// # Errors
/// There is no room for it beside the others.
async fn read(mut incoming: Incoming, limits: &Limits, held: &mut Held) -> Result<Body, Reply> {
    let whole = async {
        let mut bytes = Vec::new();
        while let Some(frame) = incoming.frame().await {
            let Ok(frame) = frame else { return Ok(Body::Broken) };
            let data = frame.into_data().unwrap_or_default();
            if bytes.len() + data.len() > limits.body {
                return Ok(Body::TooLarge);
            }
            if !held.grow(data.len()) {
                return Err(crowded());
            }
            bytes.extend_from_slice(&data);
        }
        // It grew by doubling.
        bytes.shrink_to_fit();
        Ok(String::from_utf8(bytes).map_or(Body::NotUtf8, Body::Text))
    };
    let late = async {
        smol::Timer::after(Duration::from_millis(limits.body_time.0)).await;
        Ok(Body::TooSlow)
    };
    whole.or(late).await
}

/// The answer's head. Names and values come from core; one that is not a header is a fault of ours and ends the request.
fn response(status: u16, headers: &[(String, String)], answer: Answer) -> Result<Response<Answer>, Aborted> {
    let mut builder = Response::builder().status(status);
    for (name, value) in headers {
        builder = builder.header(name, value);
    }
    builder.body(answer).map_err(|_| Aborted)
}

//! One POST on a connection of its own, and its answer as it comes.

use std::error::Error;
use std::io;
use std::net::TcpStream;
use std::time::Duration;

use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST, HeaderValue, RETRY_AFTER};
use hyper::{Request, Response};
use simplex_agent_core::mcp::relay::{End, Events, ExchangeId};
use smol::Async;
use smol::channel::Sender;
use smol_hyper::rt::FuturesIo;

use super::Event;
use super::place::{Found, Place};

/// The longest answer that is no event stream, in bytes.
const MAX_BODY: usize = 64 << 20;

/// What is posted.
#[derive(Debug)]
pub(super) struct Post {
    pub(super) place: Place,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: String,
    pub(super) after: Duration,
}

/// Posts, and tells what comes back. Dropping this closes the connection.
pub(super) async fn run(exchange: ExchangeId, post: Post, events: Sender<Event>) {
    let tell = |event| drop(events.try_send(event));
    smol::Timer::after(post.after).await;
    let end = match answer(&post).await {
        // The connection lives as long as its task.
        Ok((response, pid, _connection)) => {
            if is_stream(&response) {
                tell(Event::Opened(exchange));
                let is_whole =
                    stream(response.into_body(), |json| tell(Event::Message(exchange, json))).await;
                if is_whole { End::Stream } else { broken(&post, pid, End::Stream).await }
            } else {
                whole(response).await
            }
        }
        Err(end) => end,
    };
    tell(Event::Ended(exchange, end));
}

/// What the next run of a server does not know is not to be repeated blindly.
const ENDED: &str = "it ended, and its next run does not know this call; look with list and receive whether it was done \
                     before you repeat it";

/// The end of an exchange whose connection broke off.
async fn broken(post: &Post, pid: Option<u32>, end: End) -> End {
    if post.place.has_ended(pid).await { End::Failed(ENDED.to_owned()) } else { end }
}

/// A driven connection.
type Connection = smol::Task<hyper::Result<()>>;

/// The head of the answer, the process that gave it, and the task that drives the connection.
async fn answer(post: &Post) -> Result<(Response<Incoming>, Option<u32>, Connection), End> {
    let found = post.place.find().await?;
    let stream =
        Async::<TcpStream>::connect(([127, 0, 0, 1], found.port)).await.map_err(|error| {
            match error.kind() {
                io::ErrorKind::ConnectionRefused => End::NotListening,
                _ => failed(error),
            }
        })?;
    let request = request(post, &found).map_err(failed)?;
    let (mut sender, connection) = http1::handshake(FuturesIo::new(stream)).await.map_err(failed)?;
    let connection = smol::spawn(connection);
    match sender.send_request(request).await {
        Ok(response) => Ok((response, found.pid, connection)),
        Err(error) => Err(broken(post, found.pid, failed(error)).await),
    }
}

fn request(post: &Post, found: &Found) -> Result<Request<Full<Bytes>>, hyper::http::Error> {
    let mut request = Request::post("/mcp").header(HOST, format!("127.0.0.1:{}", found.port));
    for (name, value) in &post.headers {
        request = request.header(*name, value);
    }
    let mut authorization = HeaderValue::try_from(&found.authorization)?;
    // Debug texts do not show it.
    authorization.set_sensitive(true);
    request.header(AUTHORIZATION, authorization).body(Full::new(Bytes::from(post.body.clone())))
}

fn is_stream(response: &Response<Incoming>) -> bool {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    kind.eq_ignore_ascii_case("text/event-stream")
}

/// Whether the stream came to its end.
async fn stream(mut body: Incoming, mut tell: impl FnMut(String)) -> bool {
    let mut events = Events::default();
    while let Some(frame) = body.frame().await {
        match frame {
            Ok(frame) => {
                if let Some(bytes) = frame.data_ref() {
                    events.push(bytes).into_iter().for_each(&mut tell);
                }
            }
            // A request that has its answer misses nothing; the others hear that there is none.
            Err(_) => return false,
        }
    }
    true
}

async fn whole(response: Response<Incoming>) -> End {
    let status = response.status().as_u16();
    let retry_after = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
    match Limited::new(response.into_body(), MAX_BODY).collect().await {
        Ok(body) => {
            let body = String::from_utf8_lossy(&body.to_bytes()).into_owned();
            End::Whole { status, retry_after, body }
        }
        Err(error) => End::Failed(error.to_string()),
    }
}

fn failed(error: impl Error) -> End {
    let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
    End::Failed(format!("{error}{cause}"))
}

//! The body of an answer. How it is dropped tells how the request ended.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use ::hyper::body::{Body, Bytes, Frame, SizeHint};

use super::connection::InFlight;
use super::service::Aborted;
use crate::http::requests::Part;

/// The body of an answer.
pub(super) struct Answer {
    source: Source,
    /// The request, when it is one that the machine knows of.
    request: Option<InFlight>,
}

enum Source {
    /// A whole text that hyper has not taken yet.
    Whole(Bytes),
    /// Parts that are still to come.
    Stream,
    /// hyper has all of it.
    Done,
}

impl Answer {
    pub(super) fn whole(text: String, request: Option<InFlight>) -> Self {
        let source = if text.is_empty() { Source::Done } else { Source::Whole(text.into()) };
        Self { source, request }
    }

    pub(super) fn stream(request: InFlight) -> Self {
        Self { source: Source::Stream, request: Some(request) }
    }
}

impl Body for Answer {
    type Data = Bytes;
    type Error = Aborted;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Aborted>>> {
        match &mut self.source {
            Source::Done => Poll::Ready(None),
            Source::Whole(bytes) => {
                let bytes = std::mem::take(bytes);
                self.source = Source::Done;
                Poll::Ready(Some(Ok(Frame::data(bytes))))
            }
            Source::Stream => {
                let Some(request) = &self.request else { return Poll::Ready(Some(Err(Aborted))) };
                match ready!(request.poll_part(context)) {
                    Part::Send(text) => Poll::Ready(Some(Ok(Frame::data(text.into())))),
                    Part::Close => {
                        self.source = Source::Done;
                        Poll::Ready(None)
                    }
                    Part::Abort | Part::Reply(_) | Part::Open(_) => Poll::Ready(Some(Err(Aborted))),
                }
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self.source, Source::Done)
    }

    fn size_hint(&self) -> SizeHint {
        match &self.source {
            Source::Whole(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Source::Stream => SizeHint::default(),
            Source::Done => SizeHint::with_exact(0),
        }
    }
}

impl Drop for Answer {
    /// hyper drops a body when it has written the last of it, or when the connection fails.
    fn drop(&mut self) {
        if let (Source::Done, Some(request)) = (&self.source, self.request.take()) {
            request.written();
        }
    }
}

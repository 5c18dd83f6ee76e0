//! The time that a request's head may take, with one timer for a connection.
//!
//! hyper waits anew with each request. A timer for each would be set and dropped thousands of times a second, and each
//! setting disturbs the thread that waits for sockets. Here a wait is a moment that is written down; the timer is set for
//! the first one, and when it fires and later ones have been written down meanwhile, for the last of them.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use ::hyper::rt::{Sleep, Timer};

/// The timer of a connection, to be polled before and after hyper.
#[derive(Debug, Default)]
pub(super) struct HeadTime {
    due: Due,
    timer: Option<async_io::Timer>,
}

/// The moment at which the wait that began last is over.
type Moment = Mutex<Option<Instant>>;

/// What hyper waits with.
#[derive(Clone, Debug, Default)]
pub(super) struct Due(Arc<Moment>);

/// One wait of hyper's. Whoever polls it is woken by [`HeadTime`].
struct Wait(Instant);

impl HeadTime {
    /// hyper's end.
    pub(super) fn of_hyper(&self) -> Due {
        self.due.clone()
    }

    /// Wakes the connection's task when a wait is over.
    pub(super) fn poll(&mut self, context: &mut Context<'_>) {
        loop {
            if self.timer.is_none() {
                self.timer = self.due.take().map(async_io::Timer::at);
            }
            let Some(timer) = &mut self.timer else { return };
            if Pin::new(timer).poll(context).is_pending() {
                return;
            }
            self.timer = None;
            context.waker().wake_by_ref();
        }
    }
}

impl Due {
    fn take(&self) -> Option<Instant> {
        self.moment(Option::take)
    }

    fn moment<R>(&self, act: impl FnOnce(&mut Option<Instant>) -> R) -> R {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Timer for Due {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Sleep>> {
        self.sleep_until(Instant::now() + duration)
    }

    fn sleep_until(&self, deadline: Instant) -> Pin<Box<dyn Sleep>> {
        self.moment(|moment| *moment = Some(deadline));
        Box::pin(Wait(deadline))
    }
}

impl Sleep for Wait {}

impl Future for Wait {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<()> {
        if self.0 <= Instant::now() { Poll::Ready(()) } else { Poll::Pending }
    }
}

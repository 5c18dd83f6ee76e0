//! Waiting for a program that went away.

use std::time::{Duration, Instant};

use super::connection::within;
use super::{Address, Broken, Connection};

/// The first pause between two tries; each is twice the one before.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
/// The least that a try gets.
const LAST_TRY: Duration = Duration::from_secs(1);
/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(4);

/// Finds `simplex-chat` again after its connection broke, or gives up when it stays away.
///
/// A connection that lasts less than the patience counts as absence: a program that accepts connections and drops them
/// is given up as one that is not there.
#[derive(Clone, Debug)]
pub struct Reconnect {
    address: Address,
    patience: Duration,
    away_since: Option<Instant>,
    /// How often it came back since then.
    came: u32,
}

impl Reconnect {
    /// Waits this long, at least 1 s, for the program at this address.
    pub const fn new(address: Address, patience: Duration) -> Self {
        Self { address, patience, away_since: None, came: 0 }
    }

    /// How long it waits.
    pub const fn patience(&self) -> Duration {
        self.patience
    }

    /// A new connection.
    ///
    /// # Errors
    ///
    /// The program stays away, or can't be used; one line with the remedy.
    pub async fn connect(&mut self, broken: &Broken) -> Result<Connection, String> {
        if !broken.again {
            let port = self.address.port();
            return Err(format!(
                "{}. Give --core the port of simplex-chat -p PORT, not {port}.",
                broken.reason
            ));
        }
        if broken.lasted >= self.patience {
            self.away_since = None;
            self.came = 0;
        }
        let since = *self.away_since.get_or_insert_with(Instant::now);
        let mut pause = FIRST_PAUSE;
        loop {
            let left = self.patience.saturating_sub(since.elapsed());
            if left.is_zero() {
                return Err(self.given_up());
            }
            smol::Timer::after(pause.min(left)).await;
            let left = self.patience.saturating_sub(since.elapsed()).max(LAST_TRY);
            match within(left, Connection::open(self.address)).await {
                Some(Ok(connection)) => {
                    self.came += 1;
                    return Ok(connection);
                }
                Some(Err(error)) if !error.again => return Err(error.to_string()),
                Some(Err(_)) | None => pause = (pause * 2).min(LONGEST_PAUSE),
            }
        }
    }

    fn given_up(&self) -> String {
        let (address, seconds, port) = (self.address, self.patience.as_secs(), self.address.port());
        let times = match self.came {
            0 => {
                return format!(
                    "simplex-chat at {address} stayed away for {seconds} s. Start simplex-chat -p {port}, then start \
                     this server again."
                );
            }
            1 => "once".to_owned(),
            more => format!("{more} times"),
        };
        format!(
            "simplex-chat at {address} came back {times} and did not stay for {seconds} s. See what its terminal says, \
             then start this server again."
        )
    }
}

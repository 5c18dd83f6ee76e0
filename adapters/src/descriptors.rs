//! How many files and sockets the process may have open.
//!
//! A shell gives 1,024, as many as there may be connections; then the SimpleX core could open neither its database nor
//! a socket, and whoever knows the port could bring that about without the token.

/// What is wanted: more than the connections, the core and the files need together.
const WANTED: u64 = 4_096;

/// What connections leave for the SimpleX core, the data folder and the threads.
const RESERVED: u64 = 256;

/// Lets the process open more, as far as the system lets it raise its own limit.
#[cfg(unix)]
pub fn raise() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.map_or(WANTED, |most| most.min(WANTED));
    if limit.current.is_some_and(|current| current < wanted) {
        // Where it stays as it is, there are fewer connections.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), ..limit });
    }
}

/// Lets the process open more: nothing limits it here.
#[cfg(not(unix))]
pub fn raise() {}

/// How many connections there may be, at most `most`: a quarter of all descriptors at least, and not those that others
/// need.
pub(crate) fn connections(most: usize) -> usize {
    capped(most, current())
}

#[cfg(unix)]
fn current() -> Option<u64> {
    rustix::process::getrlimit(rustix::process::Resource::Nofile).current
}

#[cfg(not(unix))]
fn current() -> Option<u64> {
    None
}

fn capped(most: usize, limit: Option<u64>) -> usize {
    let Some(limit) = limit else { return most };
    let left = limit.saturating_sub(RESERVED).max(limit / 4).max(1);
    usize::try_from(left).map_or(most, |left| left.min(most))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// HTTP-35: connections leave descriptors for everything else.
    #[test]
    fn connections_leave_descriptors() {
        for (limit, connections) in [
            (None, 1024),
            (Some(20_000), 1024),
            (Some(4_096), 1024),
            (Some(1_024), 768),
            (Some(256), 64),
            (Some(64), 16),
            (Some(0), 1),
        ] {
            assert_eq!(capped(1024, limit), connections, "{limit:?}");
        }
    }
}

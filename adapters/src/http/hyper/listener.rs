//! The listening socket.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use smol::Async;
use smol::future::FutureExt;

use super::{Shared, connection};

/// How long to wait after a connection could not be accepted (no descriptor is free): the next one would fail too.
const PAUSE: Duration = Duration::from_millis(50);

/// Connections that may wait to be accepted; the system may allow fewer.
#[cfg(unix)]
const QUEUE: i32 = 1024;

/// Binds a port of 127.0.0.1, and never another address.
pub(super) fn bind(port: u16) -> std::io::Result<(Async<TcpListener>, SocketAddr)> {
    let listener = Async::<TcpListener>::bind((Ipv4Addr::LOCALHOST, port))?;
    let address = listener.get_ref().local_addr()?;
    // The default queue is short: behind a crowd of connections, a client's would be tried again a second later.
    #[cfg(unix)]
    rustix::net::listen(listener.get_ref(), QUEUE)?;
    Ok((listener, address))
}

/// Accepts connections until the front end closes.
pub(super) async fn accept(listener: Async<TcpListener>, shared: Arc<Shared>) {
    loop {
        let accepted = async { Some(listener.accept().await) };
        let closed = async {
            let _ = shared.closing.recv().await;
            None
        };
        match accepted.or(closed).await {
            None => return,
            Some(Ok((stream, _))) => {
                if let Some(connection) = shared.connections.add(stream) {
                    smol::spawn(connection::run(connection, shared.clone())).detach();
                }
                // A crowd that waits to be accepted is always ready, and would hold up those that are served.
                smol::future::yield_now().await;
            }
            Some(Err(_)) => {
                smol::Timer::after(PAUSE).await;
            }
        }
    }
}

//! The network between a syncer and its hub: a relay that can be closed.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;

use anyhow::Result;

/// Both ends of every connection that is not over.
type UnderWay = Arc<Mutex<Vec<Weak<TcpStream>>>>;

/// A relay on an address of its own. It is closed for good when this is dropped.
#[derive(Debug)]
pub struct Road {
    address: SocketAddr,
    open: Arc<AtomicBool>,
    ends: Arc<AtomicBool>,
    under_way: UnderWay,
}

impl Road {
    /// One that leads to this address.
    ///
    /// # Errors
    /// If there is no port.
    pub fn to(server: &str) -> Result<Road> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let road = Road {
            address: listener.local_addr()?,
            open: Arc::new(AtomicBool::new(true)),
            ends: Arc::default(),
            under_way: Arc::default(),
        };
        let (open, ends, under_way) =
            (Arc::clone(&road.open), Arc::clone(&road.ends), Arc::clone(&road.under_way));
        let server = server.to_owned();
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                if ends.load(Ordering::SeqCst) {
                    return;
                }
                if !open.load(Ordering::SeqCst) {
                    continue;
                }
                let Ok(there) = TcpStream::connect(&server) else { continue };
                relay(client, there, &under_way);
            }
        });
        Ok(road)
    }

    /// Where it begins.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Nothing gets through from now on, not even on the connections that there are.
    pub fn close(&self) {
        self.open.store(false, Ordering::SeqCst);
        let streams = std::mem::take(&mut *self.under_way.lock().unwrap_or_else(PoisonError::into_inner));
        for stream in streams.iter().filter_map(Weak::upgrade) {
            // It may have ended by itself.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    /// Connections are let through again.
    pub fn open(&self) {
        self.open.store(true, Ordering::SeqCst);
    }
}

/// A file for each end, however many look at it: there are hundreds of connections where a watch is one.
fn relay(client: TcpStream, there: TcpStream, under_way: &UnderWay) {
    let ends = [Arc::new(client), Arc::new(there)];
    let mut all = under_way.lock().unwrap_or_else(PoisonError::into_inner);
    all.retain(|end| end.strong_count() > 0);
    all.extend(ends.iter().map(Arc::downgrade));
    drop(all);
    let [client, there] = ends;
    for (from, to) in [(Arc::clone(&client), Arc::clone(&there)), (there, client)] {
        thread::spawn(move || {
            let mut bytes = [0; 16 * 1024];
            while let Ok(count) = (&*from).read(&mut bytes) {
                if count == 0 || (&*to).write_all(&bytes[..count]).is_err() {
                    break;
                }
            }
            let _ = to.shutdown(Shutdown::Both);
            let _ = from.shutdown(Shutdown::Both);
        });
    }
}

impl Drop for Road {
    fn drop(&mut self) {
        self.ends.store(true, Ordering::SeqCst);
        self.close();
        // It waits for a connection, and looks then.
        let _ = TcpStream::connect(self.address);
    }
}

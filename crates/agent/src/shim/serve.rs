//! Requests and answers.

use std::io::{self, BufReader, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::keeper::Shared;
use super::state::Begun;
use crate::clock::Boottime;
use crate::launch::thread;
use crate::protocol::{Answer, Reason, Refusal, Request, Status, line, read_line};

/// How many may be connected. There is one agent, and it asks one thing at a time, and waits.
const MOST: usize = 32;
/// How long somebody may be connected and say nothing, or not hear.
const IDLE: Duration = Duration::from_secs(60);
/// How long a request may wait.
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// How long a start may take until it is known whether it can be run.
const LONGEST_START: Duration = Duration::from_secs(10);
/// How soon somebody is accepted again when that went wrong (too many files are open).
const AGAIN: Duration = Duration::from_millis(100);

/// Serves whoever connects.
pub(super) fn open(listener: UnixListener, shared: &Arc<Shared>) -> io::Result<()> {
    let shared = Arc::clone(shared);
    let connected = Arc::new(AtomicUsize::new(0));
    thread("accept", move || {
        loop {
            match listener.accept() {
                Ok((stream, _)) => receive(stream, &shared, &connected),
                Err(_) => std::thread::sleep(AGAIN),
            }
        }
    })?;
    Ok(())
}

fn receive(stream: UnixStream, shared: &Arc<Shared>, connected: &Arc<AtomicUsize>) {
    if connected.fetch_add(1, Ordering::Relaxed) >= MOST {
        connected.fetch_sub(1, Ordering::Relaxed);
        let busy = Answer::Refused(Refusal::new(Reason::Busy, format!("{MOST} are connected already")));
        // Who does not hear it sees that it is cut off.
        let _ = stream.set_write_timeout(Some(AGAIN)).and_then(|()| send(&stream, &busy));
        return;
    }
    let (shared, counted) = (Arc::clone(shared), Arc::clone(connected));
    let served = thread("serve", move || {
        // Who goes away has nothing to be told.
        let _ = converse(&stream, &shared);
        counted.fetch_sub(1, Ordering::Relaxed);
    });
    if served.is_err() {
        connected.fetch_sub(1, Ordering::Relaxed);
    }
}

fn converse(stream: &UnixStream, shared: &Shared) -> io::Result<()> {
    stream.set_read_timeout(Some(IDLE))?;
    stream.set_write_timeout(Some(IDLE))?;
    let mut reader = BufReader::new(stream);
    loop {
        let answer = match read_line(&mut reader) {
            Ok(Some(line)) => {
                shared.lock().unanswered += 1;
                match Request::parse(&line).and_then(|request| perform(request, shared)) {
                    Ok(status) => Answer::Status(status),
                    Err(refusal) => Answer::Refused(refusal),
                }
            }
            Ok(None) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                // Where the next request begins is not known.
                return send(stream, &Answer::Refused(Refusal::new(Reason::Bad, error.to_string())));
            }
            Err(error) => return Err(error),
        };
        let sent = send(stream, &answer);
        let mut kept = shared.lock();
        kept.unanswered = kept.unanswered.saturating_sub(1);
        shared.notify();
        drop(kept);
        sent?;
    }
}

fn send(mut stream: &UnixStream, answer: &Answer) -> io::Result<()> {
    stream.write_all(&line(answer)?)
}

fn perform(request: Request, shared: &Shared) -> Result<Status, Refusal> {
    let mut kept = shared.lock();
    let now = Boottime::now();
    match request {
        Request::Status => {}
        Request::Wait { change, within_ms } => {
            let until = now.after(Duration::from_millis(within_ms).min(LONGEST_WAIT));
            while kept.change() == change && Boottime::now() < until {
                kept = shared.wait(kept, until.since(Boottime::now()));
            }
        }
        Request::Start { launch, fence } => {
            let begun = kept.start(now, launch, fence)?;
            shared.notify();
            let until = now.after(LONGEST_START);
            while let Begun::Asked(number) = begun {
                if let Some(answer) = kept.answer(number) {
                    answer?;
                    break;
                }
                // It starts yet, and its status says so.
                if Boottime::now() >= until {
                    break;
                }
                kept = shared.wait(kept, until.since(Boottime::now()));
            }
        }
        Request::Extend { fence } => kept.extend(fence),
        Request::Stop { grace_ms } => kept.stop(now, Duration::from_millis(grace_ms)),
        Request::Kill => kept.kill(),
        Request::End => kept.end()?,
    }
    shared.notify();
    Ok(kept.status(Boottime::now()))
}

//! What the software is told that it is: a file that is replaced as a whole, and a call if it wants one.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{Method, Request, Uri};
use http_body_util::Full;
use serde::{Deserialize, Serialize};

use crate::clock::Boottime;
use crate::home::Home;
use crate::http::{address, send};
use crate::protocol::Env;

/// What the software is, and may do.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Duties {
    /// Its group.
    pub group: String,
    /// Its member.
    pub member: String,
    /// Its version.
    pub version: String,
    /// Goes up with everything that is new in it.
    pub revision: u64,
    /// The devices that it is the master of.
    pub devices: Vec<Device>,
    /// The partitions, and who is in them.
    pub partitions: Vec<Partition>,
    /// Until when all this holds, on `CLOCK_BOOTTIME` in milliseconds; none is until something else is said.
    pub deadline: Option<Boottime>,
}

/// A device that the software is the master of.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Device {
    /// What it is called.
    pub name: String,
    /// The device refuses smaller ones.
    pub epoch: u64,
}

/// A partition.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Partition {
    /// What it is called.
    pub name: String,
    /// Who is in it.
    pub members: Vec<String>,
}

/// What became of it that the software was told.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Told {
    /// It is in the file, and the software wants no call.
    Written,
    /// The software acts by this revision.
    Heard {
        /// The revision that it named.
        revision: u64,
    },
    /// It is in the file, and the call did not reach the software, or was not answered as it should.
    Unheard {
        /// Why.
        why: String,
    },
}

/// What a call is answered with.
#[derive(Deserialize)]
struct Receipt {
    revision: u64,
}

impl Duties {
    /// What is in the environment of the software: who it is, and where the rest is said.
    pub fn env(home: &Home, group: &str, member: &str, version: &str) -> Env {
        let duties = home.duties();
        Env::from([
            ("BOWLINE_GROUP", group),
            ("BOWLINE_MEMBER", member),
            ("BOWLINE_VERSION", version),
            ("BOWLINE_DUTIES", &duties.to_string_lossy()),
        ])
    }

    /// Replaces the file. Who reads it finds what was, or what is, and never a part; also after the machine lost its power.
    ///
    /// # Errors
    /// If it cannot be written; it is as it was then, or as it is to be.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let Some(directory) = path.parent() else { return Err(io::ErrorKind::InvalidInput.into()) };
        let mut text = serde_json::to_vec(self)?;
        text.push(b'\n');
        // One agent writes it. What one that was killed has left is written over.
        let new = path.with_extension("json.new");
        let mut file = OpenOptions::new().create(true).write(true).truncate(true).mode(0o600).open(&new)?;
        file.write_all(&text)?;
        file.sync_all()?;
        fs::rename(&new, path)?;
        File::open(directory)?.sync_all()
    }

    /// Tells it to the software: in the file, and by a POST to this address if there is one.
    ///
    /// # Errors
    /// If the file cannot be written; then there is no call either.
    pub async fn tell(&self, home: &Home, notify: Option<&Notify>) -> io::Result<Told> {
        let (duties, path) = (self.clone(), home.duties());
        let written = tokio::task::spawn_blocking(move || duties.write(&path)).await;
        written.map_err(io::Error::other)??;
        Ok(self.announce(notify).await)
    }

    /// Lets the software know of what is in the file, by a POST to this address if there is one.
    pub async fn announce(&self, notify: Option<&Notify>) -> Told {
        match notify {
            None => Told::Written,
            Some(notify) => match self.post(notify).await {
                Ok(revision) => Told::Heard { revision },
                Err(why) => Told::Unheard { why },
            },
        }
    }

    async fn post(&self, notify: &Notify) -> Result<u64, String> {
        let body = serde_json::to_vec(self).map_err(|error| error.to_string())?;
        let request = Request::builder().method(Method::POST).uri(notify.address.clone());
        let request = request.header(CONTENT_TYPE, "application/json").body(Full::new(Bytes::from(body)));
        let answered = send(request.map_err(|error| error.to_string())?, notify.timeout).await?;
        if !(200..300).contains(&answered.status) {
            return Err(format!("it answered with status {}", answered.status));
        }
        let receipt: Result<Receipt, _> = serde_json::from_slice(&answered.body);
        receipt.map(|receipt| receipt.revision).map_err(|_| "its answer is not {\"revision\": N}".to_owned())
    }
}

/// Where the software wants to be called.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Notify {
    address: Uri,
    timeout: Duration,
}

impl Notify {
    /// At this `http://` address, with so much time to answer.
    ///
    /// # Errors
    /// If it is no such address.
    pub fn at(address_of: &str, timeout: Duration) -> Result<Notify, String> {
        let uri: Uri =
            address_of.parse().map_err(|error| format!("{address_of:?} is no address: {error}"))?;
        address(&uri)?;
        Ok(Notify { address: uri, timeout })
    }
}

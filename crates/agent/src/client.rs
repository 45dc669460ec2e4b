//! The agent's side of a shim: finds it by its directory, or starts it.

use std::io;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::clock::Boottime;
use crate::home::{Home, HomeError};
use crate::launch::thread;
use crate::protocol::{Answer, Fence, Launch, MAX_LINE_BYTES, Refusal, Request, Status, line};
use crate::{roles, shim};

/// How long an answer may take that need not wait for anything.
const ANSWER: Duration = Duration::from_secs(5);
/// How long a start may take: the shim itself gives up waiting before.
const START: Duration = Duration::from_secs(15);
/// How long a shim may take until it listens: it kills first what one before it has left.
const BEGIN: Duration = Duration::from_secs(20);
/// How long a shim may take to die that was killed: some of its threads still listen when others are dead already.
const DYING: Duration = Duration::from_secs(2);
/// How soon a shim is looked for again that holds the directory and does not listen yet.
const AGAIN: Duration = Duration::from_millis(20);

/// The shim of a directory.
#[derive(Clone, Debug)]
pub struct Shim {
    home: Home,
}

/// A shim did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum ShimError {
    /// The directory cannot be a member's.
    #[error(transparent)]
    Home(#[from] HomeError),
    /// There is none.
    #[error("no shim runs in {0}")]
    None(String),
    /// None could be started.
    #[error("the shim does not start: {0}")]
    Start(String),
    /// It said no, and has done nothing.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// It is not known whether it was done: the shim does not answer, or not in our words.
    #[error("the shim does not answer: {0}")]
    Unknown(String),
}

impl Shim {
    /// The shim of this directory, whether there is one or not.
    pub fn of(home: Home) -> Shim {
        Shim { home }
    }

    /// The directory.
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// Starts the shim if there is none. It goes on when we end, whatever ends us.
    ///
    /// # Errors
    /// If there is none after that.
    pub async fn open(&self) -> Result<Status, ShimError> {
        let now = Boottime::now();
        let (end, dying) = (now.after(BEGIN), now.after(DYING));
        loop {
            match self.status().await {
                Err(ShimError::None(_)) => {}
                Err(ShimError::Unknown(_)) if Boottime::now() < dying => {
                    tokio::time::sleep(AGAIN).await;
                    continue;
                }
                other => return other,
            }
            self.home.prepare()?;
            let said = self.begin().await.map_err(ShimError::Start)?;
            // Another agent may have been as quick as we, and its shim does as well, once it listens; or the one before us is
            // about to go.
            let is_held = said == HomeError::Held(self.home.path().to_owned()).to_string();
            match said.as_str() {
                shim::READY => {}
                _ if is_held && Boottime::now() < end => tokio::time::sleep(AGAIN).await,
                _ => return Err(ShimError::Start(said)),
            }
        }
    }

    /// Starts a shim, and says what it says.
    async fn begin(&self) -> Result<String, String> {
        let mut command = roles::command("shim");
        command.arg(self.home.path()).stdin(Stdio::null()).stderr(Stdio::null());
        let (send, ran) = oneshot::channel();
        // A process is waited for by a thread of its own: nothing here may hold up what else the agent does.
        let began = thread("shim", move || {
            // Nobody may be waiting any more.
            let _ = send.send(command.output());
        });
        began.map_err(|error| error.to_string())?;
        match timeout(BEGIN, ran).await {
            Ok(Ok(Ok(output))) => Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned()),
            Ok(Ok(Err(error))) => Err(error.to_string()),
            Ok(Err(_)) | Err(_) => Err(format!("nothing is heard of it for {BEGIN:?}")),
        }
    }

    /// What runs.
    ///
    /// # Errors
    /// If it is not known.
    pub async fn status(&self) -> Result<Status, ShimError> {
        self.ask(&Request::Status, ANSWER).await
    }

    /// What runs, as soon as it is something else than at this change, or after some time.
    ///
    /// # Errors
    /// If it is not known.
    pub async fn wait(&self, change: u64, within: Duration) -> Result<Status, ShimError> {
        let within_ms = crate::clock::millis(within);
        self.ask(&Request::Wait { change, within_ms }, within.saturating_add(ANSWER)).await
    }

    /// Lets it run, if it does not.
    ///
    /// # Errors
    /// If something else runs, it is too late, it cannot be run here; or it is not known.
    pub async fn start(&self, launch: Launch, fence: Fence) -> Result<Status, ShimError> {
        self.ask(&Request::Start { launch, fence }, START).await
    }

    /// Lets it run until then.
    ///
    /// # Errors
    /// If it is not known whether that was heard.
    pub async fn extend(&self, fence: Fence) -> Result<Status, ShimError> {
        self.ask(&Request::Extend { fence }, ANSWER).await
    }

    /// Asks it to end, and kills it after some time. It is under way when this comes back.
    ///
    /// # Errors
    /// If it is not known whether that was heard.
    pub async fn stop(&self, grace: Duration) -> Result<Status, ShimError> {
        self.ask(&Request::Stop { grace_ms: crate::clock::millis(grace) }, ANSWER).await
    }

    /// Kills it. It is under way when this comes back.
    ///
    /// # Errors
    /// If it is not known whether that was heard.
    pub async fn kill(&self) -> Result<Status, ShimError> {
        self.ask(&Request::Kill, ANSWER).await
    }

    /// Lets the shim go away. If there is none, that is well too.
    ///
    /// # Errors
    /// If something runs; or it is not known whether that was heard.
    pub async fn end(&self) -> Result<(), ShimError> {
        match self.ask(&Request::End, ANSWER).await {
            Ok(_) | Err(ShimError::None(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    async fn ask(&self, request: &Request, most: Duration) -> Result<Status, ShimError> {
        let unknown = |error: io::Error| ShimError::Unknown(error.to_string());
        let asked = async {
            let mut stream = self.connect().await?;
            stream.write_all(&line(request).map_err(unknown)?).await.map_err(unknown)?;
            let mut answer = Vec::new();
            let longest = u64::try_from(MAX_LINE_BYTES).unwrap_or(u64::MAX);
            let mut reader = BufReader::new(stream).take(longest);
            reader.read_until(b'\n', &mut answer).await.map_err(unknown)?;
            if !answer.ends_with(b"\n") {
                return Err(ShimError::Unknown("it ended in the middle of it".to_owned()));
            }
            serde_json::from_slice(&answer).map_err(|error| ShimError::Unknown(error.to_string()))
        };
        match timeout(most, asked).await {
            Ok(Ok(Answer::Status(status))) => Ok(status),
            Ok(Ok(Answer::Refused(refusal))) => Err(refusal.into()),
            Ok(Err(error)) => Err(error),
            Err(_) => Err(ShimError::Unknown(format!("it took more than {most:?}"))),
        }
    }

    async fn connect(&self) -> Result<UnixStream, ShimError> {
        use io::ErrorKind::{ConnectionRefused, NotFound};
        match UnixStream::connect(self.home.socket()).await {
            Ok(stream) => Ok(stream),
            // There is a socket of one that was killed, or not even that.
            Err(error) if matches!(error.kind(), NotFound | ConnectionRefused) => {
                Err(ShimError::None(self.home.path().display().to_string()))
            }
            Err(error) => Err(ShimError::Unknown(error.to_string())),
        }
    }
}

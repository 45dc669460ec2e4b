//! What an agent and a shim say to each other: one request to a line, one answer to a line, in JSON.
//!
//! A shim lives longer than the agent that started it, and may be of an older version of bowline. So it refuses what it does not
//! know, fields included, instead of passing over it; and who reads its answers passes over what is new in them.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, BufRead, Read};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::clock::Boottime;

/// The longest line. A kernel takes no more than 2 MiB of arguments and environment either.
pub const MAX_LINE_BYTES: usize = 1 << 20;
/// What this shim speaks.
pub const PROTOCOL: u32 = 1;

/// What an agent asks of a shim.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase", deny_unknown_fields)]
pub enum Request {
    /// What runs?
    Status,
    /// What runs, as soon as it is something else than at this change?
    Wait {
        /// The change that is known.
        change: u64,
        /// An answer is given after this time at the latest.
        within_ms: u64,
    },
    /// Let this run. If it does, nothing is done; if something else does, that is refused.
    Start {
        /// What.
        launch: Launch,
        /// Until when.
        fence: Fence,
    },
    /// Let it run until then.
    Extend {
        /// Until when.
        fence: Fence,
    },
    /// Ask it to end, and kill it if it has not after some time.
    Stop {
        /// How long it has.
        grace_ms: u64,
    },
    /// Kill it.
    Kill,
    /// Go away; nothing may be running.
    End,
}

/// Until when software may run. The later order counts, whenever it arrives: what was sent before and comes after it changes
/// nothing, so that a deadline is never moved by accident.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fence {
    /// Which order it is, counted from 1.
    pub order: u64,
    /// When it is killed; none is never.
    pub deadline: Option<Boottime>,
}

/// What is to run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Launch {
    /// What its version is called.
    pub version: String,
    /// The program: a path, or a name that is looked for in `PATH`.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Its environment, beside the little that every process gets.
    pub env: Env,
    /// Where it works; none is `/`.
    pub directory: Option<PathBuf>,
    /// How long it has to end when the shim itself is told to.
    pub grace_ms: u64,
    /// What is kept of what it prints.
    pub log: Limits,
}

/// Variables of an environment. Their values may be secrets, and are not printed.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Env(pub BTreeMap<String, String>);

impl fmt::Debug for Env {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl<const N: usize> From<[(&str, &str); N]> for Env {
    fn from(pairs: [(&str, &str); N]) -> Env {
        Env(pairs.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
    }
}

/// How much of a log is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// How long a file gets.
    pub bytes: u64,
    /// How many files there are, the one that is written included.
    pub files: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { bytes: 10 << 20, files: 5 }
    }
}

/// What a shim answers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// It was done, or is under way; so it is now.
    Status(Status),
    /// It was not done.
    Refused(Refusal),
}

/// Why something was not done.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// For programs.
    pub reason: Reason,
    /// For people.
    pub message: String,
}

impl Refusal {
    pub(crate) fn new(reason: Reason, message: impl Into<String>) -> Refusal {
        Refusal { reason, message: message.into() }
    }
}

/// Why something was not done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Reason {
    /// It is no request, or asks for what cannot be.
    Bad,
    /// Something else runs.
    Another,
    /// Something runs.
    Running,
    /// The deadline has passed.
    Late,
    /// The program cannot be run on this node.
    CannotStart,
    /// The shim goes away.
    Ending,
    /// Too many ask at once.
    Busy,
    /// Something that this agent does not know.
    #[serde(other)]
    Other,
}

/// What a shim knows.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Status {
    /// What it speaks.
    pub protocol: u32,
    /// Its process.
    pub shim: u32,
    /// Goes up with everything that changes but the fence.
    pub change: u64,
    /// Its clock when it said so.
    pub now: Boottime,
    /// Until when something may run. Order 0 is none that anybody gave.
    pub fence: Fence,
    /// What runs, or ran last.
    pub run: Option<Run>,
}

/// Something that runs, or ran.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Run {
    /// What its version is called.
    pub version: String,
    /// Where it is with it.
    pub phase: Phase,
    /// Its process, which leads a group of its own.
    pub pid: Option<u32>,
    /// When it was started.
    pub since: Boottime,
    /// How many times this version was started again since another one was, or since the shim was.
    pub restarts: u32,
    /// How it ended.
    pub end: Option<End>,
}

/// Where something is that was started.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Phase {
    /// It is not known yet whether it can be run.
    Starting,
    /// It runs.
    Running,
    /// It was told to end, or has ended and left something behind that is not gone yet.
    Stopping,
    /// Nothing of it is left.
    Ended,
}

/// How something ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct End {
    /// In the words of the system.
    pub exit: Exit,
    /// Who wanted it.
    pub cause: Cause,
    /// When nothing of it was left.
    pub at: Boottime,
}

/// How a process ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Exit {
    /// By itself, with this code.
    Code(i32),
    /// By this signal.
    Signal(i32),
    /// It never began, for this reason.
    NotStarted(String),
}

/// Who wanted something to end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Cause {
    /// It did by itself.
    Itself,
    /// It was asked to, and did.
    Stop,
    /// It was asked to, and had to be killed.
    Grace,
    /// Somebody had it killed.
    Kill,
    /// Nobody said in time that it may go on.
    Deadline,
}

impl Request {
    /// Reads a line.
    ///
    /// # Errors
    /// If it is no request that can be carried out.
    pub fn parse(line: &[u8]) -> Result<Request, Refusal> {
        let bad = |message: String| Refusal::new(Reason::Bad, message);
        if line.len() > MAX_LINE_BYTES {
            return Err(bad(format!("a request has at most {MAX_LINE_BYTES} bytes")));
        }
        // What the reader says of a text has its value in it, and that may be a secret: only the place is told.
        let request: Request = serde_json::from_slice(line).map_err(|error| match error.classify() {
            serde_json::error::Category::Data => bad(format!(
                "it is no request that this shim knows (column {}): it speaks protocol {PROTOCOL}",
                error.column()
            )),
            _ => bad(format!("it is not JSON (column {})", error.column())),
        })?;
        if let Request::Start { launch, .. } = &request {
            launch.check().map_err(bad)?;
        }
        Ok(request)
    }
}

impl Launch {
    /// Whether it is the same that would run. How long it may take to end, and what is kept of what it prints, is not part of
    /// that.
    pub(crate) fn is_same(&self, other: &Launch) -> bool {
        let Launch { version, command, args, env, directory, grace_ms: _, log: _ } = self;
        (version, command, args, env, directory)
            == (&other.version, &other.command, &other.args, &other.env, &other.directory)
    }

    /// What no kernel would take is not tried.
    fn check(&self) -> Result<(), String> {
        if self.command.is_empty() {
            return Err("the command is empty".to_owned());
        }
        if self.version.is_empty() || self.version.len() > 253 || self.version.chars().any(char::is_control) {
            return Err("the version is not 1 to 253 letters".to_owned());
        }
        let directory = self.directory.iter().filter_map(|path| path.to_str());
        let texts = std::iter::once(self.command.as_str()).chain(self.args.iter().map(String::as_str));
        if texts.chain(directory).any(|text| text.contains('\0')) {
            return Err("the command or an argument has a zero byte in it".to_owned());
        }
        let bad = |(name, value): (&String, &String)| {
            name.is_empty() || name.contains(['=', '\0']) || value.contains('\0')
        };
        match self.env.0.iter().find(|(name, value)| bad((name, value))) {
            Some((name, _)) => Err(format!("the variable {name:?} of its environment cannot be set")),
            None => Ok(()),
        }
    }
}

/// A line of JSON.
pub(crate) fn line(message: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    Ok(line)
}

/// Reads a line, without its end. None is the end of it all.
///
/// # Errors
/// If it cannot be read, or is longer than a line may be.
pub(crate) fn read_line(reader: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let most = u64::try_from(MAX_LINE_BYTES + 1).unwrap_or(u64::MAX);
    reader.take(most).read_until(b'\n', &mut line)?;
    match line.pop() {
        None => Ok(None),
        Some(b'\n') => Ok(Some(line)),
        Some(_) if line.len() >= MAX_LINE_BYTES => Err(io::Error::new(
            io::ErrorKind::InvalidData,
            format!("a line of more than {MAX_LINE_BYTES} bytes"),
        )),
        // Who goes away in the middle of a line has asked for nothing.
        Some(_) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch() -> Launch {
        Launch {
            version: "v1".into(),
            command: "/bin/true".into(),
            args: vec!["-x".into()],
            env: Env::from([("TOKEN", "s3kr1t")]),
            directory: None,
            grace_ms: 100,
            log: Limits::default(),
        }
    }

    fn parsed(request: &Request) -> Result<Request, Refusal> {
        Request::parse(&serde_json::to_vec(request).expect("JSON"))
    }

    #[test]
    fn every_request_goes_round() {
        let fence = Fence { order: 3, deadline: Some(Boottime(5)) };
        for request in [
            Request::Status,
            Request::Wait { change: 3, within_ms: 10 },
            Request::Start { launch: launch(), fence },
            Request::Extend { fence: Fence { deadline: None, ..fence } },
            Request::Stop { grace_ms: 10 },
            Request::Kill,
            Request::End,
        ] {
            assert_eq!(parsed(&request), Ok(request));
        }
        assert_eq!(Request::parse(br#"{"do":"stop","grace_ms":7}"#), Ok(Request::Stop { grace_ms: 7 }));
    }

    #[test]
    fn what_is_not_known_is_refused_and_no_value_is_told() {
        for line in [
            "",
            "{}",
            "[]",
            r#"{"do":"dance"}"#,
            r#"{"do":"stop"}"#,
            r#"{"do":"stop","grace_ms":-1}"#,
            r#"{"do":"stop","grace_ms":1,"gently":true}"#,
            r#"{"do":"extend","fence":{"order":"s3kr1t","deadline":null}}"#,
            r#"{"do":"extend","fence":{"order":1,"deadline":null,"more":"s3kr1t"}}"#,
        ] {
            let refusal = Request::parse(line.as_bytes()).expect_err(line);
            assert_eq!(refusal.reason, Reason::Bad);
            assert!(!refusal.message.contains("s3kr1t"), "{refusal}");
        }
    }

    #[test]
    fn what_no_kernel_takes_is_refused() {
        let fence = Fence { order: 1, deadline: None };
        let refused = |change: &dyn Fn(&mut Launch)| {
            let mut launch = launch();
            change(&mut launch);
            parsed(&Request::Start { launch, fence }).expect_err("it is bad").message
        };
        assert!(refused(&|launch| launch.command.clear()).contains("empty"));
        assert!(refused(&|launch| launch.args.push("a\0b".into())).contains("zero byte"));
        assert!(refused(&|launch| launch.env = Env::from([("A=B", "x")])).contains("A=B"));
        let told = refused(&|launch| launch.env = Env::from([("A", "s3kr1t\0")]));
        assert!(told.contains("\"A\"") && !told.contains("s3kr1t"), "{told}");
        assert!(refused(&|launch| launch.version = "a\nb".into()).contains("version"));
    }

    #[test]
    fn an_environment_is_printed_without_its_values() {
        let printed = format!("{:?}", launch());
        assert!(printed.contains("TOKEN") && !printed.contains("s3kr1t"), "{printed}");
    }

    #[test]
    fn an_answer_of_a_newer_shim_is_read() {
        let refused = r#"{"refused":{"reason":"somethingNew","message":"no","more":1}}"#;
        let Ok(Answer::Refused(refusal)) = serde_json::from_str(refused) else { panic!("it is read") };
        assert_eq!(refusal, Refusal::new(Reason::Other, "no"));
    }

    #[test]
    fn lines_are_read_one_by_one_and_have_an_end() {
        let mut input: &[u8] = b"a\n\nbc\nhalf";
        let mut next = || read_line(&mut input).expect("it is read");
        assert_eq!(next(), Some(b"a".to_vec()));
        assert_eq!(next(), Some(Vec::new()));
        assert_eq!(next(), Some(b"bc".to_vec()));
        assert_eq!(next(), None);
        let long = vec![b'x'; MAX_LINE_BYTES + 1];
        assert!(read_line(&mut long.as_slice()).is_err());
        let mut longest = vec![b'x'; MAX_LINE_BYTES];
        longest.push(b'\n');
        assert_eq!(
            read_line(&mut longest.as_slice()).expect("it is read").map(|line| line.len()),
            Some(MAX_LINE_BYTES)
        );
    }
}

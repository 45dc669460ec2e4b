//! The last moment before a program becomes what it is to be: it is told to die with who started it.
//!
//! `bowline agent launch PARENT -- COMMAND…` is started in place of the command, and becomes it. Only a process itself can ask
//! for the death of its parent to be its own (`PR_SET_PDEATHSIG`), and what runs between a fork and an exec in a process with
//! threads cannot be written without `unsafe`.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::thread;

use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;
use nix::unistd::{Pid, getppid};

use crate::protocol::Env;
use crate::roles;

/// What everybody gets of our environment. The rest of it may hold what is ours alone.
const INHERITED: [&str; 9] = ["HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TMPDIR", "TZ", "USER"];
/// How a program ends that is not there, by an old custom.
const NOT_FOUND: u8 = 127;
/// How much is read of why a program cannot be run.
const MOST_WORDS: u64 = 4 << 10;

/// What is to be run.
pub(crate) struct Program<'a> {
    pub(crate) command: &'a str,
    pub(crate) args: &'a [String],
    pub(crate) env: &'a Env,
    pub(crate) directory: Option<&'a Path>,
    /// By which it is known later, and all that it starts.
    pub(crate) mark: Option<&'a str>,
}

/// What was started, and what there is of it.
pub(crate) struct Launched {
    pub(crate) child: Child,
    /// What it prints, to stdout and to stderr, in its order.
    pub(crate) output: PipeReader,
    /// Why it cannot be run, if it cannot.
    pub(crate) report: Report,
}

/// Why a program cannot be run: known when it runs, or has ended.
pub(crate) struct Report(PipeReader);

impl Report {
    /// Waits until it is known.
    pub(crate) fn read(self) -> Result<(), String> {
        let mut why = Vec::new();
        match self.0.take(MOST_WORDS).read_to_end(&mut why) {
            Ok(0) => Ok(()),
            Ok(_) => Err(String::from_utf8_lossy(&why).into_owned()),
            Err(error) => Err(format!("it is not known whether it runs: {error}")),
        }
    }
}

impl Program<'_> {
    /// Starts it, in a group of processes of its own. It dies with the thread that calls this.
    pub(crate) fn launch(&self) -> Result<Launched, String> {
        self.spawn().map_err(|error| match self.directory {
            Some(directory) if !directory.is_dir() => {
                format!("{} is no directory on this node, and it is to work there", directory.display())
            }
            _ => format!("no process can be started: {error}"),
        })
    }

    fn spawn(&self) -> io::Result<Launched> {
        let (report, reporter) = io::pipe()?;
        let (output, printer): (_, PipeWriter) = io::pipe()?;
        let mut command = roles::command("launch");
        command.arg(Pid::this().to_string()).arg("--").arg(self.command).args(self.args);
        command.env_clear().envs(inherited()).envs(&self.env.0);
        if let Some(mark) = self.mark {
            command.env(crate::processes::MARK, mark);
        }
        // It reports through what will be its input, and is not when it runs.
        command.stdin(reporter).stdout(printer.try_clone()?).stderr(printer);
        command.current_dir(self.directory.unwrap_or(Path::new("/"))).process_group(0);
        Ok(Launched { child: command.spawn()?, output, report: Report(report) })
    }
}

/// What is inherited of an environment.
pub(crate) fn inherited() -> impl Iterator<Item = (&'static str, OsString)> {
    INHERITED.into_iter().filter_map(|name| Some((name, std::env::var_os(name)?)))
}

/// Becomes the command, and comes back only if that cannot be.
pub(crate) fn main(args: &[OsString]) -> ExitCode {
    // Nobody but us reads it, so that it is not open in what the command will be.
    let Ok(report) = io::stdin().as_fd().try_clone_to_owned() else { return ExitCode::from(NOT_FOUND) };
    let why = match args {
        [parent, dashes, command, args @ ..] if dashes == "--" => becoming(parent, command, args),
        _ => "launch takes a process, `--`, and a command".to_owned(),
    };
    // If nobody reads it, there is nobody to tell.
    let _ = File::from(report).write_all(why.as_bytes());
    ExitCode::from(NOT_FOUND)
}

/// Why the command cannot be run.
fn becoming(parent: &OsStr, command: &OsStr, args: &[OsString]) -> String {
    if let Err(error) = set_pdeathsig(Signal::SIGKILL) {
        return format!("it cannot be made to die with its parent: {error}");
    }
    // It may have died before we asked.
    if parent.to_str().and_then(|parent| parent.parse().ok()).map(Pid::from_raw) != Some(getppid()) {
        return "who started it is gone".to_owned();
    }
    let error = Command::new(command).args(args).stdin(Stdio::null()).exec();
    cannot(&command.to_string_lossy(), &error)
}

fn cannot(command: &str, error: &io::Error) -> String {
    let mut why = format!("the command {command:?} cannot be run on this node: ");
    let file = Path::new(command);
    let said = match error.kind() {
        io::ErrorKind::NotFound if !command.contains('/') => {
            let path = std::env::var("PATH").unwrap_or_default();
            write!(why, "there is no program of this name in PATH ({path})")
        }
        io::ErrorKind::NotFound if file.exists() => {
            write!(why, "it is there, but the interpreter or loader that it names is not")
        }
        io::ErrorKind::NotFound => write!(why, "there is no such file"),
        io::ErrorKind::PermissionDenied if file.is_dir() => write!(why, "it is a directory"),
        io::ErrorKind::PermissionDenied => write!(why, "it may not be executed (chmod +x?)"),
        _ => write!(why, "{error}"),
    };
    match said {
        Ok(()) => why,
        Err(fmt) => fmt.to_string(),
    }
}

/// Starts a thread. Without threads nothing here can be done.
pub(crate) fn thread<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<thread::JoinHandle<T>> {
    thread::Builder::new().name(name.to_owned()).stack_size(256 << 10).spawn(work)
}

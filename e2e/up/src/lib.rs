//! `bowline` as people use it: `up` and `controllers` as processes, and the commands beside them.

mod example;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use bowline_e2e_homes::{Home, Kind};
use bowline_e2e_hub::{Hub, Kubectl, Role, Said, Scratch, bowline};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

pub use example::as_the_example;

/// How long anything may take, before a test is taken to have failed.
const LIMIT: Duration = Duration::from_secs(300);

/// Waits until something is so. What is said last is shown if it never is.
///
/// # Errors
/// If it is not within five minutes.
pub fn until(what: &str, mut is: impl FnMut() -> Result<Result<(), String>>) -> Result<()> {
    let start = Instant::now();
    loop {
        let Err(instead) = is()? else { return Ok(()) };
        ensure!(start.elapsed() < LIMIT, "{what}: {instead}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Where controllers run, and what they run against.
pub struct Place {
    // Before the directory: it is in use until the processes are gone.
    runs: Runs,
    scratch: Scratch,
}

enum Runs {
    /// `bowline up`.
    Up(Hub),
    /// `bowline controllers`, against a real Kubernetes.
    Controllers(Controllers, Home),
}

impl Place {
    /// Hub and controllers on an empty directory, or controllers on an empty Kubernetes.
    ///
    /// # Errors
    /// If they do not start.
    pub fn start(kind: Kind) -> Result<Place> {
        let scratch = Scratch::new(&format!("up-{kind}"))?;
        let runs = match kind {
            Kind::Embedded => Runs::Up(Hub::start_as(bowline(), Role::Up, &scratch.join("data"))?),
            Kind::Kubernetes => {
                let home = Home::start(kind)?;
                Runs::Controllers(Controllers::start(&home.kubeconfig())?, home)
            }
        };
        Ok(Place { runs, scratch })
    }

    /// These controllers, on a home that somebody has started.
    ///
    /// # Errors
    /// If there is no directory for the test.
    pub fn of(home: Home, controllers: Controllers) -> Result<Place> {
        let scratch = Scratch::new(&format!("of-{}", home.kind()))?;
        Ok(Place { runs: Runs::Controllers(controllers, home), scratch })
    }

    /// The real Kubernetes that controllers run against; nothing, if they run in the hub.
    pub fn kubernetes(&self) -> Option<&Home> {
        match &self.runs {
            Runs::Up(_) => None,
            Runs::Controllers(_, home) => Some(home),
        }
    }

    /// How the administrator reaches the home.
    pub fn kubeconfig(&self) -> PathBuf {
        match &self.runs {
            Runs::Up(hub) => hub.kubeconfig().to_owned(),
            Runs::Controllers(_, home) => home.kubeconfig(),
        }
    }

    /// kubectl on the home.
    ///
    /// # Errors
    /// If nobody says where the binary is.
    pub fn kubectl(&self) -> Result<Kubectl> {
        Kubectl::with_kubeconfig(&self.kubeconfig(), self.scratch.join("kubectl-cache"))
    }

    /// kubectl on another server.
    ///
    /// # Errors
    /// If nobody says where the binary is.
    pub fn kubectl_of(&self, kubeconfig: &Path) -> Result<Kubectl> {
        Kubectl::with_kubeconfig(kubeconfig, self.scratch.join("kubectl-cache-of-another"))
    }

    /// A path in the directory of the test.
    pub fn path(&self, name: &str) -> PathBuf {
        self.scratch.join(name)
    }

    /// `bowline`, on the home.
    ///
    /// # Errors
    /// If it cannot be run.
    pub fn bowline(&self, line: &str) -> Result<Said> {
        run(line, Some(&self.kubeconfig()), &self.scratch.join(""))
    }

    /// `bowline`, which has to end with this code and say this.
    ///
    /// # Errors
    /// If it does not.
    pub fn says(&self, line: &str, code: i32, expected: &[&str]) -> Result<String> {
        self.bowline(line)?.is(line, code, expected)
    }

    /// The same, with this on its standard input.
    ///
    /// # Errors
    /// If it does not.
    pub fn fed(&self, line: &str, input: &str, code: i32, expected: &[&str]) -> Result<String> {
        let said = run_with(line, Some(&self.kubeconfig()), &self.scratch.join(""), input)?;
        said.is(line, code, expected)
    }

    /// The same, as somebody else.
    ///
    /// # Errors
    /// If it does not.
    pub fn says_to(&self, kubeconfig: &Path, line: &str, code: i32, expected: &[&str]) -> Result<String> {
        run(line, Some(kubeconfig), &self.scratch.join(""))?.is(line, code, expected)
    }

    /// `up` as it runs.
    ///
    /// # Errors
    /// If it is not `up` that runs here.
    pub fn up(&self) -> Result<&Hub> {
        match &self.runs {
            Runs::Up(hub) => Ok(hub),
            Runs::Controllers(..) => bail!("it is not `up` that runs here"),
        }
    }

    /// `kill -9`, and another life on the same data.
    ///
    /// # Errors
    /// If it does not start again.
    pub fn live_again(self) -> Result<Place> {
        let Place { runs, scratch } = self;
        let runs = match runs {
            Runs::Up(hub) => {
                hub.kill()?;
                Runs::Up(Hub::start_as(bowline(), Role::Up, &scratch.join("data"))?)
            }
            Runs::Controllers(controllers, home) => {
                drop(controllers);
                Runs::Controllers(Controllers::start(&home.kubeconfig())?, home)
            }
        };
        Ok(Place { runs, scratch })
    }

    /// `kill -9`, a life of the hub without controllers in which something is done, and another life of `up`.
    ///
    /// # Errors
    /// If it is not `up` that runs here, if it does not start again, or if that cannot be done.
    pub fn without_controllers(self, act: impl FnOnce(&Place) -> Result<()>) -> Result<Place> {
        let Place { runs: Runs::Up(hub), scratch } = self else { bail!("it is not `up` that runs here") };
        hub.kill()?;
        let hub = Hub::start(&scratch.join("data"))?;
        let place = Place { runs: Runs::Up(hub), scratch };
        act(&place)?;
        place.live_again()
    }

    /// What is told at a path of the health of what runs here.
    ///
    /// # Errors
    /// If there is no answer.
    pub fn page(&self, path: &str) -> Result<String> {
        match &self.runs {
            Runs::Up(hub) => Ok(hub.page(path)?.1),
            Runs::Controllers(controllers, _) => controllers.page(path),
        }
    }

    /// Waits until it says that it is ready.
    ///
    /// # Errors
    /// If it never does.
    pub fn is_ready(&self) -> Result<()> {
        until("it is ready", || {
            let said = self.page("/readyz")?;
            Ok(if said == "ok" { Ok(()) } else { Err(said) })
        })
    }

    /// How many decisions about clusters had an effect.
    ///
    /// # Errors
    /// If it is not told.
    pub fn looks(&self) -> Result<u64> {
        const LOOKS: &str = "controller_runtime_reconcile_total{controller=\"clusters\",result=\"requeue\"} ";
        let counts = self.page("/metrics")?;
        let line = counts.lines().find_map(|line| line.strip_prefix(LOOKS));
        Ok(line.with_context(|| format!("it is not counted: {counts}"))?.parse()?)
    }

    /// Waits until a cluster has this reason in its condition Ready.
    ///
    /// # Errors
    /// If it never has.
    pub fn stands(&self, cluster: &str, reason: &str) -> Result<()> {
        let kubectl = self.kubectl()?;
        until(&format!("{cluster} is {reason}"), || {
            let read: Value =
                serde_json::from_str(&kubectl.ok(&format!("get cluster {cluster} -o json"), "")?)?;
            let conditions = read["status"]["conditions"].as_array().cloned().unwrap_or_default();
            let ready = conditions.iter().find(|condition| condition["type"] == "Ready");
            Ok(if ready.is_some_and(|ready| ready["reason"] == reason) {
                Ok(())
            } else {
                Err(read.to_string())
            })
        })
    }
}

/// `bowline controllers` as a process. It is killed when this is dropped.
pub struct Controllers {
    child: Child,
    said: Arc<Mutex<String>>,
    /// Where its health is told.
    pub health: String,
}

impl Controllers {
    /// Starts it, and waits until it says that it runs.
    ///
    /// # Errors
    /// If it ends instead.
    pub fn start(kubeconfig: &Path) -> Result<Controllers> {
        Controllers::start_by(Command::new(bowline()), kubeconfig)
    }

    /// The same by a line of the shell, which has its command line as `"$@"`; what the line has behind that are further options.
    ///
    /// # Errors
    /// If it ends instead.
    pub fn start_in_shell(line: &str, kubeconfig: &Path) -> Result<Controllers> {
        let mut shell = Command::new("sh");
        shell.args(["-c", line, "sh"]).arg(bowline());
        Controllers::start_by(shell, kubeconfig)
    }

    fn start_by(mut command: Command, kubeconfig: &Path) -> Result<Controllers> {
        let mut child = command
            .args(["controllers", "--health-listen", "127.0.0.1:0", "--kubeconfig"])
            .arg(kubeconfig)
            .stderr(Stdio::piped())
            .spawn()?;
        let mut said = BufReader::new(child.stderr.take().context("its stderr is piped")?);
        let mut all = String::new();
        while !all.contains("Ctrl-C ends them.") {
            if said.read_line(&mut all)? == 0 {
                bail!("the controllers ended ({}): {all}", child.wait()?);
            }
        }
        let later = Arc::new(Mutex::new(String::new()));
        let kept = Arc::clone(&later);
        std::thread::spawn(move || {
            // Whatever it says later is shown with the test's own output.
            for line in said.lines().map_while(Result::ok) {
                eprintln!("{line}");
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                *kept += &line;
                kept.push('\n');
            }
        });
        let (_, health) = all.split_once("http://").context("it says where its health is told")?;
        let health = health.split('/').next().unwrap_or_default().to_owned();
        Ok(Controllers { child, said: later, health })
    }

    /// What is told at a path of its health.
    ///
    /// # Errors
    /// If there is no answer.
    pub fn page(&self, path: &str) -> Result<String> {
        let mut stream = TcpStream::connect(&self.health)?;
        write!(stream, "GET {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n", self.health)?;
        let mut all = String::new();
        stream.read_to_string(&mut all)?;
        let (_, body) = all.split_once("\r\n\r\n").context("an answer")?;
        Ok(body.to_owned())
    }

    /// What it has said since it runs.
    pub fn said(&self) -> String {
        self.said.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// SIGTERM, and waits for its end.
    ///
    /// # Errors
    /// If it does not end well.
    pub fn terminate(mut self) -> Result<()> {
        kill(Pid::from_raw(i32::try_from(self.pid())?), Signal::SIGTERM)?;
        let code = self.wait()?;
        ensure!(code == Some(0), "the controllers ended with {code:?}");
        Ok(())
    }

    /// Waits for its end, and tells its exit code.
    ///
    /// # Errors
    /// If it cannot be waited for.
    pub fn wait(&mut self) -> Result<Option<i32>> {
        Ok(self.child.wait()?.code())
    }
}

impl Drop for Controllers {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a command has to be like.
trait Like {
    /// It has ended with this code, and has said this.
    fn is(self, line: &str, code: i32, expected: &[&str]) -> Result<String>;
}

impl Like for Said {
    fn is(self, line: &str, code: i32, expected: &[&str]) -> Result<String> {
        let all = format!("{}{}", self.out, self.err);
        ensure!(self.code == code, "bowline {line}: {self:#?}");
        for expected in expected {
            ensure!(all.contains(expected), "bowline {line}: {expected:?} is not in {all}");
        }
        Ok(all)
    }
}

/// `bowline`, as typed in `directory`.
///
/// # Errors
/// If it cannot be run.
pub fn run(line: &str, kubeconfig: Option<&Path>, directory: &Path) -> Result<Said> {
    run_with(line, kubeconfig, directory, "")
}

/// The same, with this on its standard input.
///
/// # Errors
/// If it cannot be run.
pub fn run_with(line: &str, kubeconfig: Option<&Path>, directory: &Path, input: &str) -> Result<Said> {
    let mut command = Command::new(bowline());
    command.args(line.split(' ')).current_dir(directory).env_remove("KUBECONFIG");
    if let Some(kubeconfig) = kubeconfig {
        command.env("KUBECONFIG", kubeconfig);
    }
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let mut stdin = child.stdin.take().context("its input is piped")?;
    // It may end without having read all.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    let output = child.wait_with_output()?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok(Said {
        code: output.status.code().unwrap_or(-1),
        out: text(&output.stdout),
        err: text(&output.stderr),
    })
}

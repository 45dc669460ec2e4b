//! Moto: an AWS that many test with, from PyPI. `cargo xtask test --only aws` installs it and says where it is.

use std::env;
use std::io::{self, BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// The variable that says which Python has moto. `xtask/src/testenv/moto.rs` sets it.
pub const PYTHON: &str = "BOWLINE_MOTO_PYTHON";

/// A moto that runs. It ends when this is dropped, and also when this process is killed: a shell waits at the other end
/// of a pipe, and ends moto when the pipe is closed.
pub struct Moto {
    shell: Child,
    endpoint: String,
}

/// What comes on the shell's input does not matter, only that it ends.
const SHELL: &str = r#"
"$0" -c "$1" 2>&1 </dev/null &
cat >/dev/null
kill $!
"#;

/// Moto answers several at once, and is not made for it: who attaches a policy while another one is made may get a 500, because a
/// dictionary has changed while it was gone through. So it does one thing at a time.
const ONE_BY_ONE: &str = r#"
import threading
import moto.server

class OneByOne(moto.server.DomainDispatcherApplication):
    turn = threading.Lock()

    def __call__(self, environ, start_response):
        with self.turn:
            return super().__call__(environ, start_response)

moto.server.DomainDispatcherApplication = OneByOne
moto.server.main(["-H", "127.0.0.1", "-p", "0"])
"#;

impl Moto {
    /// Starts one on a free port, and waits until it listens.
    ///
    /// # Errors
    /// If it is not installed, or does not start.
    pub fn start() -> io::Result<Moto> {
        let python = env::var_os(PYTHON).map(PathBuf::from).ok_or_else(|| {
            io::Error::other(format!("{PYTHON} is not set; `cargo xtask test --only aws` runs these tests"))
        })?;
        let mut shell = Command::new("sh")
            .args(["-c", SHELL])
            .arg(python)
            .arg(ONE_BY_ONE)
            // Without it there are none of AWS's own policies.
            .env("MOTO_IAM_LOAD_MANAGED_POLICIES", "true")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()?;
        let output = shell.stdout.take().ok_or_else(|| io::Error::other("moto has no output"))?;
        let mut lines = BufReader::new(output).lines();
        let mut said = Vec::new();
        let endpoint = loop {
            let Some(line) = lines.next().transpose()? else {
                return Err(io::Error::other(format!("moto has ended: {}", said.join("\n"))));
            };
            if let Some((_, address)) = line.split_once("Running on ") {
                break address.trim().to_owned();
            }
            said.push(line);
        };
        // It says a word for each call; if nobody took it, it would stop.
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        Ok(Moto { shell, endpoint })
    }

    /// What clients are told for AWS's address.
    pub fn endpoint(&self) -> String {
        self.endpoint.clone()
    }
}

impl Drop for Moto {
    fn drop(&mut self) {
        drop(self.shell.stdin.take());
        // The shell ends when it has ended moto; if it cannot be waited for it is gone.
        let _ = self.shell.wait();
    }
}

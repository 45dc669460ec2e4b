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
"$0" -m moto.server -H 127.0.0.1 -p 0 2>&1 </dev/null &
cat >/dev/null
kill $!
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

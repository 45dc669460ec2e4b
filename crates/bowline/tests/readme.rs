//! The commands of README.md work: each line that starts with `$ ` in a fenced block of `console` or
//! `sh` is run. A line ends with `# exits N` where N is not 0. A line that ends with `\` goes on. (What is typed
//! after `cargo xtask` takes long: `xtask/src/cli.rs` looks whether it can be typed.)

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A command of a document.
#[derive(Debug, PartialEq, Eq)]
struct Line {
    number: usize,
    text: String,
    exits: i32,
}

/// The commands of a document, in order.
fn commands(document: &str) -> Vec<Line> {
    let mut found: Vec<Line> = Vec::new();
    let mut in_block = false;
    let mut fenced = false;
    let mut goes_on = false;
    for (index, line) in document.lines().enumerate() {
        let line = line.trim();
        if let Some(language) = line.strip_prefix("```") {
            fenced = !fenced;
            in_block = fenced && matches!(language.trim(), "console" | "sh");
            goes_on = false;
            continue;
        }
        let text = match (line.strip_prefix("$ "), goes_on) {
            _ if !in_block => continue,
            (Some(text), false) => {
                found.push(Line { number: index + 1, text: String::new(), exits: 0 });
                text
            }
            (_, true) => line,
            (None, false) => continue,
        };
        goes_on = text.ends_with('\\');
        if let Some(command) = found.last_mut() {
            command.text.push_str(text.trim_end_matches('\\'));
        }
    }
    found.into_iter().map(Line::with_exit_code).collect()
}

impl Line {
    /// Takes the exit code, or any other comment, off the text.
    fn with_exit_code(mut self) -> Line {
        if let Some((text, comment)) = self.text.split_once(" # ") {
            self.exits =
                comment.trim().strip_prefix("exits ").and_then(|code| code.parse().ok()).unwrap_or(0);
            self.text = text.to_string();
        }
        self.text = self.text.trim().to_string();
        self
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs a command in a folder with the built binary as `bowline`; says what is wrong with it, if
/// anything is.
fn complaint(line: &Line, folder: &Path) -> Option<String> {
    let binary = Path::new(env!("CARGO_BIN_EXE_bowline"));
    let text = line.text.replace("cargo run --release -- ", "bowline ");
    let mut path = std::ffi::OsString::from(binary.parent()?);
    if let Some(others) = std::env::var_os("PATH") {
        path.push(":");
        path.push(others);
    }
    let output = Command::new("sh").args(["-c", &text]).current_dir(folder).env("PATH", path).output();
    let output = output.unwrap_or_else(|error| panic!("sh: {error}"));
    let code = output.status.code();
    (code != Some(line.exits)).then(|| {
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        format!("README.md:{}: `{}` exits {code:?}, not {}\n{stderr}", line.number, line.text, line.exits)
    })
}

#[test]
fn every_command_of_the_readme_works() {
    let readme = root().join("README.md");
    let text = fs::read_to_string(&readme)
        .unwrap_or_else(|error| panic!("{}: {error}: it must show how to use bowline", readme.display()));
    let commands = commands(&text);
    let bowline =
        |line: &&Line| line.text.contains("cargo run --release -- ") || line.text.starts_with("bowline ");
    assert!(
        commands.iter().any(|line| bowline(&line)),
        "README.md has no commands: put them as `$ …` into blocks of ```console"
    );
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("readme");
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("an old directory can be removed");
    }
    fs::create_dir_all(&folder).expect("a directory can be made");
    let complaints: Vec<String> = commands
        .iter()
        // These are held against their own parser, by a test of xtask.
        .filter(|line| !line.text.starts_with("cargo xtask"))
        .filter_map(|line| complaint(line, &folder))
        .collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn commands_are_found_in_blocks_of_console_and_sh_only() {
    let document = "\
$ not in a block
```console
$ cargo run --release -- check --list
MODEL  SIZE
$ cargo run --release -- check seed/irsa  # exits 1
```
```rust
$ not a shell
```
  ```sh
  $ bowline check --expected # all of it
  $ bowline check seed/irsa \\
      --size workers=1
  ```
";
    let line = |number, text: &str, exits| Line { number, text: text.into(), exits };
    assert_eq!(
        commands(document),
        [
            line(3, "cargo run --release -- check --list", 0),
            line(5, "cargo run --release -- check seed/irsa", 1),
            line(11, "bowline check --expected", 0),
            line(12, "bowline check seed/irsa --size workers=1", 0),
        ]
    );
}

#[test]
fn a_command_that_fails_is_complained_about() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let line = |text: &str, exits| Line { number: 7, text: text.into(), exits };
    assert_eq!(complaint(&line("cargo run --release -- check --list | grep -q seed/irsa", 0), folder), None);
    assert_eq!(complaint(&line("bowline check seed/irsa --size workers=1", 1), folder), None);
    let complaint = complaint(&line("bowline check seed/nothing", 0), folder).expect("a complaint");
    assert!(complaint.starts_with("README.md:7: `bowline check seed/nothing` exits Some(2), not 0\nerror: "));
}

//! The `bash` blocks of README.md, run as they stand, with the real kubectl: each says what the README shows below it.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};
use bowline_e2e_hub::Scratch;
use bowline_e2e_hub::commands::path;
use bowline_e2e_hub::shown::{blocks, fits, said, script};

#[test]
fn the_readmes_commands_say_what_it_shows() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let blocks = blocks(&std::fs::read_to_string(root.join("README.md"))?, "bash");
    let scratch = Scratch::new("readme")?;
    std::os::unix::fs::symlink(root.canonicalize()?.join("examples"), scratch.join("examples"))?;
    // Whatever happens, the hub ends with the script, which ends all by itself if all goes well.
    let script =
        format!("set -e\ntrap 'left=$(jobs -pr); test -z \"$left\" || kill $left' EXIT\n{}", script(&blocks))
            .replace("cargo run --release -- ", "bowline ")
            // Ports may be taken.
            .replace("bowline up ", "bowline up --listen 127.0.0.1:0 ")
            .replace("127.0.0.1:7444", "127.0.0.1:0")
            .replace("127.0.0.1:7445", "127.0.0.1:0");
    let output = Command::new("bash")
        .args(["-c", &script])
        .current_dir(scratch.join(""))
        .env("PATH", path()?)
        .env("HOME", scratch.join(""))
        .output()?;
    let all = String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.success(), "{all}\n{}", String::from_utf8_lossy(&output.stderr));
    let shown: Vec<(&str, &str, &str)> = (blocks.iter().zip(said(&all, &blocks)))
        .filter_map(|(block, said)| Some((block.script.as_str(), block.shows.as_deref()?, said)))
        .collect();
    ensure!(shown.len() >= 10, "the README shows what {} of its blocks say", shown.len());
    let wrong = shown.iter().filter(|(_, shows, said)| !fits(shows, said));
    let wrong: Vec<String> = wrong
        .map(|(script, shows, said)| format!("{script}is shown to say\n{shows}and says\n{said}"))
        .collect();
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

//! `cargo xtask pitfalls`: a test that guards against a known mistake fails when the mistake is made.
//!
//! For each entry of the table the explorer is copied, its fix is taken out of the copy, and the named test has
//! to fail there. A test that still passes guards nothing, whatever it is called.

mod probe;
mod scratch;
mod table;

use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};

use crate::log::Log;
use crate::tidy::Files;
use crate::workspace::Workspace;
use probe::{Build, Test, Verdict};
use scratch::Scratch;
use table::{KNOWN, PITFALLS};

/// Where the table is, for messages.
const TABLE: &str = "xtask/src/pitfalls/table.rs";

/// One way to make a known mistake again.
struct Pitfall {
    /// Its number in the list of mistakes in docs/explorer.md.
    number: u8,
    /// The mistake, in a few words.
    name: &'static str,
    /// The test that notices: the last part of its path.
    test: &'static str,
    /// Where the fix is, from the root of the crate.
    file: &'static str,
    /// The fix. It stands in the file exactly once.
    find: &'static str,
    /// What makes the mistake again. It has to compile.
    replace: &'static str,
}

/// Makes every mistake once, and wants it noticed.
pub(crate) fn run(workspace: &Workspace, log: &mut Log) -> Result<String> {
    check_table(PITFALLS)?;
    let scratch = Scratch::of_explorer(workspace, &Files::of_repository(workspace)?)?;
    prove(&scratch, PITFALLS, log)
}

/// Every number has an entry, and every entry a test of that number: the table would else be green by being
/// short.
fn check_table(table: &[Pitfall]) -> Result<()> {
    let has_entry = |number: &u8| table.iter().any(|pitfall| pitfall.number == *number);
    let missing: Vec<_> = (1..=KNOWN).filter(|number| !has_entry(number)).collect();
    ensure!(missing.is_empty(), "{TABLE} has no entry for pitfalls {missing:?} of 1 to {KNOWN}");
    for Pitfall { number, test, .. } in table {
        ensure!(
            test.starts_with(&format!("pitfall_{number:02}_")),
            "{TABLE}: {test} is not a test of pitfall {number}"
        );
    }
    Ok(())
}

/// Tests that are called guards, but that no entry puts to the proof.
fn unproved<'a>(tests: impl Iterator<Item = &'a str>, table: &[Pitfall]) -> Vec<&'a str> {
    let guards =
        tests.filter_map(|test| test.rsplit("::").next()).filter(|name| name.starts_with("pitfall_"));
    guards.filter(|name| !table.iter().any(|pitfall| pitfall.test == *name)).collect()
}

fn prove(scratch: &Scratch, table: &[Pitfall], log: &mut Log) -> Result<String> {
    check_texts(scratch, table)?;
    let guarded = baseline(scratch, table)?;
    let mut unguarded = 0;
    for (pitfall, test) in table.iter().zip(&guarded) {
        let start = Instant::now();
        let result = make_mistake(scratch, pitfall, test);
        let word = if result.is_ok() { "caught" } else { "NOT CAUGHT" };
        log.line(format!(
            "{:>2} {}: {word} by {} ({:.1}s)",
            pitfall.number,
            pitfall.name,
            test.name,
            start.elapsed().as_secs_f64()
        ));
        if let Err(error) = result {
            unguarded += 1;
            log.line(format!("   {error:#}"));
        }
    }
    ensure!(unguarded == 0, "{unguarded} of {} mistakes are not caught", table.len());
    Ok(format!("{} mistakes made, all caught", table.len()))
}

/// Every fix is where the table says. All that is out of date is told at once, before anything is built.
fn check_texts(scratch: &Scratch, table: &[Pitfall]) -> Result<()> {
    let check = |pitfall: &Pitfall| replaced(&scratch.read(pitfall.file)?, pitfall).map(drop);
    let stale = table.iter().filter_map(|pitfall| check(pitfall).err());
    let stale: Vec<_> = stale.map(|error| format!("{error:#}")).collect();
    ensure!(stale.is_empty(), "{}", stale.join("\n"));
    Ok(())
}

/// Finds the tests in the untouched crate, and sees them pass: a test that always fails guards nothing either.
fn baseline(scratch: &Scratch, table: &[Pitfall]) -> Result<Vec<Test>> {
    let tests = match probe::build(scratch, None)? {
        Build::Ready(programs) => probe::tests(&programs)?,
        Build::Broken(output) => bail!("the explorer's tests do not compile as they are:\n{output}"),
    };
    let unproved = unproved(tests.iter().map(|test| test.name.as_str()), table);
    ensure!(unproved.is_empty(), "{TABLE} has no entry for {}", unproved.join(", "));
    let mut guarded = Vec::new();
    for pitfall in table {
        let mut named = tests.iter().filter(|test| test.name.rsplit("::").next() == Some(pitfall.test));
        let test = named
            .next()
            .with_context(|| format!("pitfall {}: there is no test {}", pitfall.number, pitfall.test))?;
        ensure!(
            named.next().is_none(),
            "pitfall {}: there are several tests {}; rename",
            pitfall.number,
            pitfall.test
        );
        match probe::run(scratch, test)? {
            Verdict::Passed => guarded.push(test.clone()),
            Verdict::Failed => {
                bail!("{} fails as it is; see `cargo test -p bowline-explorer {}`", test.name, test.name)
            }
            Verdict::NotRun => bail!("{} is ignored: it guards nothing", test.name),
            Verdict::Endless => bail!("{} does not end within {:?}", test.name, probe::LIMIT),
        }
    }
    Ok(guarded)
}

/// Takes out one fix, runs the test, and puts the fix back.
fn make_mistake(scratch: &Scratch, pitfall: &Pitfall, test: &Test) -> Result<()> {
    let original = scratch.read(pitfall.file)?;
    scratch.write(pitfall.file, &replaced(&original, pitfall)?)?;
    let verdict = judge(scratch, test);
    scratch.write(pitfall.file, &original)?;
    verdict
}

fn judge(scratch: &Scratch, test: &Test) -> Result<()> {
    let programs = match probe::build(scratch, Some(&test.program.target))? {
        Build::Ready(programs) => programs,
        Build::Broken(output) => {
            bail!("the mistake does not compile, which proves nothing; change `replace`:\n{output}")
        }
    };
    let program = programs.into_iter().next().context("cargo built no test program")?;
    match probe::run(scratch, &Test { name: test.name.clone(), program })? {
        Verdict::Failed => Ok(()),
        Verdict::Passed => bail!("the test passes without the fix: it guards nothing"),
        Verdict::NotRun => bail!("the test is gone without the fix; change `replace`"),
        Verdict::Endless => {
            bail!("the test does not end within {:?}; bound it, so that it fails", probe::LIMIT)
        }
    }
}

fn replaced(text: &str, pitfall: &Pitfall) -> Result<String> {
    let Pitfall { number, file, find, replace, .. } = pitfall;
    let count = if find.is_empty() { 0 } else { text.matches(find).count() };
    ensure!(
        count == 1,
        "the text to find is {count} times in {file}, not once: pitfall {number} in {TABLE} is out of date"
    );
    Ok(text.replacen(find, replace, 1))
}

#[cfg(test)]
mod tests;

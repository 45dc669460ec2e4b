//! Sums, ratios and goals; and that the peers still build when our crates change.

use anyhow::{Context, Result};
use serde_json::json;
use toml::{Table, Value};

use super::contest::{CONTESTANTS, COURSES, Contestant};
use super::results::Results;
use super::{goals, table};
use crate::bench::measure::Measured;
use crate::workspace::Workspace;

fn measured(wall_s: f64, peak_bytes: u64) -> Result<Measured> {
    let value = json!({"wall_s": wall_s, "cpu_s": 2.0 * wall_s, "peak_bytes": peak_bytes, "code": 0,
        "stdout": "", "stderr": ""});
    Ok(serde_json::from_value(value)?)
}

/// Ours takes a second, more with more threads; TLC takes 150 and did not run with two.
fn results() -> Result<Results> {
    let runs = CONTESTANTS.iter().map(|contestant| match contestant {
        Contestant::Ours(2, ..) => Ok(vec![measured(0.5, 100)?]),
        Contestant::Ours(..) => Ok(vec![measured(3.0, 100)?, measured(1.0, 100)?, measured(0.9, 100)?]),
        Contestant::Stateright(..) => Ok(vec![measured(1.1, 90)?, measured(1.3, 90)?]),
        Contestant::Tlc(1) => Ok(vec![measured(150.0, 3000)?]),
        Contestant::Tlc(_) => Ok(Vec::new()),
    });
    Ok(Results::of(&COURSES[0], &runs.collect::<Result<Vec<_>>>()?))
}

#[test]
fn runs_are_summed_up_by_their_median() -> Result<()> {
    let results = results()?;
    let ours = results.ours(1).map(|ours| (ours.wall_s.median, ours.wall_s.min, ours.distinct_per_s));
    assert_eq!(ours, Some((1.0, 0.9, 1_111_594.0)));
    let even = results.get(Contestant::Stateright("0.30.2", "stateright-0-30", 1));
    assert!(even.is_some_and(|standing| (standing.wall_s.median - 1.2).abs() < 1e-9));
    assert!(results.get(Contestant::Tlc(2)).is_none());
    Ok(())
}

#[test]
fn goals_are_met_or_missed_or_not_measured() -> Result<()> {
    let without_tlc = {
        let mut results = results()?;
        results.contestants.retain(|standing| !matches!(standing.contestant, Contestant::Tlc(_)));
        results
    };
    let both = [results()?, without_tlc];
    let goals = goals::all(&both);
    let tlc = &goals[0];
    assert_eq!(tlc.reached, [Some(150.0), None]);
    assert!(tlc.is_met() && !goals[4].is_met());
    assert!(tlc.bound.is_met_by(150.0) && !tlc.bound.is_met_by(99.0));
    let memory = &goals[4];
    assert!(memory.reached[0].is_some_and(|ratio| !memory.bound.is_met_by(ratio)));
    let text = table::Goals(&both, &goals).to_string();
    assert!(text.contains("not measured") && text.contains("1.11 missed"), "{text}");
    Ok(())
}

#[test]
fn a_table_compares_with_ours_of_as_many_threads() -> Result<()> {
    let text = results()?.to_string();
    assert!(text.starts_with("seed/update-cluster requests=4,workers=8: 1,111,594 states\n"), "{text}");
    let line = text.lines().find(|line| line.starts_with("stateright 0.30.2, 2 threads")).unwrap_or_default();
    assert!(line.contains(" 2.40 "), "{line}");
    Ok(())
}

/// What a lock file says that a package depends on, versions left out, and what only tests use.
fn locked(lock: &Table, name: &str) -> Option<Vec<String>> {
    let packages = lock.get("package")?.as_array()?;
    let package =
        packages.iter().find(|package| package.get("name").and_then(Value::as_str) == Some(name))?;
    let dependencies = package.get("dependencies").and_then(Value::as_array).into_iter().flatten();
    let names = dependencies.filter_map(Value::as_str).filter_map(|dependency| dependency.split(' ').next());
    Some(names.filter(|name| *name != "proptest").map(String::from).collect())
}

/// The peers have a lock file of their own, which nobody's daily build touches: it would go stale unseen, and
/// the benchmark with it.
#[test]
fn the_peers_lock_file_knows_our_crates_as_they_are() -> Result<()> {
    let workspace = Workspace::locate()?;
    let read = |path: &str| -> Result<Table> {
        let text = std::fs::read_to_string(workspace.root().join(path)).context(path.to_owned())?;
        text.parse().context(path.to_owned())
    };
    let (ours, peers) = (read("Cargo.lock")?, read("bench/peers/Cargo.lock")?);
    for name in ["bowline-explorer", "bowline-kernel", "bowline-models", "bowline-workqueue"] {
        assert!(locked(&ours, name).is_some(), "{name}");
        assert_eq!(
            locked(&peers, name),
            locked(&ours, name),
            "{name} has other dependencies now; `cargo update --workspace --manifest-path bench/peers/Cargo.toml` \
             brings the peers' lock file up to it"
        );
    }
    Ok(())
}

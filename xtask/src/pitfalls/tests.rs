//! The mechanism, tried on a small crate with good and bad guards.

use anyhow::Result;

use super::*;

const MANIFEST: &str = "[package]\nname = \"subject\"\nedition = \"2024\"\n[workspace]\n";

/// (What no file of ours may have is spelt in two halves.)
const SOURCE: &str = concat!(
    "
pub fn positive(x: i32) -> bool {
    x > 0
}
pub fn depth(x: u64) -> u64 {
    if x == 0 { return 0; }
    depth(x - 1)
}

#[cfg(test)]
mod tests {
    #[test]
    fn zero_is_not_positive() {
        assert!(!super::positive(0));
    }
    #[test]
    fn guards_nothing() {
        assert!(super::positive(1));
    }
    #[test]
    fn does_not_overflow() {
        assert_eq!(super::depth(10), 0);
    }
    #[test]
    #[ign",
    "ore]
    fn is_ignored() {}
    #[test]
    fn always_fails() {
        panic!();
    }
}
"
);

/// The fix that is taken out, unless a test says otherwise.
const PITFALL: Pitfall = Pitfall {
    number: 1,
    name: "zero",
    test: "zero_is_not_positive",
    file: "src/lib.rs",
    find: "x > 0",
    replace: "x >= 0",
};

/// What the task says about this table, on a copy of the small crate. (One directory a test: they run at once.)
fn proved(name: &str, table: &[Pitfall]) -> Result<String> {
    let base = Workspace::locate()?.target_dir().join("pitfalls-selftest").join(name);
    let scratch = Scratch::at(&base, "", "subject");
    scratch.lay(&[
        ("Cargo.toml", MANIFEST.as_bytes()),
        ("src/lib.rs", SOURCE.as_bytes()),
        ("Cargo.lock", LOCK.as_bytes()),
    ])?;
    let mut log = Log::quiet();
    let result = prove(&scratch, table, &mut log);
    assert_eq!(scratch.read("src/lib.rs")?, SOURCE, "the fix is put back");
    Ok(match result {
        Ok(said) => said,
        Err(error) => format!("{}{error:#}", log.kept()),
    })
}

const LOCK: &str = "version = 4\n\n[[package]]\nname = \"subject\"\nversion = \"0.0.0\"\n";

#[test]
fn guards_are_told_from_what_only_looks_like_one() -> Result<()> {
    let overflow =
        Pitfall { test: "does_not_overflow", find: "depth(x - 1)", replace: "depth(x) + 1", ..PITFALL };
    assert!(proved("guards", &[PITFALL, overflow])?.contains("2 mistakes made, all caught"));

    let useless = Pitfall { number: 2, test: "guards_nothing", ..PITFALL };
    let said = proved("guards", &[PITFALL, useless])?;
    assert!(said.contains(" 1 zero: caught by tests::zero_is_not_positive"), "{said}");
    assert!(said.contains(" 2 zero: NOT CAUGHT by tests::guards_nothing"), "{said}");
    assert!(said.contains("the test passes without the fix: it guards nothing"), "{said}");
    assert!(said.ends_with("1 of 2 mistakes are not caught"), "{said}");

    let nonsense = Pitfall { replace: "x ><", ..PITFALL };
    assert!(proved("guards", &[nonsense])?.contains("the mistake does not compile, which proves nothing"));
    Ok(())
}

#[test]
fn a_guard_has_to_exist_and_pass_before_it_counts() -> Result<()> {
    for (test, said) in [
        ("no_such_test", "there is no test no_such_test"),
        ("is_ignored", "tests::is_ignored is ignored: it guards nothing"),
        ("always_fails", "tests::always_fails fails as it is"),
    ] {
        let result = proved("baseline", &[Pitfall { test, ..PITFALL }])?;
        assert!(result.contains(said), "{result}");
    }
    Ok(())
}

#[test]
fn a_table_that_is_out_of_date_is_an_error() -> Result<()> {
    let moved = Pitfall { number: 2, find: "gone", ..PITFALL };
    let elsewhere = Pitfall { number: 3, file: "src/gone.rs", ..PITFALL };
    let result = proved("stale", &[PITFALL, moved, elsewhere])?;
    assert!(
        result.contains("pitfall 2 in") && result.contains("gone.rs; is the table out of date?"),
        "{result}"
    );
    assert!(!result.contains("pitfall 1 in"), "{result}");

    let said = |text| replaced(text, &PITFALL).unwrap_or_else(|error| error.to_string());
    assert_eq!(said("if x > 0 {}"), "if x >= 0 {}");
    assert!(said("if x < 0 {}").contains("0 times in src/lib.rs, not once"));
    assert!(said("x > 0 && x > 0").contains("2 times in src/lib.rs, not once"));
    assert!(replaced("a", &Pitfall { find: "", ..PITFALL }).is_err());
    Ok(())
}

#[test]
fn a_table_that_is_short_or_names_other_tests_is_an_error() {
    let said =
        |table: &[Pitfall]| check_table(table).map_or_else(|error| error.to_string(), |()| String::new());
    assert!(said(&[PITFALL]).contains("no entry for pitfalls [2, 3, 4"), "{}", said(&[PITFALL]));
    assert!(said(&[]).contains("no entry for pitfalls [1, 2"), "{}", said(&[]));
    let numbered: Vec<_> =
        (1..=KNOWN).map(|number| Pitfall { number, test: "pitfall_01_a", ..PITFALL }).collect();
    assert!(said(&numbered).contains("pitfall_01_a is not a test of pitfall 2"), "{}", said(&numbered));
    assert_eq!(said(PITFALLS), "");
}

#[test]
fn a_guard_without_an_entry_is_found() {
    let tests = ["a::pitfall_01_a", "pitfall_12_b", "a::other"];
    let table = [Pitfall { test: "pitfall_01_a", ..PITFALL }];
    assert_eq!(unproved(tests.into_iter(), &table), ["pitfall_12_b"]);
}

#[test]
fn the_documents_list_every_known_mistake() -> Result<()> {
    let text = std::fs::read_to_string(Workspace::locate()?.root().join("docs/explorer.md"))?;
    let list = text.split("\n## Mistakes").nth(1).context("docs/explorer.md has no list of mistakes")?;
    let list = list.split("\n## ").next().unwrap_or(list);
    let numbers = list.lines().filter_map(|line| line.split_once(". ")?.0.parse::<u8>().ok());
    assert_eq!(numbers.collect::<Vec<_>>(), (1..=KNOWN).collect::<Vec<_>>());
    Ok(())
}

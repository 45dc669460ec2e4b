//! What does harm is found, and said so that it can be found again.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::plan::Plan;
use crate::run::run_as;
use crate::{Target, same};

fn found(check: impl Fn(&[u8]) -> Result<(), String> + Send + Sync + 'static) -> String {
    let target = Target::new("found", [r#"{"a":[1,2]}"#], check);
    let plan = Plan { seed: 5, ..Plan::default() };
    run_as(&plan, &[target], 300).expect_err("an input does harm")
}

#[test]
fn what_panics_or_is_wrong_is_told_with_its_input() {
    let harm = found(|input| {
        assert!(!input.contains(&b'9'), "there is a nine");
        Ok(())
    });
    assert!(harm.contains("found: it panics: there is a nine"), "{harm}");
    assert!(harm.contains("from seed 1 on; again: cargo xtask fuzz found --seed 1"), "{harm}");
    let kept = crate::watch::kept("found");
    assert!(std::fs::read(&kept).is_ok_and(|input| input.contains(&b'9')), "{harm}");
    let harm =
        found(|input| if input.starts_with(b"{") { Ok(()) } else { Err("it begins otherwise".into()) });
    assert!(harm.starts_with("found: it begins otherwise\n"), "{harm}");
    let harm = found(|_| Err("nothing is good".into()));
    assert!(harm.contains("one of those that all begin with"), "{harm}");
    let _ = std::fs::remove_file(kept);
}

#[test]
fn the_same_seed_tries_the_same_inputs() {
    let sum = |seed| {
        let sum = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&sum);
        let target = Target::new("sum", ["abc", "de"], move |input| {
            let number =
                input.iter().fold(input.len(), |sum, byte| sum.wrapping_mul(31) + usize::from(*byte));
            counted.fetch_add(number, Ordering::Relaxed);
            Ok(())
        });
        run_as(&Plan { seed, ..Plan::default() }, &[target], 50).expect("nothing does harm");
        sum.load(Ordering::Relaxed)
    };
    assert_eq!(sum(7), sum(7));
    assert_ne!(sum(7), sum(8));
}

#[test]
fn one_target_alone_is_tried_for_as_long_as_is_wanted() {
    let tried = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&tried);
    let one = Target::new("one", ["x"], move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
        Ok(())
    });
    let other = Target::new("other", ["x"], |_| Err("it is not wanted".into()));
    let plan = Plan { only: Some("one".into()), time: Some(Duration::from_millis(20)), ..Plan::default() };
    run_as(&plan, &[one, other], 1).expect("nothing does harm");
    assert!(tried.load(Ordering::Relaxed) > 3, "it goes on for its time");
}

#[test]
fn what_is_read_otherwise_than_it_was_printed_is_told() {
    assert_eq!(same(1, "1", Some(1)), Ok(()));
    assert_eq!(same(1, "1", Some(2)), Err("1 is printed as \"1\", which is read as Some(2)".into()));
    assert!(same(1, "1", None).is_err());
}

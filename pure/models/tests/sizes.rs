//! Sizes that cannot work are refused with a reason.

use bowline_models::{BadSize, Value, catalogue};

fn refusal(model: &str, size: &str) -> String {
    let entry = catalogue().iter().find(|entry| entry.name == model).expect("a model in the catalogue");
    let built = entry.size(size).and_then(|size| entry.build(&size).map(drop));
    built.expect_err("a size that does not work").to_string()
}

#[test]
fn nothing_of_a_kind_is_refused() {
    for (model, size, reason) in [
        ("seed/update-cluster", "requests=0", "`requests` takes a number from 1 to 8, not `0`"),
        ("seed/update-cluster", "workers=0", "`workers` takes a number from 1 to 8, not `0`"),
        ("seed/complete-issu", "devices=0", "`devices` takes a number from 1 to 255, not `0`"),
        ("seed/complete-issu", "partitions=0", "`partitions` takes a number from 1 to 255, not `0`"),
        ("seed/irsa", "workers=0", "`workers` takes a number from 1 to 10, not `0`"),
        ("seed/kcp-storage", "clusters=0", "`clusters` takes a number from 1 to 16, not `0`"),
    ] {
        assert_eq!(refusal(model, size), reason);
    }
}

#[test]
fn more_than_a_state_has_room_for_is_refused() {
    for (model, key, most) in [
        ("seed/update-cluster", "requests", 8),
        ("seed/update-cluster", "workers", 8),
        ("seed/complete-issu", "nodes", 8),
        ("seed/complete-issu", "versions", 15),
        ("seed/irsa", "workers", 10),
        ("seed/kcp-storage", "clusters", 16),
    ] {
        let reason = refusal(model, &format!("{key}={}", most + 1));
        let capacity = format!("to {most} (the state has fixed capacity), not `{}`", most + 1);
        assert!(reason.ends_with(&capacity), "{reason}");
    }
}

#[test]
fn what_complete_issu_does_not_assume_is_refused() {
    for (size, reason) in [
        ("nodes=1", "`nodes` takes a number from 2 to 8, not `1`"),
        ("versions=1", "`versions` takes a number from 2 to 15, not `1`"),
        (
            "nodes=2,partition-size=3",
            "partition-size=3 is more than nodes=2: a partition has no more members than there are nodes",
        ),
        ("fair=maybe", "`fair` takes true or false, not `maybe`"),
    ] {
        assert_eq!(refusal("seed/complete-issu", size), reason);
    }
}

#[test]
fn what_is_no_size_is_refused() {
    for (size, reason) in [
        ("workers", "`workers` is not of the form key=value"),
        ("workers=two", "`workers` takes a number from 1 to 10, not `two`"),
        ("workers=-1", "`workers` takes a number from 1 to 10, not `-1`"),
        ("workers=1,workers=2", "`workers` is given twice"),
        ("loops=2", "no size key is called `loops`; there are: workers, attached"),
    ] {
        assert_eq!(refusal("seed/irsa", size), reason);
    }
}

#[test]
fn every_size_that_a_key_takes_can_be_built() {
    for entry in catalogue() {
        for key in entry.sizes {
            let (least, most) = key.range;
            let values = match key.default {
                Value::Number(_) => [least.to_string(), most.to_string()],
                Value::Flag(_) => ["false".into(), "true".into()],
            };
            for value in values {
                let size = entry.size(&format!("{}={value}", key.name)).expect("a value in its range");
                let built = entry.build(&size);
                let fits = built.is_ok_and(|subject| !subject.claims().is_empty());
                let conflict = entry.build(&size).is_err_and(|why| matches!(why, BadSize::Impossible(_)));
                assert!(fits || conflict, "{} {}={value}", entry.name, key.name);
            }
        }
    }
}

//! Groups from their beginning to their end.

use bowline_control::{Millis, Version};

use super::town::Town;
use crate::{Cluster, Epoch, Mood, Phase, SeatState, Verb, Wait};

#[test]
fn a_group_begins_with_its_first_version_and_has_its_masters() {
    let mut town = Town::new(&["n1", "n2", "n3"], &["d0", "d1", "d2"]);
    assert_eq!(town.settle(), Some(Wait::NextLook));
    assert_eq!(town.status().serving, Some("v1"));
    assert_eq!(town.status().lists["v1"], [["n1", "n2", "n3"]]);
    for (device, master) in [("d0", "n1"), ("d1", "n2"), ("d2", "n3")] {
        assert_eq!(town.acts_for(device), [master]);
    }
    assert_eq!((town.told().mood, town.told().words.as_str()), (Mood::Well, "3 members work at v1"));
}

#[test]
fn nothing_is_written_at_rest() {
    let mut town = Town::new(&["n1", "n2"], &["d0"]);
    town.settle();
    let before = town.steps.len();
    town.now = Millis(town.now.0 + 10_000);
    town.settle();
    assert_eq!(town.steps[before..], ["see how the leases stand"]);
}

#[test]
fn an_upgrade_goes_through_and_masters_are_evened_out() {
    let mut town = Town::new(&["n1", "n2", "n3"], &["d0", "d1", "d2"]);
    town.settle();
    town.wants("v2");
    assert_eq!(town.settle(), Some(Wait::NextLook));
    let status = town.status();
    assert_eq!((status.phase, status.serving), (Phase::Inactive, Some("v2")));
    assert!(["n1", "n2", "n3"].iter().all(|member| town.runs(member) == Some("v2")));
    let mut masters: Vec<_> = ["d0", "d1", "d2"].iter().flat_map(|device| town.acts_for(device)).collect();
    masters.sort_unstable();
    assert_eq!(masters, ["n1", "n2", "n3"]);
    assert!(status.devices.values().all(|mastery| mastery.epoch > Epoch(1)));
}

/// Who is in no partition goes first. Else another one takes its place, and everybody has to be told so, once for each.
#[test]
fn an_upgrade_takes_as_many_steps_for_each_of_many_members_as_for_each_of_few() {
    const NAMES: [&str; 24] = [
        "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "t",
        "u", "v", "w", "x",
    ];
    let steps = |members: usize| {
        let mut town = Town::new(&NAMES[..members], &["d0"]);
        town.settle();
        let begun = town.steps.len();
        town.wants("v2");
        town.settle();
        assert_eq!(town.status().serving, Some("v2"));
        let taken: Vec<_> = town.steps[begun..].iter().filter(|step| step.starts_with("take ")).collect();
        assert_eq!(taken[0], "take d in hand", "a, b and c are in the partition");
        town.steps.len() - begun
    };
    let (few, many) = (steps(8), steps(24));
    assert!(many <= 3 * few, "{few} steps for 8 members, {many} for 24");
}

#[test]
fn a_version_that_is_not_the_next_is_refused_with_the_next_one() {
    let mut town = Town::new(&["n1", "n2", "n3"], &[]);
    town.settle();
    town.wants("v3");
    town.settle();
    assert_eq!(town.told().mood, Mood::Stalled);
    assert_eq!(town.told().words, "waits for a way on: v3 is not the next version: upgrade to v2 first");
}

#[test]
fn a_group_that_is_smaller_than_its_partitions_says_so() {
    let mut town = Town::new(&["n1", "n2"], &[]);
    town.settle();
    let words = "2 members work at v1; `spec.partitions.size` is 3, and partitions have 2: let more members join, by \
                 `bowline join node`";
    assert_eq!((town.told().mood, town.told().words.as_str()), (Mood::Well, words));
    town.join("n3");
    town.now = Millis(town.now.0 + 10_000);
    town.settle();
    assert_eq!(town.told().words, "3 members work at v1");
}

#[test]
fn two_nodes_of_a_partition_of_two_are_not_upgraded_unless_that_is_allowed() {
    let mut town = Town::new(&["n1", "n2"], &[]);
    town.settle();
    town.wants("v2");
    town.settle();
    let words = "waits for a way on: no member could be moved without interrupting the service: add members, or set \
                 `spec.allowInterruption`";
    assert_eq!(town.told().words, words);
    town.group.as_mut().expect("the group").wish.interrupts = true;
    town.settle();
    assert_eq!(town.status().serving, Some("v2"));
}

#[test]
fn commands_are_answered_once_with_what_to_do() {
    let mut town = Town::new(&["n1", "n2", "n3"], &["d0"]);
    town.group.as_mut().expect("the group").wish.automatic = false;
    town.settle();
    let refused = town.command(Verb::Commit, None).expect("not now");
    assert_eq!(refused, "commit: not while the group is Inactive; `bowline upgrade init` begins an upgrade");
    assert_eq!(town.command(Verb::Initialize, None), None);
    assert_eq!(town.command(Verb::Node, None).as_deref(), Some("node: it is about a member: say which one"));
    assert_eq!(town.command(Verb::Node, Some("n1")), None);
    let refused = town.command(Verb::Node, Some("n2")).expect("n2 is needed");
    assert!(refused.starts_with("node: without n2 the serving version would lose a quorum"), "{refused}");
    assert_eq!(town.command(Verb::Run, None), None);
    let refused = town.command(Verb::Commit, None).expect("not all");
    assert_eq!(refused, "commit: n2 is not at v2 yet: `bowline upgrade node` moves it");
    assert_eq!(town.command(Verb::Node, Some("n2")), None);
    assert_eq!(town.command(Verb::Node, Some("n3")), None);
    assert_eq!(town.command(Verb::Commit, None), None);
    assert_eq!((town.status().phase, town.status().serving), (Phase::Inactive, Some("v2")));
}

#[test]
fn who_does_not_work_counts_as_unavailable_and_may_be_moved_itself() {
    let mut town = Town::new(&["n1", "n2", "n3", "n4"], &[]);
    town.group.as_mut().expect("the group").wish.automatic = false;
    town.settle();
    town.sickens("n4");
    town.settle();
    assert_eq!(town.command(Verb::Initialize, None), None);
    let refused = town.command(Verb::Node, Some("n1")).expect("n4 is unavailable");
    assert!(
        refused.starts_with("node: 1 members do not work, and `spec.maxUnavailable` allows for 1"),
        "{refused}"
    );
    assert_eq!(town.command(Verb::Node, Some("n4")), None);
    assert_eq!(town.runs("n4"), Some("v2"));
    assert_eq!(town.command(Verb::Node, Some("n1")), None, "all work again");
}

#[test]
fn rolled_back_and_reset_it_is_as_before() {
    let mut town = Town::new(&["n1", "n2", "n3"], &["d0"]);
    town.group.as_mut().expect("the group").wish.automatic = false;
    town.settle();
    for (verb, member) in [
        (Verb::Initialize, None),
        (Verb::Node, Some("n1")),
        (Verb::Run, None),
        (Verb::Node, Some("n2")),
        (Verb::Node, Some("n3")),
        (Verb::Rollback, None),
    ] {
        assert_eq!(town.command(verb, member), None, "{verb:?}");
    }
    // Nobody has the old version any more: the new one serves until a quorum is back.
    assert_eq!((town.status().phase, town.status().serving), (Phase::RolledBack, Some("v2")));
    for member in ["n1", "n2", "n3"] {
        assert_eq!(town.command(Verb::Node, Some(member)), None, "{member}");
    }
    assert_eq!(town.status().serving, Some("v1"));
    assert_eq!(town.command(Verb::Reset, None), None);
    assert_eq!((town.status().phase, town.status().pair.clone()), (Phase::Inactive, None));
    assert_eq!(town.acts_for("d0").len(), 1);
}

#[test]
fn a_lost_master_is_replaced_and_can_be_forgotten() {
    let mut town = Town::new(&["n1", "n2", "n3"], &["d0"]);
    town.settle();
    assert_eq!(town.acts_for("d0"), ["n1"]);
    town.lapsed.insert("n1");
    town.settle();
    assert_eq!(town.status().seats["n1"].state, SeatState::Lost);
    assert_eq!(town.acts_for("d0"), ["n2"]);
    assert_eq!(town.runs("n1"), None);
    assert!(town.told().words.contains("lost: n1"), "{}", town.told().words);
    assert_eq!(town.command(Verb::Forget, Some("n1")), None);
    assert!(!town.status().seats.contains_key("n1"));
    town.lapsed.clear();
    town.settle();
    assert_eq!(town.status().seats["n1"].state, SeatState::Present);
}

#[test]
fn a_member_that_is_deleted_hands_over_stops_and_goes() {
    let mut town = Town::new(&["n1", "n2", "n3"], &["d0"]);
    town.settle();
    town.members.get_mut("n1").expect("n1").deleting = true;
    town.settle();
    assert!(!town.members.contains_key("n1"));
    assert!(!town.status().seats.contains_key("n1"));
    assert_eq!((town.runs("n1"), town.acts_for("d0")), (None, vec!["n2"]));
    assert_eq!(town.status().lists["v1"], [["n2", "n3"]]);
}

#[test]
fn a_group_that_is_deleted_stops_its_members_first() {
    let mut town = Town::new(&["n1", "n2"], &["d0"]);
    town.settle();
    town.group.as_mut().expect("the group").deleting = true;
    // Who is lost is not waited for: it is told to stop, and will when it is back.
    town.lapsed.insert("n2");
    assert_eq!(town.settle(), None);
    assert!(town.group.is_none());
    assert!(town.members.values().all(|member| !member.held && member.desired.version.is_none()));
    assert_eq!((town.runs("n1"), town.runs("n2")), (None, Some("v1")));
}

#[test]
fn a_cluster_is_entered_first_and_left_at_the_end() {
    let mut town = Town::new(&["n1", "n2", "n3"], &[]);
    town.group.as_mut().expect("the group").wish.cluster = Some("prod");
    let cluster =
        Cluster { name: "prod", uid: 1, version: Version(1), deleting: false, updates: true, upgrade: None };
    town.cluster = Some(cluster);
    town.settle();
    town.wants("v2");
    town.settle();
    assert_eq!(town.status().phase, Phase::Inactive);
    assert!(town.told().words.contains("an update is under way on the cluster"), "{}", town.told().words);
    town.cluster.as_mut().expect("the cluster").updates = false;
    let begun = town.steps.len();
    town.settle();
    let steps = &town.steps[begun..];
    let place = |step: &str| steps.iter().position(|known| known == step);
    let entered = place("keep updates off the cluster").expect("it is entered");
    assert!(Some(entered) < place("begin the upgrade"), "{steps:?}");
    assert!(place("commit the upgrade") < place("let updates on the cluster"), "{steps:?}");
    assert_eq!(town.cluster.as_ref().and_then(|cluster| cluster.upgrade), None);
    assert_eq!(town.status().serving, Some("v2"));
}

/// A request to leave may arrive late: it must not find that the same attempt has begun after all.
#[test]
fn what_was_entered_for_and_is_not_wanted_any_more_is_given_up_before_the_cluster_is_left() {
    let mut town = on_the_cluster(Some(("kv", 1)));
    town.settle();
    let place = |step: &str| town.steps.iter().position(|known| known == step);
    let given_up = place("give up what has not begun").expect("it is given up");
    assert!(Some(given_up) < place("let updates on the cluster"), "{:?}", town.steps);
    assert_eq!(town.cluster.as_ref().and_then(|cluster| cluster.upgrade), None);
    assert_eq!(town.status().attempt, 1);
    // Who wants it again enters for another attempt.
    town.wants("v2");
    town.settle();
    assert_eq!((town.status().serving, town.status().attempt), (Some("v2"), 2));
}

#[test]
fn a_group_that_is_deleted_leaves_its_cluster_when_everybody_has_stopped() {
    let mut town = on_the_cluster(None);
    town.settle();
    town.cluster.as_mut().expect("the cluster").upgrade = Some(("kv", 0));
    let begun = town.steps.len();
    town.group.as_mut().expect("the group").deleting = true;
    town.settle();
    let last: Vec<_> = town.steps[begun..].iter().rev().take(2).map(String::as_str).collect();
    assert_eq!(last, ["let the group go", "let updates on the cluster"], "{:?}", &town.steps[begun..]);
    assert!(town.group.is_none());
}

/// Three members on a cluster, which says who is upgraded on it.
fn on_the_cluster(upgrade: Option<(&'static str, u64)>) -> Town {
    let mut town = Town::new(&["n1", "n2", "n3"], &[]);
    town.group.as_mut().expect("the group").wish.cluster = Some("prod");
    let (uid, version) = (1, Version(1));
    town.cluster = Some(Cluster { name: "prod", uid, version, deleting: false, updates: false, upgrade });
    town
}

#[test]
fn another_group_on_the_cluster_is_waited_for() {
    let mut town = Town::new(&["n1", "n2", "n3"], &[]);
    town.group.as_mut().expect("the group").wish.cluster = Some("prod");
    let upgrade = Some(("other", 4));
    town.cluster =
        Some(Cluster { name: "prod", uid: 1, version: Version(1), deleting: false, updates: false, upgrade });
    town.settle();
    town.wants("v2");
    town.settle();
    assert!(town.told().words.contains("another group on the cluster"), "{}", town.told().words);
    assert_eq!(town.cluster.as_ref().and_then(|cluster| cluster.upgrade), upgrade);
}

#[test]
fn a_hub_that_is_older_than_its_members_goes_on_above_what_they_have_seen() {
    let mut town = Town::new(&["n1", "n2"], &["d0"]);
    town.settle();
    town.has_seen("n2", "d0", Epoch(7));
    town.lapsed.insert("n1");
    town.settle();
    assert!(town.status().devices["d0"].epoch >= Epoch(8), "{:?}", town.status().devices);
}

#[test]
fn a_device_that_nobody_wants_any_more_is_let_go() {
    let mut town = Town::new(&["n1", "n2"], &["d0", "d1"]);
    town.settle();
    town.group.as_mut().expect("the group").wish.devices = vec!["d1"];
    town.settle();
    assert_eq!(town.acts_for("d0"), Vec::<&str>::new());
    assert_eq!(town.status().devices.keys().collect::<Vec<_>>(), [&"d1"]);
}

#[test]
fn a_version_that_was_rolled_back_is_not_tried_again_until_the_spec_changes() {
    let mut town = Town::new(&["n1", "n2", "n3"], &[]);
    town.settle();
    let group = town.group.as_mut().expect("the group");
    group.status.failed = Some(("v2", group.generation + 1));
    town.wants("v2");
    town.settle();
    assert!(town.told().words.contains("v2 was rolled back"), "{}", town.told().words);
    assert_eq!(town.status().phase, Phase::Inactive);
    town.wants("v2");
    town.settle();
    assert_eq!(town.status().serving, Some("v2"));
}

#[test]
fn a_command_is_no_change_that_a_version_which_was_rolled_back_is_tried_again_for() {
    let mut town = Town::new(&["n1", "n2", "n3", "n4"], &[]);
    town.settle();
    let group = town.group.as_mut().expect("the group");
    group.status.failed = Some(("v2", group.generation + 1));
    town.wants("v2");
    town.lapsed.insert("n4");
    town.settle();
    assert!(town.command(Verb::Commit, None).is_some(), "there is nothing to commit");
    assert_eq!(town.command(Verb::Forget, Some("n4")), None);
    assert!(town.told().words.contains("v2 was rolled back"), "{}", town.told().words);
    assert_eq!((town.status().phase, town.status().serving), (Phase::Inactive, Some("v1")));
    // It is tried again when a person says so.
    assert_eq!(town.command(Verb::Initialize, None), None);
    assert_eq!((town.status().serving, &town.status().failed), (Some("v2"), &None));
}

/// A group of three by command, of which one member has the new version, and that serves.
fn upgraded_by_one() -> Town {
    let mut town = Town::new(&["n1", "n2", "n3"], &["d0"]);
    town.settle();
    let wish = &mut town.group.as_mut().expect("the group").wish;
    (wish.automatic, wish.soak) = (false, None);
    for (verb, member) in [(Verb::Initialize, None), (Verb::Node, Some("n1")), (Verb::Run, None)] {
        assert_eq!(town.command(verb, member), None);
    }
    assert_eq!((town.status().phase, town.status().serving), (Phase::Upgraded, Some("v2")));
    town
}

#[test]
fn who_was_struck_is_not_waited_for_on_the_way_back() {
    let mut town = upgraded_by_one();
    town.lapsed.insert("n2");
    town.settle();
    // Of the old version n2 and n3 are left, and the new one cannot spare n1.
    assert_eq!(town.command(Verb::Rollback, None), None);
    assert_eq!((town.status().phase, town.status().serving), (Phase::RolledBack, Some("v1")));
    assert_eq!(town.status().lists["v1"], [["n3"]]);
    assert_eq!(town.command(Verb::Node, Some("n1")), None);
    assert_eq!(town.command(Verb::Reset, None), None);
    assert_eq!((town.status().phase, town.runs("n1")), (Phase::Inactive, Some("v1")));
}

#[test]
fn what_is_told_is_about_what_is_written_with_it() {
    let mut town = upgraded_by_one();
    assert_eq!(town.command(Verb::Node, Some("n2")), None);
    assert_eq!(town.command(Verb::Node, Some("n3")), None);
    assert!(town.told().words.contains("`commit` ends the upgrade"), "{}", town.told().words);
    assert_eq!(town.command(Verb::Commit, None), None);
    let is_about_another = |(phase, words): &&(Phase, String)| match phase {
        Phase::Inactive => words.contains("`commit`") || words.contains("`run`"),
        Phase::Initialized => words.contains("`commit`") || words.contains("work at v"),
        _ => words.contains("`run`"),
    };
    assert_eq!(town.tellings.iter().find(is_about_another), None, "{:?}", town.tellings);
    assert!(town.tellings.iter().any(|(phase, _)| *phase == Phase::Upgraded));
}

#[test]
fn a_hub_that_suspects_itself_rolls_nothing_back_and_takes_nobody_for_lost() {
    let mut town = upgraded_by_one();
    let wish = &mut town.group.as_mut().expect("the group").wish;
    (wish.automatic, wish.deadline) = (true, Some(Millis(5_000)));
    (town.suspects, town.lapsed) = (true, ["n2", "n3"].into());
    for _ in 0..5 {
        town.now = Millis(town.now.0 + 10_000);
        assert_eq!(town.settle(), Some(Wait::Trust));
    }
    assert_eq!(town.status().phase, Phase::Upgraded);
    assert!(town.status().seats.values().all(|seat| seat.state == SeatState::Present));
    assert!(town.told().words.contains("it suspects itself"), "{}", town.told().words);
    town.suspects = false;
    town.settle();
    assert_eq!(town.status().seats["n2"].state, SeatState::Lost);
}

#[test]
fn what_was_gone_forward_with_ends_when_it_is_overdue_and_one_cannot_be_kept_alive() {
    let mut town = upgraded_by_one();
    assert_eq!(town.command(Verb::Node, Some("n2")), None);
    assert_eq!(town.command(Verb::Node, Some("n3")), None);
    town.group.as_mut().expect("the group").status.forwarded = true;
    town.fails("n3");
    town.settle();
    let wish = &mut town.group.as_mut().expect("the group").wish;
    (wish.automatic, wish.deadline, wish.soak) = (true, Some(Millis(5_000)), Some(Millis(0)));
    town.settle();
    assert_eq!(town.status().phase, Phase::Upgraded, "{:?}", town.told());
    town.now = Millis(town.now.0 + 10_000);
    town.settle();
    assert_eq!((town.status().phase, town.status().serving), (Phase::Inactive, Some("v2")));
}

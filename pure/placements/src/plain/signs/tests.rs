use bowline_control::Moment;

use super::*;
use crate::grant::{Epoch, Use, UseState};
use crate::state::{Placement, Wish};

fn grant(users: &[&str]) -> Grant<Plain> {
    let its = Use { epoch: Epoch(1), fence: Epoch(0), state: UseState::Granted, said: None };
    Grant {
        epoch: Epoch(1),
        users: users.iter().map(|user| ((*user).to_owned(), its)).collect(),
        recovering: None,
        restore: 0,
    }
}

fn placed(users: &[&str]) -> Placed {
    let placement = Placement {
        name: "shop".into(),
        uid: "p".into(),
        version: Version(1),
        generation: 1,
        deleting: false,
        held: true,
        doomed: false,
        wish: Wish::default(),
        desired: None,
        grant: grant(users),
        told: None,
    };
    Placed { placement, dying: false, end: None }
}

fn volume(users: &[&str]) -> Volume<Plain> {
    Volume {
        name: "shop.data".into(),
        namespace: "shop".into(),
        uid: "v".into(),
        version: Version(1),
        deleting: false,
        held: true,
        shared: false,
        abandoned: false,
        only: None,
        described: None,
        unknown: false,
        destroyed: false,
        grant: grant(users),
    }
}

fn space(signs: &[&str]) -> Space {
    Space {
        name: "shop".into(),
        uid: "n".into(),
        version: Version(1),
        deleting: false,
        signs: signs.iter().map(|sign| (*sign).to_owned()).collect(),
    }
}

fn claim(signs: &[&str]) -> Sheet {
    let Space { version, signs, .. } = space(signs);
    let (namespace, name, uid) = ("shop".into(), "data".into(), "c".into());
    Sheet { namespace, name, uid, version, deleting: false, protected: true, signs }
}

fn pass(target: &str) -> Pass {
    Pass {
        namespace: "shop".into(),
        target: target.into(),
        uid: target.into(),
        version: Version(1),
        deleting: false,
        held: true,
        right: true,
    }
}

fn board(pieces: &[Piece], asked: Option<(String, bool)>) -> Board {
    Signs.snapshot(&"shop".to_owned(), &pieces.iter().collect::<Vec<_>>(), &asked)
}

/// What is done, if anything.
fn done(board: &Board) -> Option<Step> {
    match Signs.decide(board, Moment::default()) {
        Decision::Do(step) => Some(step),
        Decision::Converged => None,
        Decision::Wait { what, .. } => match what {},
    }
}

fn all(placed: Placed, volume: Volume<Plain>, space: Space, claim: Sheet, passes: &[Pass]) -> Board {
    let mut pieces = vec![
        Piece::Placed(Box::new(placed)),
        Piece::Volume(Box::new(volume)),
        Piece::Space(space),
        Piece::Claim(claim),
    ];
    pieces.extend(passes.iter().cloned().map(Piece::Pass));
    board(&pieces, None)
}

#[test]
fn who_has_something_may_read_and_is_named_by_labels_until_it_has_given_it_up() {
    let step = |users: &[&str], of_volume: &[&str], on_space: &[&str], on_claim: &[&str], passes: &[Pass]| {
        done(&all(placed(users), volume(of_volume), space(on_space), claim(on_claim), passes))
    };
    assert_eq!(step(&[], &["east"], &[], &[], &[]), Some(Step::Admit("east".into())));
    assert_eq!(step(&[], &["east"], &[], &[], &[pass("east")]), Some(Step::SignClaim("data".into())));
    assert_eq!(step(&["east"], &["east"], &[], &["east"], &[pass("east")]), Some(Step::Sign));
    assert_eq!(step(&["east"], &["east"], &["east"], &["east"], &[pass("east")]), None);
    // It has moved: first the rights go, then what is said.
    let both = [pass("east"), pass("west")];
    assert_eq!(step(&["west"], &["west"], &["east"], &["east"], &both), Some(Step::Dismiss("east".into())));
    assert_eq!(step(&["west"], &["west"], &["east"], &["east"], &both[1..]), Some(Step::Sign));
    assert_eq!(step(&[], &[], &["east"], &[], &[]), Some(Step::Sign), "nobody has it");
}

#[test]
fn a_right_that_was_changed_is_made_again_and_one_that_is_deleted_is_held_while_it_is_needed() {
    let step = |users: &[&str], pass: Pass| {
        done(&all(placed(users), volume(&[]), space(users), claim(&[]), &[pass]))
    };
    let wrong = Pass { right: false, ..pass("east") };
    assert_eq!(step(&["east"], wrong), Some(Step::Dismiss("east".into())));
    let deleted = Pass { deleting: true, ..pass("east") };
    assert_eq!(step(&["east"], deleted.clone()), None, "it is needed");
    assert_eq!(step(&[], deleted.clone()), Some(Step::Dismiss("east".into())));
    let board = all(placed(&[]), volume(&[]), space(&[]), claim(&[]), &[deleted]);
    let Effect::Write(Write::Change { after: Piece::Pass(after), .. }) =
        Signs.effect(&board, &Step::Dismiss("east".into()), Moment::default())
    else {
        panic!("it is let go")
    };
    assert!(!after.held);
    let board = all(placed(&[]), volume(&[]), space(&[]), claim(&[]), &[pass("east")]);
    let effect = Signs.effect(&board, &Step::Dismiss("east".into()), Moment::default());
    assert!(matches!(effect, Effect::Write(Write::Delete(Piece::Pass(_)))));
}

#[test]
fn nothing_is_made_in_a_namespace_that_is_deleted() {
    let gone = Space { deleting: true, ..space(&[]) };
    assert_eq!(done(&all(placed(&["east"]), volume(&[]), gone, claim(&["west"]), &[])), None);
}

#[test]
fn a_claim_that_is_deleted_is_let_go_if_it_is_one_of_a_placement() {
    let gone = |signs: &[&str]| Sheet { deleting: true, ..claim(signs) };
    let frees = Some(Step::FreeClaim("data".into()));
    let placed_here = all(placed(&[]), volume(&[]), space(&[]), gone(&[]), &[]);
    assert_eq!(done(&placed_here), frees);
    assert_eq!(done(&board(&[Piece::Claim(gone(&["east"]))], None)), frees, "it says that it was");
    assert_eq!(done(&board(&[Piece::Claim(gone(&[]))], None)), None, "it is nobody's that we know of");
    let Effect::Write(Write::Change { after: Piece::Claim(after), .. }) =
        Signs.effect(&placed_here, &Step::FreeClaim("data".into()), Moment::default())
    else {
        panic!("it is let go")
    };
    assert!(!after.protected);
    let stays = all(placed(&[]), volume(&[]), space(&[]), claim(&[]), &[]);
    assert_eq!(done(&stays), None);
}

#[test]
fn data_goes_only_with_the_namespace_and_that_is_asked_and_not_guessed() {
    let dying = |end| Piece::Placed(Box::new(Placed { dying: true, end, ..placed(&[]) }));
    let space = |deleting| Piece::Space(Space { deleting, ..space(&[]) });
    let step = |end, deleting, asked: Option<bool>| {
        done(&board(&[dying(end), space(deleting)], asked.map(|asked| ("p".to_owned(), asked))))
    };
    assert_eq!(step(None, false, None), Some(Step::Ask("p".into())), "what is cached may be old");
    assert_eq!(step(None, false, Some(false)), Some(Step::Note(End::Keep)));
    assert_eq!(step(None, false, Some(true)), Some(Step::Note(End::Delete)));
    assert_eq!(
        step(None, true, None),
        Some(Step::Ask("p".into())),
        "it may be one that had this name before"
    );
    assert_eq!(step(Some(End::Keep), false, None), None);
    for asked in [None, Some(false)] {
        assert_eq!(step(Some(End::Keep), true, asked), Some(Step::Ask("p".into())), "it is deleted later");
    }
    assert_eq!(step(Some(End::Keep), true, Some(true)), Some(Step::Note(End::Delete)));
    assert_eq!(step(Some(End::Delete), false, Some(false)), None, "that is never taken back");
    let other = board(&[dying(None), space(false)], Some(("another".into(), true)));
    assert_eq!(done(&other), Some(Step::Ask("p".into())), "that was one that had its name before");
}

#[test]
fn what_was_asked_is_remembered_of_the_placement_that_it_was_asked_for() {
    let mut memory = None;
    let step = Step::Ask("p".into());
    assert!(Signs.learn(&mut memory, &step, Err("no".into()), Moment::default()).is_err());
    assert_eq!(memory, None);
    Signs.learn(&mut memory, &step, Ok(true), Moment::default()).expect("an answer");
    assert_eq!(memory, Some(("p".into(), true)));
}

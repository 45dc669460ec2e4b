//! What is decided, shown and written, by what there is.

use bowline_control::{Controller, Decision, Effect, Moment, Standing, Version, Write};

use crate::{Half, Names, Object, Owner, Pair, Pairs, Phase, Side, Snapshot, Status, Step, Wait};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct Words;

impl Names for Words {
    type Name = &'static str;
    type Uid = u8;
    type Text = String;
}

fn pair() -> Pair<Words> {
    let status = Status { phase: Phase::New, observed: 0 };
    Pair {
        name: "a",
        uid: 1,
        version: Version(1),
        generation: 1,
        deleting: false,
        held: true,
        value: 7,
        status,
    }
}

fn half(side: Side) -> Half<Words> {
    let owner = Some(Owner { name: "a", uid: 1 });
    Half { pair: "a", side, uid: 5, version: Version(2), deleting: false, owner, value: 7, ready: true }
}

fn decide(pair: Option<Pair<Words>>, halves: [Option<Half<Words>>; 2]) -> Decision<Step, Wait> {
    Pairs::default().decide(&Snapshot { pair, halves }, Moment::default())
}

fn wait(what: Wait) -> Decision<Step, Wait> {
    Decision::Wait { what, until: None }
}

#[test]
fn a_pair_is_put_up_from_left_to_right() {
    let (left, right) = (half(Side::Left), half(Side::Right));
    let unready = |half: &Half<Words>| Some(Half { ready: false, ..half.clone() });
    let up = |left, right| decide(Some(pair()), [left, right]);
    assert_eq!(decide(Some(Pair { held: false, ..pair() }), [None, None]), Decision::Do(Step::Hold));
    assert_eq!(up(None, None), Decision::Do(Step::Make(Side::Left)));
    assert_eq!(up(unready(&left), None), wait(Wait::Ready(Side::Left)));
    assert_eq!(up(Some(left.clone()), None), Decision::Do(Step::Make(Side::Right)));
    assert_eq!(up(Some(left.clone()), unready(&right)), wait(Wait::Ready(Side::Right)));
    assert_eq!(up(Some(left), Some(right)), Decision::Converged);
}

#[test]
fn what_is_wrong_is_mended_and_what_goes_is_waited_for() {
    let right = || Some(half(Side::Right));
    let left = |change: fn(&mut Half<Words>)| {
        let mut left = half(Side::Left);
        change(&mut left);
        decide(Some(pair()), [Some(left), right()])
    };
    assert_eq!(left(|half| half.value = 8), Decision::Do(Step::Mend(Side::Left)));
    assert_eq!(left(|half| half.deleting = true), wait(Wait::Gone(Side::Left)));
    assert_eq!(left(|half| half.owner = None), wait(Wait::NameTaken(Side::Left)));
    assert_eq!(left(|half| half.owner = Some(Owner { name: "a", uid: 9 })), wait(Wait::Gone(Side::Left)));
}

#[test]
fn a_pair_is_taken_down_from_right_to_left() {
    let going = || Some(Pair { deleting: true, ..pair() });
    let (left, right) = (half(Side::Left), half(Side::Right));
    assert_eq!(
        decide(going(), [Some(left.clone()), Some(right.clone())]),
        Decision::Do(Step::Remove(Side::Right))
    );
    let goes = Half { deleting: true, ..right.clone() };
    assert_eq!(decide(going(), [Some(left.clone()), Some(goes)]), wait(Wait::Gone(Side::Right)));
    assert_eq!(decide(going(), [Some(left), None]), Decision::Do(Step::Remove(Side::Left)));
    // What is not the pair's is left where it is.
    let strange = Half { owner: None, ..right };
    assert_eq!(decide(going(), [None, Some(strange)]), Decision::Do(Step::LetGo));
    let free = Some(Pair { deleting: true, held: false, ..pair() });
    assert_eq!(decide(free, [None, None]), Decision::Converged);
    assert_eq!(decide(None, [None, None]), Decision::Converged);
}

#[test]
fn a_status_is_written_once() {
    let report = |pair: Pair<Words>, standing| {
        let snapshot = Snapshot { pair: Some(pair), halves: [None, None] };
        match Pairs::default().report(&snapshot, standing, Moment::default()) {
            Some(Write::Status { after: Object::Pair(after), .. }) => Some(after),
            None => None,
            other => panic!("{other:?}"),
        }
    };
    for (standing, phase) in [
        (Standing::Converged, Phase::Ready),
        (Standing::Waiting(&Wait::Ready(Side::Left)), Phase::Waiting(Wait::Ready(Side::Left))),
        (Standing::Failing("no room"), Phase::Failing("no room".into())),
        (Standing::Stalled("why"), Phase::Stalled("why".into())),
    ] {
        let shown = report(pair(), standing).expect("it does not say so yet");
        assert_eq!(shown.status, Status { phase, observed: 1 });
        assert_eq!(report(shown.clone(), standing), None);
        assert!(report(Pair { generation: 2, ..shown }, standing).is_some(), "people want something else");
    }
    assert_eq!(report(Pair { deleting: true, ..pair() }, Standing::Converged), None);
}

#[test]
fn a_half_is_made_under_a_name_of_the_pairs() {
    let snapshot = Snapshot { pair: Some(pair()), halves: [None, None] };
    let effect = Pairs::default().effect(&snapshot, &Step::Make(Side::Left), Moment::default());
    let Effect::Write(Write::Create(Object::Half(made))) = effect else { panic!("{effect:?}") };
    assert_eq!((made.pair, made.side, made.value, made.ready), ("a", Side::Left, 7, false));
    assert_eq!(made.owner, Some(Owner { name: "a", uid: 1 }));
}

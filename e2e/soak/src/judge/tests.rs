//! A life that is as promised, and one for every promise that is not kept.

use super::*;
use crate::log::{Asked, Deed, Key, Kind, Listing, Moment, Objects, Said, Seen, Selects, Tag, Told, Watch};

fn seen(version: Version, tag: Tag) -> Seen {
    Seen { version, tag }
}

fn deed(key: Key, asked: Asked, times: (Moment, Moment), told: Told) -> Deed {
    Deed { key, asked, sent: times.0, told, done: times.1 }
}

fn watch(from: Option<Version>, selects: Selects, said: &[(Moment, Said)]) -> Watch {
    Watch { from, selects, sent: 0, said: said.to_vec() }
}

fn listing(times: (Moment, Moment), version: Version, objects: &[(Key, Seen)]) -> Listing {
    Listing { sent: times.0, done: times.1, version, objects: objects.iter().copied().collect() }
}

fn event(kind: Kind, key: Key, version: Version, tag: Tag) -> Said {
    Said::Event(kind, key, seen(version, tag))
}

/// Object 1 was there; it is changed, goes and comes back; object 2 comes.
///
/// Even tags are red: object 1 is blue at 10, red from 11 on, blue at 13 and 15.
fn honest() -> Life {
    use Kind::{Added, Deleted, Modified};
    let start: Objects = [(1, seen(10, 5))].into();
    let deeds = vec![
        deed(1, Asked::Replace(6, 10), (100, 110), Told::Is(seen(11, 6))),
        deed(1, Asked::Get, (120, 130), Told::Is(seen(11, 6))),
        deed(2, Asked::Create(8), (140, 150), Told::Is(seen(12, 8))),
        deed(2, Asked::Create(9), (151, 152), Told::Exists),
        deed(1, Asked::Patch(7), (155, 160), Told::Is(seen(13, 7))),
        deed(1, Asked::Replace(21, 11), (161, 165), Told::Conflict),
        deed(1, Asked::Delete(13), (170, 180), Told::Gone),
        deed(1, Asked::Get, (185, 190), Told::Missing),
        deed(1, Asked::Create(15), (200, 210), Told::Is(seen(15, 15))),
        deed(2, Asked::Patch(17), (220, 230), Told::Nothing),
    ];
    let all = [
        (111, event(Modified, 1, 11, 6)),
        (151, event(Added, 2, 12, 8)),
        (152, Said::Bookmark(12)),
        (161, event(Modified, 1, 13, 7)),
        (181, event(Deleted, 1, 14, 7)),
        (211, event(Added, 1, 15, 15)),
    ];
    let red = [
        (111, event(Added, 1, 11, 6)),
        (151, event(Added, 2, 12, 8)),
        (161, event(Deleted, 1, 13, 6)),
        (181, Said::Bookmark(14)),
    ];
    let initial = [
        (160, event(Added, 1, 11, 6)),
        (160, event(Added, 2, 12, 8)),
        (161, Said::InitialEnd(12)),
        (162, event(Modified, 1, 13, 7)),
    ];
    let watches = vec![
        watch(Some(10), Selects::All, &all),
        watch(Some(10), Selects::Red, &red),
        watch(Some(12), Selects::One(1), &all[3..]),
        watch(None, Selects::All, &initial),
    ];
    let listings = vec![
        listing((153, 154), 12, &[(1, seen(11, 6)), (2, seen(12, 8))]),
        listing((182, 183), 14, &[(2, seen(12, 8))]),
    ];
    Life { start, version: 10, deeds, listings, watches, odd: Vec::new() }
}

/// The promises that a life breaks.
fn broken(spoil: impl FnOnce(&mut Life)) -> Vec<Promise> {
    let mut life = honest();
    spoil(&mut life);
    let mut promises: Vec<_> = judge(&life).1.into_iter().map(|broken| broken.promise).collect();
    promises.sort_unstable();
    promises.dedup();
    promises
}

#[test]
fn an_honest_life_breaks_nothing() {
    let (checked, broken) = judge(&honest());
    assert_eq!(broken, Vec::new());
    let expected =
        Checked { changes: 5, late: 0, answers: 10, listings: 2, events: 14, bookmarks: 3, resumed: 1 };
    assert_eq!(checked, expected);
}

#[test]
fn a_version_is_one_change_and_a_write_happens_once() {
    assert_eq!(broken(|life| life.deeds[2].told = Told::Is(seen(11, 8)))[0], Promise::OneHistory);
    assert_eq!(
        broken(|life| life.deeds.push(deed(3, Asked::Create(8), (300, 310), Told::Is(seen(20, 8))))),
        [Promise::OneHistory]
    );
    assert_eq!(
        broken(|life| {
            life.listings[0].objects.insert(7, seen(9, 1));
        })[0],
        Promise::OneHistory
    );
}

#[test]
fn versions_grow_with_time_and_guards_hold() {
    // It replaced something else than it said.
    assert_eq!(broken(|life| life.deeds[0].asked = Asked::Replace(6, 9)), [Promise::Writes]);
    assert_eq!(broken(|life| life.deeds[0].asked = Asked::Create(6)), [Promise::Writes]);
    assert_eq!(broken(|life| life.deeds[2].asked = Asked::Patch(8)), [Promise::Writes]);
    // It was sent after somebody was told of a later one.
    assert_eq!(broken(|life| life.deeds[0].sent = 155), [Promise::Writes]);
    // It was answered with another's write.
    assert_eq!(broken(|life| life.deeds[0].asked = Asked::Replace(4, 10)), [Promise::Writes]);
    // It is said to be gone, and was changed.
    assert_eq!(broken(|life| life.deeds[6].asked = Asked::Delete(11))[0], Promise::Writes);
}

#[test]
fn reads_show_what_was_told_before() {
    assert_eq!(broken(|life| life.deeds[1].told = Told::Is(seen(10, 5))), [Promise::LinearizableReads]);
    assert_eq!(broken(|life| life.deeds[1].told = Told::Missing), []);
    // It is there from its making on, and never went.
    let never = deed(2, Asked::Get, (250, 260), Told::Missing);
    assert_eq!(broken(|life| life.deeds.push(never)), [Promise::LinearizableReads]);
    // What a watch begins with is a read, too.
    assert_eq!(broken(|life| life.watches[3].sent = 170), [Promise::LinearizableReads]);
    // A list may be newer than what was told, never older.
    assert_eq!(
        broken(|life| life.listings[1] = listing((240, 250), 13, &[(1, seen(13, 7)), (2, seen(12, 8))])),
        [Promise::LinearizableReads]
    );
}

#[test]
fn lists_are_of_one_version() {
    for spoil in [
        |life: &mut Life| {
            life.listings[0].objects.insert(1, seen(13, 7));
        },
        |life: &mut Life| {
            life.listings[0].objects.remove(&1);
        },
        |life: &mut Life| {
            life.listings[1].objects.insert(1, seen(13, 7));
        },
    ] {
        assert_eq!(broken(spoil), [Promise::AtomicLists]);
    }
}

#[test]
fn a_refusal_has_a_reason() {
    // It was gone, and stays so until later.
    let early = deed(2, Asked::Create(9), (1, 2), Told::Exists);
    assert_eq!(broken(|life| life.deeds[3] = early), []);
    assert_eq!(broken(|life| life.deeds[3].key = 3), [Promise::Refusals]);
    assert_eq!(broken(|life| life.deeds[5].asked = Asked::Replace(21, 15)), [Promise::Refusals]);
    // It was written to before the life began, and not in it.
    let untouched = |guard: Version, told: Told| {
        broken(|life| {
            life.start.insert(4, seen(8, 2));
            life.listings.clear();
            life.watches.truncate(3);
            life.deeds.push(deed(4, Asked::Delete(guard), (300, 310), told));
        })
    };
    assert_eq!(untouched(7, Told::Conflict), []);
    assert_eq!(untouched(8, Told::Conflict), [Promise::Refusals]);
    assert_eq!(untouched(7, Told::Gone), [Promise::Writes]);
}

#[test]
fn watches_say_what_happened_word_for_word() {
    use Kind::{Added, Deleted, Modified};
    let all = |change: fn(&mut Vec<(Moment, Said)>)| {
        // Another one, so that the history is known without it.
        broken(|life| {
            let mut copy = life.watches[0].clone();
            change(&mut copy.said);
            life.watches.push(copy);
        })
    };
    assert_eq!(all(|said| said.swap(3, 4)), [Promise::NoGap]);
    assert_eq!(all(|said| said.truncate(2)), []);
    assert_eq!(all(|said| said.insert(5, (300, event(Modified, 1, 13, 7)))), [Promise::Unique]);
    assert_eq!(
        all(|said| {
            said.remove(3);
        }),
        [Promise::NoGap]
    );
    assert_eq!(all(|said| said[0].1 = event(Added, 1, 11, 6)), [Promise::IsCreate]);
    assert_eq!(all(|said| said[3].1 = Said::Bookmark(13)), [Promise::Bookmarks]);
    assert_eq!(all(|said| said.insert(5, (190, Said::Bookmark(12)))), [Promise::Bookmarks]);
    assert_eq!(all(|said| said.insert(0, (105, Said::Bookmark(11)))), [Promise::Bookmarks]);
    // What goes is shown as it was before.
    assert_eq!(all(|said| said[4].1 = event(Deleted, 1, 14, 6)), [Promise::PreviousValue]);
    assert_eq!(broken(|life| life.watches[1].said[2].1 = event(Deleted, 1, 13, 7)), [Promise::PreviousValue]);
    // Who watches what is red is not shown what is blue, and is shown what becomes so.
    assert_eq!(broken(|life| life.watches[1].said[2].1 = event(Modified, 1, 13, 7)), [Promise::Filter]);
    assert_eq!(broken(|life| life.watches[1].said[3] = (212, event(Added, 1, 15, 15))), [Promise::Filter]);
    assert_eq!(broken(|life| life.watches[1].said[0].1 = event(Modified, 1, 11, 6)), [Promise::IsCreate]);
}

#[test]
fn what_comes_late_is_out_of_order() {
    let late = |life: &mut Life| {
        let mut copy = life.watches[0].clone();
        copy.said = vec![copy.said[1], copy.said[0]];
        copy.from = Some(11);
        life.watches.push(copy);
    };
    assert_eq!(broken(late), [Promise::Ordered]);
}

#[test]
fn a_watch_goes_on_where_another_ended() {
    assert_eq!(
        broken(|life| {
            life.watches[2].said.remove(0);
        }),
        [Promise::Resumable]
    );
    assert_eq!(broken(|life| life.watches[2].from = Some(13)), [Promise::Resumable]);
}

#[test]
fn what_there_is_at_first_is_of_one_version() {
    assert_eq!(
        broken(|life| {
            life.watches[3].said.remove(0);
        }),
        [Promise::Atomic]
    );
    assert_eq!(
        broken(|life| life.watches[3].said[0].1 = event(Kind::Modified, 1, 11, 6)),
        [Promise::IsCreate]
    );
    assert_eq!(
        broken(|life| {
            life.watches[3].said.remove(3);
        }),
        []
    );
}

#[test]
fn a_hub_comes_back_with_what_was_told() {
    let rest = rest(&honest());
    let as_told: Objects = [(1, seen(15, 15)), (2, seen(12, 8))].into();
    let with = |version, change: &dyn Fn(&mut Objects)| {
        let mut objects = as_told.clone();
        change(&mut objects);
        resumes(&rest, version, &objects).len()
    };
    assert_eq!(with(15, &|_| ()), 0);
    // The write that was never answered may have happened, and no other.
    assert_eq!(
        with(16, &|objects| {
            objects.insert(2, seen(16, 17));
        }),
        0
    );
    assert_eq!(
        with(16, &|objects| {
            objects.insert(2, seen(16, 18));
        }),
        1
    );
    assert_eq!(with(14, &|_| ()), 1);
    assert_eq!(
        with(15, &|objects| {
            objects.remove(&1);
        }),
        1
    );
    assert_eq!(
        with(15, &|objects| {
            objects.insert(1, seen(13, 7));
        }),
        1
    );
    assert_eq!(
        with(17, &|objects| {
            objects.insert(9, seen(17, 99));
        }),
        1
    );
}

#[test]
fn what_was_said_to_be_gone_is_gone_though_nobody_saw_it_go() {
    let mut life = honest();
    life.deeds.push(deed(2, Asked::Delete(12), (300, 310), Told::Gone));
    let rest = rest(&life);
    let without: Objects = [(1, seen(15, 15))].into();
    assert_eq!(resumes(&rest, 16, &without), []);
    let with: Objects = [(1, seen(15, 15)), (2, seen(12, 8))].into();
    assert_eq!(resumes(&rest, 16, &with).len(), 1);
}

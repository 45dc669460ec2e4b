//! What is claimed of writes.

use bowline_explorer::{Formula, Property};

use super::state::{BATCH, CLIENTS, Client, Item, State};
use super::{Action, Objects};

pub(super) fn all() -> Vec<Property<Objects>> {
    let mut all = safety();
    all.extend([
        Property::for_each("WritesAnswered", 0..CLIENTS, |c| {
            let waits = move |s: &State| s.clients[c].waits();
            Formula::leads_to(move |_, s| waits(s), move |_, s| !waits(s))
        })
        .about("whoever has written is answered"),
        Property::sometimes("ReaderStale", |_, s: &State| {
            let stale = |c: &Client| matches!(c, Client::Has { version, .. } if *version != s.head.version);
            s.head.there && s.clients.iter().any(stale)
        })
        .about("a client has read what is no longer there"),
        Property::sometimes("Batched", |_, s: &State| {
            usize::from(s.pending) == BATCH && s.clients.iter().any(|client| client.waits())
        })
        .about("an update is one of several changes that are not durable yet"),
        Property::sometimes("BothCount", |_, s: &State| {
            s.durable.counts.says() & 3 != 0 && s.durable.counts.says() >> 2 != 0
        })
        .about("both clients have counted"),
        Property::sometimes("GoesHeld", |_, s: &State| s.durable.going && !s.durable.held)
            .about("the object is being deleted, and could get another finalizer"),
        Property::sometimes("HolderAsked", |_, s: &State| {
            s.durable.has_holder() && s.durable.going && s.durable.held
        })
        .about("an object is being deleted, and its holder is asked"),
        Property::sometimes("MadeAgain", |_, s: &State| s.durable.uid > 1)
            .about("the object was removed, and another has its name"),
    ]);
    all
}

fn safety() -> Vec<Property<Objects>> {
    vec![
        Property::always("NoLostUpdate", |_, s: &State| {
            [s.head, s.durable].iter().all(|item| item.counts.says() == item.counts.is())
        })
        .about("all that clients counted is counted"),
        Property::always_step("StaleNeverWins", |_, s: &State, action: &Action, next: &State| {
            let Action::Update(c) = action else { return true };
            let Client::Has { version, .. } = s.clients[usize::from(*c)] else { return true };
            s.head == next.head || s.head.there && s.head.version == version
        })
        .about("a write that names a version is refused unless the object is at it"),
        Property::always("AnsweredStays", |_, s: &State| s.answered <= s.durable_version)
            .about("what was answered is durable, also after a restart"),
        Property::always("HeadAhead", |_, s: &State| {
            let last = s.pending.checked_sub(1).map_or(s.durable, |last| s.batch[usize::from(last)]);
            s.head == last && s.head_version == s.durable_version + s.pending
        })
        .about("the head is what is durable and what is pending, also after something was taken back"),
        Property::always_step("VersionsGrow", versions_grow).about(
            "every change takes the next version and nothing else does; what is durable never goes back",
        ),
        Property::always_step("GoingStays", |_, s: &State, action: &Action, next: &State| {
            let (old, new) = (s.head, next.head);
            let lost = matches!(action, Action::Refuse | Action::Restart);
            let same = old.there && new.there && old.uid == new.uid;
            lost || !(same && old.going) || new.going && (old.held || !new.held)
        })
        .about("what is being deleted stays so, and takes no new finalizer"),
        Property::always("DoneIsGone", |_, s: &State| {
            let done = |item: &Item| item.there && item.going && !item.is_held();
            ![s.head, s.durable].iter().any(done)
        })
        .about("what is being deleted goes with its last finalizer"),
        Property::always("EndIsTold", |_, s: &State| {
            s.steps().all(|(before, after)| !before.is_run() || after.there || before.going)
        })
        .about("who runs the object sees that it is being deleted before it is gone"),
        Property::always("HolderLetsGo", |_, s: &State| {
            s.steps().all(|(before, after)| !before.has_holder() || after.there || before.held)
        })
        .about("what has a holder goes when that lets it go"),
    ]
}

fn versions_grow(_: &Objects, s: &State, action: &Action, next: &State) -> bool {
    let unversioned = |item: Item| Item { version: 0, ..item };
    let grows = match action {
        Action::Read(_) | Action::Commit => next.head_version == s.head_version,
        Action::Refuse | Action::Restart => true,
        _ if unversioned(s.head) == unversioned(next.head) => {
            (next.head, next.head_version) == (s.head, s.head_version)
        }
        _ => {
            let stamped = !next.head.there || next.head.version == next.head_version;
            let told = s.head.is_run() && !s.head.going && !next.head.there;
            next.head_version == s.head_version + 1 + u8::from(told) && stamped
        }
    };
    grows && next.durable_version >= s.durable_version
}

//! The one writer on stores that do not always write.

use std::collections::VecDeque;
use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use std::sync::mpsc;

use bowline_kernel::{Change, Expect, Object, Refusal};
use serde_json::json;

use super::modify::TRIES;
use super::*;
use crate::document::{Counting, Edit};
use crate::key::PODS;
use crate::status::Status;
use crate::store::{CommitError, Kept, State, Store, StoreError};
use crate::time::Moment;

/// What becomes of the next commit.
enum Fate {
    Kept,
    Refused,
    Unknown,
    Panic,
}

/// A store whose commits wait for their fate; when nobody says any more, all are kept.
struct Fateful {
    fates: mpsc::Receiver<Fate>,
    /// The versions that came, batch by batch.
    came: mpsc::Sender<Vec<u64>>,
}

impl Store for Fateful {
    fn commit(&mut self, changes: &[Change<Document>]) -> Result<(), CommitError> {
        // Who does not listen does not care.
        let _ = self.came.send(changes.iter().map(|change| change.version.0).collect());
        match self.fates.recv().unwrap_or(Fate::Kept) {
            Fate::Kept => Ok(()),
            Fate::Refused => Err(CommitError::Refused(StoreError::new("No space left on device"))),
            Fate::Unknown => Err(CommitError::Unknown(StoreError::new("Input/output error"))),
            Fate::Panic => unreachable!("this is planted"),
        }
    }

    fn load(&self, _: &mut dyn FnMut(Key, Kept)) -> Result<State, StoreError> {
        Ok(State::default())
    }
}

struct World {
    hub: Arc<Hub>,
    fates: mpsc::Sender<Fate>,
    came: mpsc::Receiver<Vec<u64>>,
    _committer: Committer,
}

fn world() -> World {
    let (fates, receiver) = mpsc::channel();
    let (sender, came) = mpsc::channel();
    let hub = Arc::new(Hub::new(Version(10), Vec::new(), Arc::default()));
    let store = Fateful { fates: receiver, came: sender };
    let committer = hub.commit_to(store, Box::new(|_, _| ())).expect("a thread");
    World { hub, fates, came, _committer: committer }
}

fn key(name: &str) -> Key {
    Key::new(Resource::new("test.dev", "things"), "", name)
}

fn thing(name: &str, value: u32) -> Document {
    let json = json!({ "metadata": { "name": name, "uid": format!("uid-{name}") }, "value": value });
    let json = json.as_object().expect("an object");
    Document::new(key(name), json, Counting::Nothing, &|_, _, _, _| None).expect("it has metadata")
}

fn shown(hub: &Hub, name: &str) -> Option<(u64, serde_json::Value)> {
    let view = hub.view();
    view.get(&key(name)).map(|found| (found.meta().version.0, found.json()["value"].clone()))
}

#[tokio::test]
async fn what_is_refused_has_not_been() {
    let World { hub, fates, came, _committer } = world();
    fates.send(Fate::Kept).expect("it runs");
    hub.perform(Request::Create(thing("a", 1))).await.expect("it is kept");
    let mut bell = hub.bell(&key("a").resource);
    bell.mark_unchanged();
    fates.send(Fate::Refused).expect("it runs");
    let refused = hub.perform(Request::Create(thing("b", 1))).await.expect_err("it is refused");
    let status = Status::from(refused);
    assert_eq!((status.code, status.reason), (507, "InsufficientStorage"));
    assert!(status.message.contains("nothing was changed: No space left on device"), "{}", status.message);
    // Nobody is told of anything; what was there is still there, also for who writes.
    assert!(!bell.has_changed().expect("it rings"));
    assert_eq!((shown(&hub, "a"), shown(&hub, "b")), (Some((11, json!(1))), None));
    assert!(hub.ahead(&key("b")).is_none());
    assert_eq!(hub.view().version(), Version(11));
    // The next write takes the version that the refused one would have had.
    drop(fates);
    hub.perform(Request::Create(thing("b", 2))).await.expect("it is kept");
    assert_eq!(shown(&hub, "b"), Some((12, json!(2))));
    assert_eq!(came.try_iter().collect::<Vec<_>>(), [[11], [12], [12]]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_decided_on_top_of_what_is_refused_is_refused_too() {
    let World { hub, fates, came, _committer } = world();
    let first = tokio::spawn({
        let hub = Arc::clone(&hub);
        async move { hub.perform(Request::Create(thing("a", 1))).await }
    });
    // The first is on its way to the disk: the others are decided on top of it.
    assert_eq!(came.recv().expect("it runs"), [11]);
    let changed = hub.perform(Request::Replace(thing("a", 2), Expect::anything()));
    let created = hub.perform(Request::Create(thing("b", 1)));
    let again = hub.perform(Request::Create(thing("a", 3)));
    let late = async {
        // All three have been decided when this is polled; now the first is refused.
        fates.send(Fate::Refused).expect("it runs");
    };
    let (changed, created, again, ()) = tokio::join!(changed, created, again, late);
    let first = first.await.expect("it does not panic");
    // Also who was told that there is such a thing already: there is none.
    for outcome in [first, changed, created, again] {
        assert!(matches!(outcome, Err(Failure::NotDurable(_))), "{outcome:?}");
    }
    assert_eq!((shown(&hub, "a"), shown(&hub, "b"), hub.view().version()), (None, None, Version(10)));
    drop(fates);
    hub.perform(Request::Create(thing("a", 4))).await.expect("it is kept");
    assert_eq!(shown(&hub, "a"), Some((11, json!(4))));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_computed_on_what_is_taken_back_comes_to_nothing() {
    let World { hub, fates, came, _committer } = world();
    fates.send(Fate::Kept).expect("it runs");
    hub.perform(Request::Create(thing("a", 1))).await.expect("it is kept");
    let put = |value, version| Request::Replace(thing("a", value), Expect::version(Version(version)));
    let first = tokio::spawn({
        let hub = Arc::clone(&hub);
        async move { hub.perform(put(2, 11)).await }
    });
    assert_eq!((came.recv(), came.recv()), (Ok(vec![11]), Ok(vec![12])));
    // Somebody computes on what is not durable, and another takes the same version meanwhile.
    let (seen, era) = hub.look(&key("a"));
    assert_eq!(seen.map(|seen| seen.meta().version), Some(Version(12)));
    fates.send(Fate::Refused).expect("it runs");
    assert!(matches!(first.await.expect("it does not panic"), Err(Failure::NotDurable(_))));
    assert!(!hub.settle_in(era).await.expect("nothing is under way"), "what was seen was taken back");
    drop(fates);
    hub.perform(put(3, 11)).await.expect("it is kept");
    assert!(hub.perform_in(era, put(4, 12)).await.is_ok_and(|answer| answer.is_none()));
    assert_eq!(shown(&hub, "a"), Some((12, json!(3))));
    let (_, era) = hub.look(&key("a"));
    assert!(hub.perform_in(era, put(5, 12)).await.is_ok_and(|answer| answer.is_some()));
}

#[tokio::test]
async fn many_refusals_in_a_row_change_nothing() {
    let World { hub, fates, came: _came, _committer } = world();
    for _ in 0..20 {
        fates.send(Fate::Refused).expect("it runs");
        let refused = hub.perform(Request::Create(thing("a", 1))).await;
        assert!(matches!(refused, Err(Failure::NotDurable(_))), "{refused:?}");
        hub.settle().await.expect("nothing is under way");
    }
    fates.send(Fate::Kept).expect("it runs");
    hub.perform(Request::Create(thing("a", 1))).await.expect("it is kept");
    assert_eq!(shown(&hub, "a"), Some((11, json!(1))));
}

#[tokio::test]
async fn a_change_that_panics_takes_nothing_else_down() {
    let World { hub, fates, came: _came, _committer } = world();
    drop(fates);
    hub.perform(Request::Create(thing("a", 1))).await.expect("it is kept");
    // The change is overtaken every time, until the writer itself computes it; there it panics.
    let calls = Arc::new(Mutex::new(VecDeque::from_iter(0..TRIES)));
    let edit: Edit = Arc::new({
        let (hub, calls) = (Arc::clone(&hub), Arc::clone(&calls));
        move |current| {
            let left = calls.lock().expect("it is held only here").pop_front();
            assert!(left.is_some(), "this is planted");
            let mine = hub
                .front()
                .head
                .perform(Request::Replace(thing("a", 100 + left.unwrap_or(0) as u32), Expect::anything()));
            hub.front().batch.changes.extend(mine.1);
            current.cloned().ok_or_else(|| Status::internal("it is there"))
        }
    });
    let task = tokio::spawn({
        let hub = Arc::clone(&hub);
        async move { hub.modify(&key("a"), edit, false).await.map(drop).map_err(|failure| format!("{failure:?}")) }
    });
    assert!(task.await.expect_err("it panics").is_panic());
    assert!(calls.lock().expect("it is held only here").is_empty());
    hub.perform(Request::Create(thing("b", 1))).await.expect("others go on");
    let refused = hub.perform(Request::Create(thing("b", 1))).await;
    assert!(matches!(refused, Err(Failure::Refused(Refusal::AlreadyExists))), "{refused:?}");
}

/// Who takes long at what many change would hold up everybody if it were computed while all others wait.
#[tokio::test(flavor = "multi_thread")]
async fn of_many_at_one_long_object_each_computes_at_most_twice_and_beside_the_writer() {
    const MANY: usize = 24;
    let World { hub, fates, came: _came, _committer } = world();
    drop(fates);
    let long = |by: usize| {
        let metadata = json!({ "name": "a", "uid": "uid-a" });
        let json = json!({ "metadata": metadata, "value": by, "text": "x".repeat(BIG_BYTES) });
        let json = json.as_object().expect("an object");
        Document::new(key("a"), json, Counting::Nothing, &|_, _, _, _| None).expect("it has metadata")
    };
    hub.perform(Request::Create(long(MANY))).await.expect("it is kept");
    // Nobody changes it before everybody has computed once: all but one are overtaken.
    let all_have_seen = Arc::new(std::sync::Barrier::new(MANY));
    let computed = Arc::new(Mutex::new(Vec::new()));
    let tasks = (0..MANY).map(|by| {
        let (hub, computed, all_have_seen) =
            (Arc::clone(&hub), Arc::clone(&computed), Arc::clone(&all_have_seen));
        let edit: Edit = Arc::new(move |_| {
            let is_first = {
                let mut computed = computed.lock().expect("it is held only here");
                computed.push((by, Deciding::is_on()));
                computed.iter().filter(|(other, _)| *other == by).count() == 1
            };
            if is_first {
                all_have_seen.wait();
            }
            Ok(long(by))
        });
        tokio::spawn(async move { hub.modify(&key("a"), edit, false).await.map(drop) })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await.expect("it does not panic").expect("it is changed");
    }
    let computed = computed.lock().expect("nobody computes any more");
    assert_eq!(computed.len(), 2 * MANY - 1, "{computed:?}");
    assert!(computed.iter().all(|(_, while_others_wait)| !while_others_wait), "{computed:?}");
    assert_eq!(hub.view().version(), Version(11 + MANY as u64));
    assert!(hub.turns.is_empty(), "who is done is in no line");
}

#[tokio::test]
async fn who_gives_up_in_a_line_holds_up_nobody() {
    let hub = world().hub;
    let first = hub.turns.wait(&key("a"), true).await.expect("it begins a line");
    let second = tokio::time::timeout(Duration::ZERO, hub.turns.wait(&key("a"), false)).await;
    assert!(second.is_err(), "it is not its turn, and it goes away");
    assert!(hub.turns.wait(&key("b"), false).await.is_none(), "there is no line");
    drop(first);
    assert!(hub.turns.is_empty());
    assert!(hub.turns.wait(&key("a"), false).await.is_none());
}

/// Says to a test that it is the one that is to end.
const CHILD: &str = "BOWLINE_TEST_ABORTS";

/// A write in a process of its own that meets this fate: nobody is told anything, and the process ends.
async fn ends(test: &str, fate: Fate) {
    if std::env::var_os(CHILD).is_some() {
        let World { hub, fates, came: _came, _committer } = world();
        fates.send(fate).expect("it runs");
        match hub.perform(Request::Create(thing("a", 1))).await {
            // Who waits for a writer that panics may hear that it stops, just before everything does.
            Err(Failure::Stopping) => std::future::pending().await,
            answer => unreachable!("nobody may be told anything, but: {answer:?}"),
        }
    }
    let output = Command::new(std::env::current_exe().expect("this is a program"))
        .args([&format!("hub::tests::{test}"), "--exact", "--nocapture"])
        .env(CHILD, "1")
        .output()
        .expect("it can be started once more");
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    const SIGABRT: i32 = 6;
    assert_eq!(output.status.signal(), Some(SIGABRT), "{said}");
    assert!(said.contains("running 1 test") && !said.contains("nobody may be told"), "{said}");
}

#[tokio::test]
async fn when_it_is_not_known_what_is_on_the_disk_the_process_ends() {
    ends("when_it_is_not_known_what_is_on_the_disk_the_process_ends", Fate::Unknown).await;
}

#[tokio::test]
async fn when_the_writer_panics_the_process_ends() {
    ends("when_the_writer_panics_the_process_ends", Fate::Panic).await;
}

fn pod(json: serde_json::Value) -> Document {
    let key = Key::new(PODS.clone(), "", "p");
    let json = json.as_object().expect("an object");
    let owner = |_: &str, _: &str, name: &str, _: &str| Some(self::key(name));
    Document::new(key, json, Counting::Nothing, &owner).expect("it has metadata")
}

#[tokio::test]
async fn who_runs_a_pod_is_told_of_its_end_and_nobody_sees_it_half_done() {
    let World { hub, fates, came, _committer } = world();
    drop(fates);
    let made = pod(json!({ "metadata": { "name": "p", "uid": "1" } }));
    hub.perform(Request::Create(made.clone())).await.expect("it is kept");
    assert_eq!(came.recv(), Ok(vec![11]));
    let end = Request::Delete {
        key: made.key().clone(),
        expect: Expect::anything(),
        propagation: None,
        grace_s: 0,
        at: Moment::now(),
    };
    let answer = hub.perform(end).await.expect("it is kept");
    assert_eq!(came.recv(), Ok(vec![12, 13]));
    assert!(matches!(&answer, Answer::Removed(last) if last.meta().version == Version(13)), "{answer:?}");
    assert!(answer.object().meta().deletion.is_some() && hub.ahead(made.key()).is_none());
}

#[tokio::test]
async fn chores_tell_of_it_too() {
    let World { hub, fates, came, _committer } = world();
    drop(fates);
    let owner = json!({ "apiVersion": "test.dev/v1", "kind": "Thing", "name": "gone", "uid": "2" });
    let owned = json!({ "metadata": { "name": "p", "uid": "1", "ownerReferences": [owner] } });
    hub.perform(Request::Create(pod(owned))).await.expect("it is kept");
    assert_eq!(came.recv(), Ok(vec![11]));
    assert_eq!(came.recv(), Ok(vec![12, 13]));
}

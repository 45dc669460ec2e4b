//! A disk that says that it failed: what is refused has not been, and after a failed sync the process stops.

use std::os::unix::process::ExitStatusExt;
use std::process::Command;

use bowline_kernel::Request;

use super::workload::thing;
use super::*;
use crate::hub::Hub;

#[test]
fn whatever_fails_what_was_acknowledged_is_there_and_what_was_refused_is_not() {
    let run = run();
    let mut dice = Dice(SEED + 4);
    let (mut refused, mut kept, mut stopped) = (0, 0, 0);
    run.each(|number, before, _| {
        let batch = &run.batches[number];
        let next = run.batches.get(number + 1);
        for at in 0.. {
            let sectors = dice.below(9) as usize;
            let mut ends = false;
            // A full disk is one that fails until somebody makes room: it does not have to be full everywhere.
            let full = (at % 3 == number as u64 % 3).then_some(Fault::Full);
            for fault in [Fault::Fails(sectors)].into_iter().chain(full) {
                let what = || format!("batch {number}, step {at}: {fault:?}");
                let (disk, note) = (Platter::new(before.to_vec()), Platter::new(Vec::new()));
                let mut store = start(&disk, &note, CACHE).expect("it is whole");
                disk.plant(at, fault);
                let outcome = store.commit(&batch.changes);
                ends = !disk.heal();
                match outcome {
                    Ok(()) => kept += u64::from(!ends),
                    Err(CommitError::Refused(_)) => {
                        refused += 1;
                        // The store goes on, and the same versions are given away again.
                        store
                            .commit(&batch.changes)
                            .unwrap_or_else(|error| unreachable!("{error}: {}", what()));
                    }
                    Err(CommitError::Unknown(_)) => {
                        stopped += 1;
                        stopped_well(&disk, &note, batch, &what);
                        continue;
                    }
                }
                let last = next.unwrap_or(batch);
                if let Some(next) = next {
                    store.commit(&next.changes).unwrap_or_else(|error| unreachable!("{error}: {}", what()));
                }
                drop(store);
                let (version, contents) = restart(&disk, &note).expect("nothing is damaged");
                assert!(version == last.last() && contents == *last.after, "{}", what());
            }
            if ends {
                break;
            }
        }
    });
    println!("refused {refused}, kept {kept}, stopped {stopped}");
    assert!(refused > OPERATIONS && stopped > 100, "refused {refused}, kept {kept}, stopped {stopped}");
}

/// Nobody was told anything: all of the batch is there, or nothing of it.
fn stopped_well(disk: &Arc<Platter>, note: &Arc<Platter>, batch: &Batch, what: &dyn Fn() -> String) {
    let (version, contents) = restart(disk, note).expect("nothing is damaged");
    let expected = if version == batch.last() { &batch.after } else { &batch.before };
    assert!(version == batch.last() || version.next() == batch.first(), "{}", what());
    assert!(contents == **expected, "{}", what());
}

/// Says to this test that it is the one that is to end.
const CHILD: &str = "BOWLINE_TEST_SYNC_FAILS";

/// The writer of a hub on a disk whose first sync fails: nobody is told anything.
async fn write_and_sync_badly() {
    let run = run();
    let at = run.steps[0].iter().position(|step| matches!(step, Step::Sync)).expect("it is synced");
    let (disk, note) = (Platter::new(run.empty), Platter::new(Vec::new()));
    let store = start(&disk, &note, CACHE).expect("it is whole");
    let hub = Arc::new(Hub::new(Version(0), Vec::new(), Arc::default()));
    let _committer = hub.commit_to(store, Box::new(|_, _| ())).expect("a thread");
    disk.plant(at as u64, Fault::Fails(0));
    let answer = hub.perform(Request::Create(thing("a", &mut Dice(SEED)))).await;
    unreachable!("nobody may be told anything, but: {answer:?}");
}

#[tokio::test]
async fn after_a_failed_sync_the_process_stops() {
    if std::env::var_os(CHILD).is_some() {
        write_and_sync_badly().await;
    }
    let output = Command::new(std::env::current_exe().expect("this is a program"))
        .args(["store::faults::stops::after_a_failed_sync_the_process_stops", "--exact", "--nocapture"])
        .env(CHILD, "1")
        .output()
        .expect("it can be started once more");
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    const SIGABRT: i32 = 6;
    assert_eq!(output.status.signal(), Some(SIGABRT), "{said}");
    assert!(said.contains("running 1 test") && !said.contains("nobody may be told"), "{said}");
}

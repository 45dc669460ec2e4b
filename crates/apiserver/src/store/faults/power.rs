//! The power goes, at every step: what was synced is there, of all else anything may be.

use super::*;

/// What of the steps since the last sync has got to the disk, in sectors, by chance.
fn some(synced: &[u8], unsynced: &[&Step], dice: &mut Dice) -> Vec<u8> {
    let mut image = synced.to_vec();
    for step in unsynced {
        match step {
            Step::SetLen(_) if dice.below(2) == 0 => {
                apply(&mut image, step, None).expect("nothing goes wrong");
            }
            Step::Write(at, data) => {
                let whole = dice.below(3);
                for (number, sector) in data.chunks(SECTOR).enumerate() {
                    let place = *at as usize + number * SECTOR;
                    // What lies behind the end of a file is not in it.
                    let is_there = place + sector.len() <= image.len();
                    if is_there && (whole == 0 || (whole == 1 && dice.below(2) == 0)) {
                        image[place..place + sector.len()].copy_from_slice(sector);
                    }
                }
            }
            Step::SetLen(_) | Step::Sync => {}
        }
    }
    image
}

fn expect(image: Vec<u8>, allowed: &[(Version, &Contents)], what: &dyn Fn() -> String) {
    let nothing = Platter::new(Vec::new());
    let (version, contents) = match restart(&Platter::new(image), &nothing) {
        Ok(found) => found,
        Err(error) => unreachable!("{error}: {}", what()),
    };
    let fits = allowed.iter().any(|(allowed, expected)| *allowed == version && contents == **expected);
    assert!(fits, "version {version} is not what was acknowledged: {}", what());
}

#[test]
fn what_was_acknowledged_is_there_when_the_power_comes_back() {
    let run = run();
    let mut dice = Dice(SEED + 2);
    let mut cuts = 0;
    let mut synced = run.empty.clone();
    run.each(|number, before, steps| {
        let batch = &run.batches[number];
        let old = (Version(batch.first().0 - 1), &*batch.before);
        let new = (batch.last(), &*batch.after);
        let mut live = before.to_vec();
        let mut unsynced = Vec::new();
        let last_sync = steps.iter().rposition(|step| matches!(step, Step::Sync));
        for (at, step) in steps.iter().enumerate() {
            let what = || format!("batch {number}, after step {at} of {}", steps.len());
            apply(&mut live, step, None).expect("nothing goes wrong");
            cuts += 1;
            if matches!(step, Step::Sync) {
                synced.clone_from(&live);
                unsynced.clear();
                let allowed: &[_] = if Some(at) == last_sync { &[new] } else { &[old] };
                expect(live.clone(), allowed, &what);
                continue;
            }
            unsynced.push(step);
            let allowed: &[_] = if Some(at) > last_sync { &[new] } else { &[old, new] };
            expect(live.clone(), allowed, &what);
            expect(some(&synced, &unsynced, &mut dice), allowed, &what);
        }
    });
    assert!(cuts > OPERATIONS, "{cuts}");
}

#[test]
fn a_sync_that_did_nothing_is_found_out_when_the_power_comes_back() {
    let run = run();
    let mut dice = Dice(SEED + 3);
    let mut tally = Tally::default();
    run.each(|number, before, steps| {
        let batch = &run.batches[number];
        let what = || format!("batch {number}");
        let unsynced: Vec<_> = steps.iter().collect();
        // What is noted is not synced either. Where it is lost too, nothing is left that could tell.
        let note = note(batch.last());
        for _ in 0..4 {
            tally.judge(&Platter::new(some(before, &unsynced, &mut dice)), &note, Some(batch), None, &what);
        }
        tally.judge(&Platter::new(before.to_vec()), &note, Some(batch), None, &what);
    });
    println!("{tally:?}");
    assert!(tally.told_by_note > 100, "{tally:?}");
}

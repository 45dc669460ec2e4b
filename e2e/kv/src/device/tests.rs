use std::sync::atomic::{AtomicU32, Ordering};

use proptest::prelude::*;

use super::*;
use crate::clock::Micros;

/// A device that is gone when this is dropped.
struct Scratch(PathBuf);

impl Scratch {
    fn new(mode: Mode) -> io::Result<Scratch> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("bowline-device-{}-{count}", std::process::id()));
        make(&path, &["d0"], mode)?;
        Ok(Scratch(path))
    }

    fn dir(&self) -> PathBuf {
        self.0.join("d0")
    }

    fn append(&self, record: &Record) -> io::Result<Outcome> {
        Device::open(&self.dir())?.lock()?.append(record)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn record(sequence: u64, epoch: u64) -> Record {
    let written = Written { key: "k".into(), number: sequence, value: "a value\nof two lines".into() };
    Record {
        sequence,
        epoch,
        member: "n1".into(),
        version: "v1".into(),
        pid: 7,
        at: Micros(5),
        act: Act::Write(written),
        refused: false,
    }
}

#[test]
fn a_smaller_epoch_is_refused_and_the_refusal_is_written_down() -> io::Result<()> {
    let scratch = Scratch::new(Mode::Enforces)?;
    assert_eq!(scratch.append(&record(1, 7))?, Outcome::Done);
    assert_eq!(scratch.append(&record(2, 8))?, Outcome::Done);
    assert_eq!(scratch.append(&record(2, 7))?, Outcome::Refused(8));
    assert_eq!(scratch.append(&record(3, 8))?, Outcome::Done);
    let refused = Record { refused: true, ..record(2, 7) };
    let expected = [record(1, 7), record(2, 8), refused, record(3, 8)].map(Entry::Whole);
    assert_eq!(read(&scratch.dir())?, expected);
    Ok(())
}

#[test]
fn a_device_that_only_records_takes_a_smaller_epoch() -> io::Result<()> {
    let scratch = Scratch::new(Mode::Records)?;
    for (sequence, epoch) in [(1, 8), (2, 7)] {
        assert_eq!(scratch.append(&record(sequence, epoch))?, Outcome::Done);
    }
    assert_eq!(read(&scratch.dir())?, [record(1, 8), record(2, 7)].map(Entry::Whole));
    Ok(())
}

#[test]
fn what_a_killed_process_has_begun_is_kept_apart_from_what_follows() -> io::Result<()> {
    let line = record(2, 7).line();
    for length in 1..line.len() {
        let scratch = Scratch::new(Mode::Enforces)?;
        scratch.append(&record(1, 7))?;
        let mut log = OpenOptions::new().append(true).open(scratch.dir().join(LOG))?;
        log.write_all(&line[..length])?;
        assert_eq!(read(&scratch.dir())?, [Entry::Whole(record(1, 7)), Entry::Torn], "{length}");
        scratch.append(&record(2, 7))?;
        let expected = [Entry::Whole(record(1, 7)), Entry::Torn, Entry::Whole(record(2, 7))];
        assert_eq!(read(&scratch.dir())?, expected, "{length}");
    }
    Ok(())
}

#[test]
fn an_epoch_that_was_being_raised_by_a_killed_process_is_that_of_the_log() -> io::Result<()> {
    let scratch = Scratch::new(Mode::Enforces)?;
    scratch.append(&record(1, 7))?;
    fs::write(scratch.dir().join(EPOCH), "")?;
    assert_eq!(scratch.append(&record(2, 6))?, Outcome::Refused(7));
    Ok(())
}

#[test]
fn a_lock_keeps_others_out_until_it_is_dropped() -> io::Result<()> {
    let scratch = Scratch::new(Mode::Enforces)?;
    let (one, other) = (Device::open(&scratch.dir())?, Device::open(&scratch.dir())?);
    let locked = one.lock()?;
    assert!(other.log.try_lock().is_err());
    drop(locked);
    assert!(other.log.try_lock().is_ok());
    Ok(())
}

#[test]
fn keys_are_spread_over_all_devices_and_stay_where_they_are() {
    let names = ["d0", "d1", "d2"].map(str::to_owned);
    let places: Vec<_> = (0..60).filter_map(|key| of_key(&names, &format!("k{key}"))).collect();
    assert_eq!(places.len(), 60);
    assert!(names.iter().all(|name| places.iter().filter(|place| *place == name).count() > 5), "{places:?}");
    assert_eq!(of_key(&[], "k"), None);
}

proptest! {
    #[test]
    fn a_record_is_read_as_it_was_written_and_no_byte_of_it_can_change(
        sequence: u64, epoch: u64, key in "[a-z]{1,8}", value in "\\PC{0,20}", at: u64, bit in 0_u8..8, place: prop::sample::Index
    ) {
        let act = Act::Write(Written { key, number: 3, value });
        let record = Record { act, at: Micros(at), ..record(sequence, epoch) };
        let mut line = record.line();
        prop_assert_eq!(record::parse(&line), vec![Entry::Whole(record.clone())]);
        let place = place.index(line.len() - 1);
        line[place] ^= 1 << bit;
        prop_assert!(!record::parse(&line).contains(&Entry::Whole(record)));
    }
}

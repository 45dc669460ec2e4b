//! The log on disks that do not always write: at every operation, in every way.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::sync::atomic::{AtomicU32, Ordering};

use tokio::sync::oneshot::error::TryRecvError;

use super::*;

/// What goes wrong, at one operation of a disk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    /// There is no room, once.
    Full,
    /// There is no room, and none is to be had.
    FullForGood,
    /// The process is killed in the middle of it: so much of what was to be appended is there.
    Killed { permille: usize },
    /// The system says no.
    Refused,
    /// The sync fails, and what was appended last is gone.
    Lost,
    /// The sync fails, and something else is where it was.
    Garbled,
}

const FAULTS: [Fault; 8] = [
    Fault::Full,
    Fault::FullForGood,
    Fault::Killed { permille: 0 },
    Fault::Killed { permille: 500 },
    Fault::Killed { permille: 999 },
    Fault::Refused,
    Fault::Lost,
    Fault::Garbled,
];

/// A disk that does something wrong at one operation.
struct Faulty {
    files: Files,
    path: PathBuf,
    count: usize,
    at: usize,
    fault: Fault,
    /// How long the file was before the last lines.
    before: u64,
}

impl Faulty {
    fn is_due(&mut self) -> bool {
        self.count += 1;
        self.count == self.at || (self.count > self.at && self.fault == Fault::FullForGood)
    }

    fn error(&self) -> io::Error {
        match self.fault {
            Fault::Full | Fault::FullForGood => io::ErrorKind::StorageFull.into(),
            _ => io::Error::other("planted"),
        }
    }

    fn open(&self) -> std::fs::File {
        OpenOptions::new().write(true).open(&self.path).expect("the log is there")
    }
}

impl Disk for Faulty {
    fn append(&mut self, lines: &[u8]) -> io::Result<()> {
        self.before = self.files.length();
        if !self.is_due() {
            return self.files.append(lines);
        }
        if let Fault::Killed { permille } = self.fault {
            self.files.append(&lines[..lines.len() * permille / 1000])?;
        }
        Err(self.error())
    }

    fn sync(&mut self) -> io::Result<()> {
        if !self.is_due() {
            return self.files.sync();
        }
        if self.fault == Fault::Lost {
            self.open().set_len(self.before)?;
        }
        if self.fault == Fault::Garbled {
            let length = self.files.length() - self.before;
            self.open().set_len(self.before)?;
            let mut file = OpenOptions::new().append(true).open(&self.path)?;
            file.write_all(&vec![0; usize::try_from(length).expect("it is small") - 1])?;
            file.write_all(b"\n")?;
        }
        Err(self.error())
    }

    fn length(&self) -> u64 {
        self.files.length()
    }

    fn rotate(&mut self) -> io::Result<()> {
        if self.is_due() { Err(self.error()) } else { self.files.rotate() }
    }

    fn reserve(&mut self) -> io::Result<()> {
        if self.is_due() { Err(self.error()) } else { self.files.reserve() }
    }

    fn release(&mut self) -> io::Result<()> {
        if self.is_due() { Err(self.error()) } else { self.files.release() }
    }
}

struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Scratch {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("bowline-audit-{}-{count}", std::process::id()));
        fs::create_dir_all(&path).expect("a directory");
        Scratch(path)
    }

    fn log(&self) -> PathBuf {
        self.0.join(FILE)
    }

    fn files(&self) -> Vec<PathBuf> {
        let names = Names::new(&self.log());
        let mut files = names.rotated().expect("they can be listed");
        files.push(self.log());
        files
    }

    /// Starts on a store at `version`, writes what there is to write, and stops.
    fn start(&self, version: u64) -> Result<(), AuditError> {
        Audit::start(&AuditLog::default(), &self.0, (Version(version), false), |_| Vec::new()).map(drop)
    }

    /// How many lines name each version.
    fn named(&self) -> BTreeMap<u64, usize> {
        let mut named = BTreeMap::new();
        for file in self.files() {
            for line in fs::read(&file).expect("it can be read").split(|byte| *byte == b'\n') {
                if let Ok(sealed) = chain::read(line) {
                    for version in sealed.link.versions.iter().flat_map(|(first, last)| first..=last) {
                        *named.entry(version).or_default() += 1;
                    }
                }
            }
        }
        named
    }

    fn text(&self) -> String {
        self.files().iter().map(|file| fs::read_to_string(file).expect("it is text")).collect()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What a hub on a faulty disk came to.
struct Run {
    /// The version of its store.
    store: u64,
    /// The versions whose answers were given.
    answered: Vec<u64>,
    stopped: bool,
    operations: usize,
    was_full: bool,
}

/// Requests whose changes are in the store; their lines are written in batches, in another order than their versions.
fn run(scratch: &Scratch, at: usize, fault: Fault) -> Run {
    let names = Names::new(&scratch.log());
    scratch.start(0).expect("the log begins");
    let last = recover::find(&names).expect("it can be read").last;
    let files = Files::open(&names, 0).expect("it can be opened");
    let disk = Faulty { files, path: scratch.log(), count: 0, at, fault, before: 0 };
    let chain = Chain::after(last.as_ref(), 0);
    let mut writer = Writer { disk, chain, max_bytes: 3000, probed: None, late: Vec::new() };
    let audit = Audit::default();
    let mut run = Run { store: 0, answered: Vec::new(), stopped: false, operations: 0, was_full: false };
    for round in 0..12u64 {
        let mut batch = Vec::new();
        let mut waiting = Vec::new();
        for _ in 0..=round % 3 {
            run.store += 1;
            let (sender, receiver) = oneshot::channel();
            let versions = Spans::between(run.store, run.store);
            let event = event::note("a request", &[]);
            batch.push(Entry { event, versions, owed: true, done: Some(sender) });
            waiting.push((run.store, receiver));
        }
        batch.reverse();
        let written = writer.write(&audit, batch);
        for (version, mut receiver) in waiting {
            match receiver.try_recv() {
                Ok(()) => run.answered.push(version),
                Err(TryRecvError::Empty | TryRecvError::Closed) => {}
            }
        }
        if let Err(Stop(_)) = written {
            run.stopped = true;
            break;
        }
        run.was_full |= audit.is_full();
        writer.probed = None;
        writer.probe(&audit);
        let notes = std::mem::take(&mut audit.queue().entries);
        if let Err(Stop(_)) = writer.write(&audit, notes) {
            run.stopped = true;
            break;
        }
    }
    run.operations = writer.disk.count;
    run
}

#[test]
fn whatever_goes_wrong_nobody_is_answered_without_a_line_and_the_chain_holds() {
    let operations = run(&Scratch::new(), 0, Fault::Refused).operations;
    assert!(operations > 30, "{operations}");
    let mut seen = BTreeMap::new();
    for fault in FAULTS {
        for at in 1..=operations {
            let what = format!("{fault:?} at {at}");
            let scratch = Scratch::new();
            let run = run(&scratch, at, fault);
            *seen.entry((format!("{fault:?}"), run.stopped)).or_insert(0) += 1;
            assert_eq!(run.answered.len() as u64 == run.store, !run.stopped, "{what}");
            let before = scratch.named();
            for version in &run.answered {
                assert_eq!(before.get(version), Some(&1), "{what}: version {version}");
            }
            scratch.start(run.store).unwrap_or_else(|error| panic!("{what}: {error}"));
            let named = scratch.named();
            let expected = (1..=run.store).map(|version| (version, 1)).collect();
            assert_eq!(named, expected, "{what}: every version has one line");
            let verdict = verify(&scratch.files(), None).expect("it can be read");
            assert_eq!((&verdict.flaw, verdict.torn, verdict.first), (&None, 0, 1), "{what}");
            assert!(
                fault != Fault::Full || !run.was_full || scratch.text().contains("the disk was full"),
                "{what}"
            );
            // A store that has lost what somebody was told of is seen.
            let acknowledged = Audit::acknowledged(&AuditLog::default(), &scratch.0).expect("it can be read");
            assert_eq!(acknowledged, Some(Version(run.store)), "{what}");
        }
    }
    for fault in FAULTS {
        let both = [true, false].map(|stopped| seen.contains_key(&(format!("{fault:?}"), stopped)));
        // What goes wrong when a file is put aside stops nobody.
        assert_eq!(both, [true, fault != Fault::FullForGood], "{fault:?}");
    }
}

#[test]
fn versions_without_a_line_are_named_once() {
    let scratch = Scratch::new();
    scratch.start(5).unwrap();
    scratch.start(9).unwrap();
    let text = scratch.text();
    assert!(text.contains("the log begins; the store is at version 5"), "{text}");
    assert!(text.contains("versions 6 to 9 are in the store, and no line says who made them"), "{text}");
    // Nothing tells a log whose end is gone from one that was never written so far.
    assert!(text.contains("or the end of the log was cut off"), "{text}");
    scratch.start(9).unwrap();
    assert_eq!(scratch.text().matches("no line says who made them").count(), 1);
    assert_eq!(verify(&scratch.files(), None).unwrap().lines, 4);
}

/// A hub that was restored goes on at versions far away, and may go on with the log that it had.
#[test]
fn who_was_restored_far_away_starts_at_once() {
    let scratch = Scratch::new();
    scratch.start(7).expect("it begins");
    let far = u64::MAX / 4;
    scratch.start(far).expect("it goes on");
    assert!(scratch.text().contains(&format!("versions 8 to {far} are in the store")), "{}", scratch.text());
    let lines = scratch.text().lines().count();
    scratch.start(far).expect("it goes on");
    assert_eq!(scratch.text().lines().count(), lines + 1, "nothing is named twice");
}

#[test]
fn files_are_put_aside_and_the_chain_goes_on_over_them() {
    let scratch = Scratch::new();
    let names = Names::new(&scratch.log());
    let disk = Files::open(&names, 3).unwrap();
    let mut writer =
        Writer { disk, chain: Chain::after(None, 0), max_bytes: 2000, probed: None, late: Vec::new() };
    let audit = Audit::default();
    for version in 1..=40 {
        let versions = Spans::between(version, version);
        let entry = Entry { event: event::note("a request", &[]), versions, owed: true, done: None };
        writer.write(&audit, vec![entry]).unwrap();
    }
    assert_eq!(Audit::acknowledged(&AuditLog::default(), &scratch.0).unwrap(), Some(Version(40)));
    let files = scratch.files();
    assert_eq!(files.len(), 4, "three are kept");
    let verdict = verify(&files, None).unwrap();
    assert_eq!(verdict.flaw, None);
    assert_eq!((verdict.first + verdict.lines, verdict.first > 1), (41, true));
    let mut others = files.clone();
    others.reverse();
    assert_eq!(verify(&others, None).unwrap(), verdict);
    others.remove(1);
    let flaw = verify(&others, None).unwrap().flaw.expect("a file is missing");
    assert!(flaw.line == 1 && flaw.what.contains("comes after line"), "{flaw:?}");
    // Somebody removed the last one: the chain goes on with those before it, and what they do not tell is noted.
    fs::remove_file(scratch.log()).unwrap();
    scratch.start(40).unwrap();
    assert_eq!(verify(&scratch.files(), None).unwrap().flaw, None);
    assert!(scratch.text().contains("no line says who made them"));
}

/// Whether a log that was changed like this is found out, and where.
fn tampered(change: impl FnOnce(&mut Vec<String>)) -> Option<(u64, String)> {
    let scratch = Scratch::new();
    for version in 1..5 {
        scratch.start(version).unwrap();
    }
    let text = fs::read_to_string(scratch.log()).unwrap();
    let mut lines: Vec<String> = text.lines().map(|line| format!("{line}\n")).collect();
    change(&mut lines);
    fs::write(scratch.log(), lines.concat()).unwrap();
    verify(&[scratch.log()], None).unwrap().flaw.map(|flaw| (flaw.line, flaw.what))
}

#[test]
fn what_somebody_changed_is_found_where_it_is() {
    assert_eq!(tampered(|_| ()), None);
    let (line, what) = tampered(|lines| lines[2] = lines[2].replace("system:apiserver", "somebody")).unwrap();
    assert!(line == 3 && what.contains("its hash does not fit"), "{line} {what}");
    let (line, what) = tampered(|lines| drop(lines.remove(2))).unwrap();
    assert!(line == 3 && what.contains("line 4 of the log, and comes after line 2"), "{line} {what}");
    let (line, what) = tampered(|lines| lines.swap(2, 3)).unwrap();
    assert!(line == 3 && what.contains("comes after"), "{line} {what}");
    let (line, what) = tampered(|lines| lines.insert(1, "{}\n".into())).unwrap();
    assert!(line == 2 && what.contains("does not end in its hash"), "{line} {what}");
    // Who writes the chain anew from some place on has to write all of it, and its head is another one.
    let (line, what) = tampered(|lines| {
        let mut chain = Chain::after(Some(&chain::read(lines[1].trim_end().as_bytes()).unwrap()), 0);
        let mut forged = String::new();
        chain.append(r#"{"stageTimestamp":"now"}"#, Spans::default(), &mut forged);
        lines[2] = forged;
    })
    .unwrap();
    assert!(line == 4 && what.contains("does not follow the line before it"), "{line} {what}");
}

#[test]
fn what_was_cut_off_is_missed_by_who_knows_the_head() {
    let scratch = Scratch::new();
    scratch.start(1).unwrap();
    scratch.start(2).unwrap();
    let head = verify(&scratch.files(), None).unwrap().head;
    assert_eq!(verify(&scratch.files(), Some(&head)).unwrap().flaw, None);
    scratch.start(3).unwrap();
    assert_eq!(verify(&scratch.files(), Some(&head)).unwrap().flaw, None, "it has grown since");
    let text = fs::read_to_string(scratch.log()).unwrap();
    let first = text.lines().next().unwrap();
    fs::write(scratch.log(), format!("{first}\n")).unwrap();
    assert_eq!(verify(&scratch.files(), None).unwrap().flaw, None, "nobody else can tell");
    let flaw = verify(&scratch.files(), Some(&head)).unwrap().flaw.unwrap();
    assert!(flaw.what.contains("the end was cut off"), "{flaw:?}");
}

#[test]
fn a_log_of_which_no_line_is_whole_is_not_gone_on_with() {
    let scratch = Scratch::new();
    fs::write(scratch.log(), "something else\n").unwrap();
    let error = scratch.start(1).unwrap_err().to_string();
    assert!(error.contains("is damaged"), "{error}");
    assert_eq!(fs::read_to_string(scratch.log()).unwrap(), "something else\n");
}

#[test]
fn who_is_turned_away_on_a_full_disk_is_answered_and_takes_no_room_from_what_has_happened() {
    let scratch = Scratch::new();
    scratch.start(0).unwrap();
    let names = Names::new(&scratch.log());
    let last = recover::find(&names).unwrap().last;
    let files = Files::open(&names, 0).unwrap();
    // Nothing can be appended from the first time on; the room that is kept is there.
    let disk = Faulty { files, path: scratch.log(), count: 0, at: 1, fault: Fault::FullForGood, before: 0 };
    let chain = Chain::after(last.as_ref(), 0);
    let mut writer = Writer { disk, chain, max_bytes: 1 << 20, probed: None, late: Vec::new() };
    let audit = Audit::default();
    for _ in 0..10_000 {
        let (sender, mut receiver) = oneshot::channel();
        let event = event::note("somebody is turned away", &[]);
        let entry = Entry { event, versions: Spans::default(), owed: false, done: Some(sender) };
        assert!(writer.write(&audit, vec![entry]).is_ok(), "the process goes on");
        assert_eq!(receiver.try_recv(), Ok(()), "it is answered");
    }
    assert_eq!(audit.set_room(), 10_000, "they are counted");
    assert!(fs::exists(scratch.0.join("audit.reserve")).unwrap(), "the room is there still");
    // Among those who were turned away comes one who was not.
    writer.disk.fault = Fault::Full;
    writer.disk.at = writer.disk.count + 1;
    let of = |owed, versions| Entry { event: event::note("a request", &[]), versions, owed, done: None };
    let batch =
        vec![of(false, Spans::default()), of(true, Spans::between(1, 1)), of(false, Spans::default())];
    assert!(writer.write(&audit, batch).is_ok());
    assert_eq!(scratch.named(), BTreeMap::from([(1, 1)]));
    // There would be room for a few more in what was kept, but it is not for them.
    let length = fs::metadata(scratch.log()).unwrap().len();
    assert!(writer.write(&audit, vec![of(false, Spans::default())]).is_ok());
    assert_eq!(fs::metadata(scratch.log()).unwrap().len(), length);
    assert_eq!(audit.set_room(), 3);
    assert_eq!(verify(&scratch.files(), None).unwrap().flaw, None);
}

#[test]
fn after_a_restore_the_log_goes_on_at_once() {
    let scratch = Scratch::new();
    let far = 1_790_000_000_000_000;
    scratch.start(5).unwrap();
    scratch.start(far).unwrap();
    scratch.start(far + 2).unwrap();
    let text = scratch.text();
    assert!(text.contains(&format!("versions 6 to {far} are in the store")), "{text}");
    assert!(text.contains(&format!("versions {} to {} are in the store", far + 1, far + 2)), "{text}");
}

#[test]
fn files_of_others_are_not_taken_for_those_that_were_put_aside() {
    let scratch = Scratch::new();
    for name in ["audit-2020.log", "audit-of-the-books.log", "audit-2026-11-17T12-00-00.000.log.gz"] {
        fs::write(scratch.0.join(name), "not ours").unwrap();
    }
    let names = Names::new(&scratch.log());
    let mut files = Files::open(&names, 1).unwrap();
    for _ in 0..3 {
        files.append(b"x").unwrap();
        files.rotate().unwrap();
    }
    assert_eq!(names.rotated().unwrap().len(), 1);
    assert_eq!(fs::read_dir(&scratch.0).unwrap().count(), 5);
}

#[test]
fn of_those_whom_nobody_knows_a_few_have_a_line_and_all_are_counted() {
    let scratch = Scratch::new();
    let recorder = Audit::start(&AuditLog::default(), &scratch.0, (Version(1), false), |_| Vec::new())
        .expect("it begins");
    let audit = recorder.audit();
    let known = trail::Known::default();
    let at = |seconds| Request {
        id: "1",
        path: "/api/v1/namespaces",
        agent: "",
        source: None,
        received: crate::time::Micros::from_s(seconds, 0),
        known: &known,
        code: 401,
        reason: "Unauthorized",
        about: "",
    };
    let lines = |seconds| (0..1000).filter(|_| !audit.is_one_too_many(&at(seconds))).count();
    assert_eq!((lines(7), lines(8)), (10, 10));
    let (user, code) = (Some(crate::user::User::server()), 201);
    let one_who_is_known = trail::Known { user, ..trail::Known::default() };
    assert!(!audit.is_one_too_many(&Request { known: &one_who_is_known, ..at(8) }));
    assert!(!audit.is_one_too_many(&Request { code, ..at(8) }), "who has got something has a line");
    let changed = trail::Known { versions: Spans::between(1, 1), ..trail::Known::default() };
    assert!(!audit.is_one_too_many(&Request { known: &changed, ..at(8) }), "every version has a line");
    // The first thousand was told when the second came; a full disk is told of none, and they are counted on.
    audit.set_full("planted");
    assert_eq!((lines(9), lines(10)), (0, 0));
    audit.set_room();
    drop(recorder);
    let text = scratch.text();
    assert_eq!(text.matches("\"990 more requests of nobody were refused").count(), 1, "{text}");
    assert_eq!(text.matches("\"2990 more requests of nobody were refused").count(), 1, "{text}");
}

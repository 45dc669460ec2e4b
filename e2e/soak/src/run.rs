//! Life after life, until the time is over.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use bowline_e2e_hub::{Hub, Scratch};
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use crate::clients::{self, Shared, Style};
use crate::dice::Dice;
use crate::judge::{self, Broken, Checked, Promise, Rest};
use crate::log::Life;

const WRITERS: u64 = 6;
const READERS: u64 = 3;
const WATCHERS: u64 = 5;
/// How long those who watch may take to have seen everything, when nobody writes any more.
const PATIENCE: Duration = Duration::from_secs(60);
/// So many answers at least come before a kill: a machine that is busy takes longer for them.
const ANSWERS: usize = 50;

/// How to soak.
#[derive(Clone, Debug)]
pub struct Plan {
    /// For how long.
    pub time: Duration,
    /// What chance begins with.
    pub seed: u64,
    /// Kill the hub no later than this after its start.
    pub longest: Duration,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// How often the hub was started.
    pub lives: u64,
    /// How often it was killed while everybody was at it.
    pub kills: u64,
    /// How often something was too old to be asked for.
    pub expired: u64,
    /// What was held against the history.
    pub checked: Checked,
    /// What was not as promised.
    pub broken: Vec<Broken>,
}

impl Report {
    /// Why nothing follows from this, if it does not: too little happened, or too little is known of it.
    pub fn proves_nothing(&self) -> Option<String> {
        let Checked { changes, late, answers, listings, events, bookmarks, resumed } = self.checked;
        let counts = [
            (self.kills, "was killed in the middle"),
            (changes as u64, "changed anything"),
            (answers as u64, "answered a read"),
            (listings as u64, "answered a list"),
            (events as u64, "sent an event"),
            (bookmarks as u64, "sent a bookmark"),
            (resumed as u64, "went on with a watch"),
        ];
        let never = counts.iter().find(|(count, _)| *count == 0).map(|(_, what)| format!("it never {what}"));
        never.or_else(|| {
            (late * 2 >= changes)
                .then(|| format!("of {changes} changes {late} were not seen by who watches everything"))
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Checked { changes, late, answers, listings, events, bookmarks, resumed } = self.checked;
        write!(
            f,
            "{} lives, {} of them ended by SIGKILL in the middle; {changes} changes ({late} not seen by who watches everything), \
             {answers} answers, {listings} lists, {events} events, {bookmarks} bookmarks, {resumed} watches resumed, {} times too old",
            self.lives, self.kills, self.expired
        )
    }
}

/// How a life ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    /// By SIGKILL, in the middle.
    Killed,
    /// By SIGKILL, after everything was seen.
    Seen,
    /// By SIGTERM, in the middle.
    Told,
}

/// Soaks, and tells of every life.
///
/// # Errors
/// If the hub does not start, or cannot be asked.
pub fn soak(binary: &Path, plan: &Plan, tell: &mut dyn FnMut(&str)) -> Result<Report> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let scratch = Scratch::new("soak")?;
    let began = Instant::now();
    let mut report = Report::default();
    let (mut rest, mut tags) = (None, 1);
    while began.elapsed() < plan.time && report.broken.is_empty() {
        let mut dice = Dice::new(plan.seed, report.lives, 0);
        let hub = Hub::start_with(binary, &scratch.join("hub"))
            .with_context(|| format!("start {} of the hub", report.lives))?;
        let soak = Soak { runtime: &runtime, plan, began, life: report.lives };
        let (shared, mut broken) = soak.begin(&hub, rest.as_ref(), tags)?;
        let end = soak.live(&shared, hub, &mut dice, &mut broken)?;
        let (life, next) = shared.end();
        tags = next;
        let (checked, found) = judge::judge(&life);
        broken.extend(found);
        rest = Some(judge::rest(&life));
        report.lives += 1;
        report.kills += u64::from(end == End::Killed);
        report.expired += shared.expired.load(Ordering::SeqCst);
        report.checked.add(checked);
        report.broken = broken;
        tell(&format!("{:>5} s  {report}", began.elapsed().as_secs()));
    }
    Ok(report)
}

struct Soak<'a> {
    runtime: &'a Runtime,
    plan: &'a Plan,
    began: Instant,
    life: u64,
}

impl Soak<'_> {
    /// Looks at what is there, and holds it against what was told before.
    fn begin(&self, hub: &Hub, rest: Option<&Rest>, tags: u64) -> Result<(Arc<Shared>, Vec<Broken>)> {
        let (client, version, start) = self.runtime.block_on(async {
            let client = clients::connect(hub.kubeconfig()).await?;
            let (version, start) = clients::list(&client).await?;
            anyhow::Ok((client, version, start))
        })?;
        let broken = rest.map(|rest| judge::resumes(rest, version, &start)).unwrap_or_default();
        let life = Life { start, version, ..Life::default() };
        Ok((Arc::new(Shared::new(client, self.began, life, tags)), broken))
    }

    /// Lets everybody at it for a while, and ends it.
    fn live(&self, shared: &Arc<Shared>, hub: Hub, dice: &mut Dice, broken: &mut Vec<Broken>) -> Result<End> {
        let mut everybody = self.runtime.block_on(self.start(shared));
        // Most lives are short; some are so long that what watchers may ask for gets too much to keep.
        let longest = u64::try_from(self.plan.longest.as_millis()).unwrap_or(u64::MAX);
        let time = if dice.below(8) == 0 { longest } else { 200 + dice.below(longest.min(8_000)) };
        let enough = Instant::now() + Duration::from_millis(time.min(longest));
        self.wait(|| Instant::now() >= enough && shared.answers() >= ANSWERS);
        let end = match dice.below(6) {
            0 => End::Told,
            1 | 2 => End::Seen,
            _ => End::Killed,
        };
        if end == End::Seen {
            shared.rest.store(true, Ordering::SeqCst);
            if !self.wait(|| shared.is_recorded()) {
                let what = "who watches everything was not told of a write that was acknowledged";
                broken.push(Broken { promise: Promise::NoGap, what: what.into() });
            }
        }
        match end {
            End::Told => {
                hub.terminate().context("the hub was told to end")?;
            }
            End::Killed | End::Seen => hub.kill()?,
        }
        shared.stop.store(true, Ordering::SeqCst);
        self.runtime.block_on(async {
            while let Some(ended) = everybody.join_next().await {
                ended.context("a client panicked")?;
            }
            anyhow::Ok(())
        })?;
        Ok(end)
    }

    async fn start(&self, shared: &Arc<Shared>) -> JoinSet<()> {
        let mut everybody = JoinSet::new();
        let dice = |client| Dice::new(self.plan.seed, self.life, client);
        let with = || Arc::clone(shared);
        for client in 1..=WRITERS {
            let (shared, dice) = (with(), dice(client));
            everybody.spawn(async move { clients::write(&shared, dice).await });
        }
        for client in 1..=READERS {
            let (shared, dice) = (with(), dice(64 + client));
            everybody.spawn(async move { clients::read(&shared, dice).await });
        }
        for client in 0..=WATCHERS {
            let style = if client == 0 { Style::Recorder } else { Style::Wanderer };
            let (shared, dice) = (with(), dice(128 + client));
            everybody.spawn(async move { clients::watch(&shared, style, dice).await });
        }
        everybody
    }

    /// Waits for something, and says whether it came about.
    fn wait(&self, come: impl Fn() -> bool) -> bool {
        let ends = Instant::now() + PATIENCE.max(self.plan.longest * 2);
        while !come() {
            if Instant::now() >= ends {
                return false;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        true
    }
}

//! Servers that serve watchers wrong.

use bowline_kernel::{Expired, Version, View};

use super::{Listed, Next, Rules, SHIPPED, WATCH, WATCHED, Watch, list, next};
use crate::kernel::thing::Thing;
use crate::mutants::Mutant;

macro_rules! mutant {
    ($about:literal breaks $breaks:literal by $($rule:tt)*) => {
        Mutant {
            about: $about,
            model: WATCH.name,
            breaks: $breaks,
            build: || {
                static RULES: Rules = Rules { $($rule)*, ..SHIPPED };
                let size = WATCH.size("writes=2").expect("a size that works");
                Box::new(Watch::new(&size, &RULES))
            },
        }
    };
}

pub(in crate::kernel) const MUTANTS: &[Mutant] = &[
    mutant!("shows what is not durable yet" breaks "OnlyDurable" by shown: |_, made| made),
    mutant!("resumes one too late" breaks "NextInOrder" by next: too_late),
    mutant!("resumes one too early" breaks "NoDuplicate" by next: too_early),
    mutant!("shows the newest first" breaks "NextInOrder" by next: newest),
    mutant!("hides that history is lost" breaks "CacheIsTruth" by next: hides_loss),
    mutant!("lists what is newer than it says" breaks "WatchersAgree" by list: newer_than_said),
    mutant!("lists as of any version" breaks "NeverBack" by list: older_than_asked),
    mutant!("holds the newest change back" breaks "Converges" by shown: |durable, _| durable.saturating_sub(1)),
];

fn too_late(view: &View<Thing>, version: Version) -> Next {
    next(view, version.next())
}

fn too_early(view: &View<Thing>, version: Version) -> Next {
    next(view, Version(version.0.saturating_sub(1)))
}

fn newest(view: &View<Thing>, version: Version) -> Next {
    Ok(view.since(&WATCHED, version)?.next_back().cloned())
}

fn hides_loss(view: &View<Thing>, version: Version) -> Next {
    next(view, version).or_else(|Expired { oldest, .. }| next(view, oldest))
}

fn newer_than_said(view: &View<Thing>, version: Version) -> Listed {
    Ok((list(view, view.version())?.0, version))
}

fn older_than_asked(view: &View<Thing>, version: Version) -> Listed {
    let oldest = (0..=version.0).map(Version).find_map(|older| list(view, older).ok());
    oldest.map_or_else(|| list(view, version), Ok)
}

//! What is outside: the servers of embedded clusters, which run in our process, and other people's clusters.

use bowline_clusters::{Call, Finding, Found, Home, Memory, Reply, Server, Step, Way};
use bowline_control::Millis;

use super::Fleet;
use super::names::{self, Kubeconfig};
use crate::harness::{Ask, Note, Outside, padded};
use crate::tiny::{Tiny, Words};

/// The grounds on which clusters stand.
pub(crate) struct Grounds;

/// What is outside of one name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Ground {
    /// Whose server runs; 0 if none does. It runs in the hub's process, and ends with it.
    pub(crate) runs: u8,
    /// Whose files are there; 0 if none are.
    pub(crate) keeps: u8,
    /// What is reached by a kubeconfig does not answer.
    pub(crate) silent: bool,
}

impl Ground {
    pub(crate) fn of(note: &Note) -> Ground {
        let [runs, keeps] = note.uids;
        Ground { runs, keeps, silent: note.body[0] > 0 }
    }

    pub(crate) fn note(self) -> Note {
        Note { uids: [self.runs, self.keeps], body: padded([self.silent.into()]) }
    }

    /// What is found if all goes well; `None` if it is embedded, and has to be started.
    fn look(self, way: Way<Kubeconfig>) -> Option<Found> {
        match way {
            Way::Embedded => None,
            Way::Kubeconfig(_) if self.silent => Some(Found::Silent),
            Way::Kubeconfig(Kubeconfig::Bad) => Some(Found::Unauthorized),
            Way::Kubeconfig(Kubeconfig::Good | Kubeconfig::Elsewhere) => Some(Found::Usable),
        }
    }

    /// What is true of a cluster, which is this server, if that is known.
    pub(crate) fn truth(self, uid: u8, way: Way<Kubeconfig>, is: Option<u8>, home: Home) -> Found {
        let there = if let Way::Kubeconfig(kubeconfig) = way { names::server(kubeconfig) } else { None };
        let embedded = match home {
            Home::Elsewhere => Found::NotHere,
            Home::Hub if self.runs == uid => Found::Usable,
            Home::Hub => Found::DoesNotStart,
        };
        match self.look(way).unwrap_or(embedded) {
            Found::Usable if is.is_some() && there.is_some() && is != there => Found::OtherServer,
            found => found,
        }
    }
}

/// Nothing is done.
const REFUSED: u8 = 0;

const LOOK: u8 = 0;
const STOP: u8 = 1;
const WAYS: [Way<Kubeconfig>; 4] = [
    Way::Embedded,
    Way::Kubeconfig(Kubeconfig::Good),
    Way::Kubeconfig(Kubeconfig::Bad),
    Way::Kubeconfig(Kubeconfig::Elsewhere),
];

/// The generation and the way, if it is a look.
pub(crate) fn look(ask: &Ask) -> Option<(u8, Way<Kubeconfig>)> {
    let [what, generation, way, ..] = ask.code;
    (what == LOOK).then(|| (generation, WAYS[usize::from(way)].clone()))
}

fn perform(ground: &mut Ground, ask: &Ask, failure: Option<u8>, tells: bool) -> Reply<Tiny> {
    if failure == Some(REFUSED) {
        return Reply::Failed("it was refused".into());
    }
    let uid = ask.uid;
    let half = failure.is_some();
    let Some((generation, way)) = look(ask) else {
        if ground.runs == uid {
            ground.runs = 0;
        }
        if half {
            return Reply::Failed("its files could not be removed".into());
        }
        if ground.keeps == uid {
            ground.keeps = 0;
        }
        return Reply::Stopped(uid);
    };
    let there = if let Way::Kubeconfig(kubeconfig) = way { names::server(kubeconfig) } else { None };
    let found = |found: Found, place| Reply::Found {
        uid,
        generation: generation.into(),
        finding: names::found(found, place),
        server: Server::Other,
        // Who cannot be used is not asked which server it is.
        known_by: there.filter(|_| tells && found.is_ready()),
    };
    match ground.look(way) {
        // It answers, or something in front of it does, and is not ready yet.
        Some(_) if half => found(Found::NotReady, false),
        Some(seen) => found(seen, false),
        None => {
            // A name has one ground: who had it before makes room.
            ground.keeps = uid;
            ground.runs = if half { 0 } else { uid };
            if half { found(Found::DoesNotStart, false) } else { found(Found::Usable, true) }
        }
    }
}

impl Outside<Fleet> for Grounds {
    const WAYS: &'static [&'static str] = &["refused", "half done"];

    fn place(key: u8) -> u8 {
        key
    }

    fn note(memory: &Memory<Tiny>) -> Note {
        names::note(memory)
    }

    fn memory(note: Note, learned: Millis) -> Memory<Tiny> {
        names::memory(note, learned)
    }

    fn ask(_: &Step, call: &Call<Tiny>) -> Ask {
        match call {
            // Nobody takes its files away here: whether it was started before makes no difference.
            Call::Look { name, uid, generation, way, began: _ } => {
                let way = (0..).zip(&WAYS).find(|(_, known)| *known == way).map_or(0, |(number, _)| number);
                Ask { key: *name, uid: *uid, on: 0, code: padded([LOOK, *generation as u8, way]) }
            }
            Call::Stop { name, uid } => Ask { key: *name, uid: *uid, on: 0, code: padded([STOP]) },
        }
    }

    fn step(ask: &Ask) -> Step {
        if look(ask).is_some() { Step::Probe } else { Step::Stop }
    }

    fn perform(fleet: &Fleet, outside: &mut Note, ask: &Ask, way: Option<u8>) -> Reply<Tiny> {
        let mut ground = Ground::of(outside);
        let reply = perform(&mut ground, ask, way, fleet.tells);
        *outside = ground.note();
        reply
    }

    /// Servers are started and stopped in our own process, and end with it; and looks change nothing.
    fn can_be_late(_: &Ask) -> bool {
        false
    }

    /// A hub that is paused serves no API: nobody takes over from it while its servers run.
    fn ended(outside: &mut Note) {
        *outside = Ground { runs: 0, ..Ground::of(outside) }.note();
    }

    fn describe(outside: &Note) -> String {
        let Ground { runs, keeps, silent } = Ground::of(outside);
        let kubeconfigs = if silent { "nobody answers" } else { "it answers" };
        format!("uid {runs} runs, files of uid {keeps}, by kubeconfig {kubeconfigs}")
    }

    fn remembered(note: &Note) -> String {
        let memory = names::memory(*note, Millis(0));
        let probe = memory.probe.map(|probe| {
            let found: Finding<Words> = probe.finding;
            let server = probe.known_by.map_or_else(String::new, |server| format!(", server {server}"));
            let told = names::told(&found);
            format!("uid {} at generation {} is {told}{server}", probe.uid, probe.generation)
        });
        let stopped = memory.stopped.map(|uid| format!("uid {uid} was stopped for good"));
        probe.into_iter().chain(stopped).collect::<Vec<_>>().join(" and ")
    }

    fn called(ask: &Ask) -> String {
        let what = look(ask).map_or("stop".to_owned(), |(generation, way)| {
            format!("look at generation {generation} ({way:?}) of")
        });
        format!("{what} {} uid {}", names::place_name(ask.key), ask.uid)
    }
}

//! What is claimed of clusters.

use bowline_clusters::{Found, Home, Status, Way};
use bowline_explorer::Property;

use super::Fleet;
use super::grounds::{self, Ground};
use super::names;
use crate::harness::{Action, Deed, Doing, Flat, Harness, Objects, State, Verb, What, Who};
use crate::tiny::Words;

type Claim = Property<Harness<Fleet>>;

const INSTANCES: usize = 2;

pub(super) fn all() -> Vec<Claim> {
    let mut all = safety();
    all.extend(liveness());
    all.extend(reachable());
    all
}

fn safety() -> Vec<Claim> {
    vec![
        Property::always("NoneRunsAlone", |_, s: &State| (0..INSTANCES).all(|key| is_someones(s, key)))
            .about("no server runs, and no files are there, of a cluster that is not; unless somebody else took our finalizer off"),
        Property::always_step("HeldFirst", |_, _, action: &Action, after: &State| {
            let (Action::Turn(key) | Action::Wake(key) | Action::Jump(key)) = action else { return true };
            is_seen_held(after, (*key).into())
        })
        .about("a server is not started before its cluster is seen to be held"),
        Property::always_step("Found", |_, before: &State, action: &Action, after: &State| {
            !is_ours(action) || (0..INSTANCES).all(|key| is_found(before, after, key))
        })
        .about("what a status says was found by a look at this very cluster, as it was wanted then"),
        Property::always_step("OneServer", |m: &Harness<Fleet>, before: &State, action: &Action, after: &State| {
            !is_ours(action) || (0..INSTANCES).all(|key| is_one_server(m, before, after, key))
        })
        .about("a cluster that can be used is the server that it was when it could be used first"),
        Property::always("LeftToItsHub", |m: &Harness<Fleet>, s: &State| {
            m.system.shape.home == Home::Hub || s.keys.iter().all(|known| known.doing.is_none_or(is_for_anyone))
        })
        .about("who is not in the hub neither holds an embedded cluster, nor starts it, nor stops it, nor lets it go"),
    ]
}

fn liveness() -> Vec<Claim> {
    vec![
        Property::eventually_always("Converges", |m: &Harness<Fleet>, s: &State| {
            (0..INSTANCES).all(|key| says_the_truth(m.system.shape.home, s, key))
        })
        .about("once people, the world and faults rest, every cluster says what is true of it"),
        Property::eventually_always("Goes", |m: &Harness<Fleet>, s: &State| {
            let is_over = |flat: &Flat| flat.deleting && m.system.shape.home == Home::Hub;
            !s.truth().iter().flatten().any(is_over)
        })
        .about("a cluster that is deleted goes, if we are its hub"),
        Property::eventually_always("Rests", |_, s: &State| {
            let is_look = |doing: Doing| matches!(doing.what, What::Call(_));
            s.keys.iter().all(|known| known.doing.is_none_or(is_look)) && s.behind(0) == 0
        })
        .about("and then nothing is asked of the API any more, though clusters are looked at for ever"),
    ]
}

fn reachable() -> Vec<Claim> {
    vec![
        Property::sometimes("Usable", |m: &Harness<Fleet>, s: &State| {
            let says = |flat: Flat| names::is_embedded(&flat) && found(&flat) == Some(Found::Usable);
            m.system.shape.home == Home::Elsewhere || s.truth()[0].is_some_and(says)
        })
        .about("an embedded cluster says that it can be used; or we are not in a hub"),
        Property::sometimes("Recovers", |m: &Harness<Fleet>, s: &State| {
            let says = |flat: Flat| found(&flat) == Some(Found::Silent) && !Ground::of(&s.outside[0]).silent;
            m.bounds().people[3] < 2 || s.truth()[0].is_some_and(says)
        })
        .about("a cluster says that it is silent, and has begun to answer; or it has no time to"),
        Property::sometimes("LooksAgain", |_, s: &State| {
            let says = s.truth()[0].is_some_and(|flat| found(&flat) == Some(Found::Usable));
            says && s.keys[0].old && matches!(s.keys[0].doing, Some(Doing { what: What::Call(_), .. }))
        })
        .about("a cluster that can be used is looked at again"),
        Property::sometimes("TakenDown", |m: &Harness<Fleet>, s: &State| {
            m.bounds().people[2] == 0 || s.people[2] == 0 && s.truth() == Objects::default()
        })
        .about("a cluster was deleted, and is gone; or nobody may delete one"),
        Property::sometimes("Strays", |m: &Harness<Fleet>, s: &State| {
            let says = s.truth()[0].is_some_and(|flat| found(&flat) == Some(Found::OtherServer));
            m.bounds().people[4] == 0 || says
        })
        .about("a cluster says that it was pointed at another server; or nobody may do so"),
        Property::sometimes("Stale", |m: &Harness<Fleet>, s: &State| {
            m.bounds().lag == 0
                || s.keys.iter().any(|known| known.doing.is_some()) && s.truth()[0] != s.shown[0]
        })
        .about("something is done while the cache is behind; or it never is"),
    ]
}

/// Of what is remembered: for each key a bit that this very cluster was looked at, as it is wanted.
const LOOKED: u8 = 0;
/// And a bit that somebody took our finalizer off, who should not.
const STRIPPED: u8 = 2;
/// And a bit that a look at this very cluster, as it is wanted, has ended, answered or not.
const TRIED: u8 = 4;

fn is_remembered(s: &State, what: u8, key: usize) -> bool {
    s.ghost >> (what + key as u8) & 1 == 1
}

/// What the claims need to know of what happened.
pub(super) fn remembered(before: &State, action: &Action, after: &State) -> u8 {
    let mut ghost = before.ghost;
    let (was, is) = (before.truth(), after.truth());
    for key in 0..INSTANCES {
        let wish = |flat: Option<Flat>| flat.map(|flat| (flat.uid, flat.generation));
        if wish(was[key]) != wish(is[key]) {
            ghost &= !(1 << (LOOKED + key as u8) | 1 << (TRIED + key as u8));
        }
        if let Some((uid, generation)) = answered_look(before, action, key)
            && wish(is[key]) == Some((uid, generation))
        {
            ghost |= 1 << (LOOKED + key as u8);
        }
        if ended_look(before, after, key).is_some_and(|of| wish(is[key]) == Some(of)) {
            ghost |= 1 << (TRIED + key as u8);
        }
    }
    if let Action::Deed(Deed { who: Who::Drift, slot, about: "Strip", .. }) = action {
        ghost |= 1 << (STRIPPED + slot);
    }
    ghost
}

/// Which cluster, and for which generation, a step has ended to look at.
fn ended_look(before: &State, after: &State, key: usize) -> Option<(u8, u8)> {
    match before.keys[key].doing {
        doing if doing == after.keys[key].doing => None,
        Some(Doing { what: What::Call(ask), .. }) => {
            grounds::look(&ask).map(|(generation, _)| (ask.uid, generation))
        }
        _ => None,
    }
}

/// Which cluster was looked at by a step, and for which generation, if that was answered.
fn answered_look(before: &State, action: &Action, key: usize) -> Option<(u8, u8)> {
    let (Action::Carry(of) | Action::Fail(of, _)) = action else { return None };
    match before.keys[key].doing {
        Some(Doing { what: What::Call(ask), .. }) if usize::from(*of) == key => {
            grounds::look(&ask).map(|(generation, _)| (ask.uid, generation))
        }
        _ => None,
    }
}

/// Whether a step is ours: a request of the controller's arrives.
fn is_ours(action: &Action) -> bool {
    matches!(
        action,
        Action::Carry(_) | Action::Apply(_) | Action::Arrive(_) | Action::LoseReply(_) | Action::Crash(true)
    )
}

fn status(flat: &Flat) -> Option<Status<Words>> {
    names::object(0, *flat).status
}

fn found(flat: &Flat) -> Option<Found> {
    status(flat).map(|status| status.finding.found)
}

fn is_someones(s: &State, key: usize) -> bool {
    let Ground { runs, keeps, .. } = Ground::of(&s.outside[key]);
    let there = s.truth()[key].filter(names::is_embedded).map_or(0, |flat| flat.uid);
    let is_there = |uid: u8| uid == 0 || uid == there;
    is_there(runs) && is_there(keeps) || is_remembered(s, STRIPPED, key)
}

/// Whether a key that is starting a server has seen that its cluster is held.
fn is_seen_held(s: &State, key: usize) -> bool {
    let Some(Doing { what: What::Call(ask), .. }) = s.keys[key].doing else { return true };
    let starts = grounds::look(&ask).is_some_and(|(_, way)| way == Way::Embedded);
    !starts || s.shown[key].is_some_and(|flat| flat.uid == ask.uid && names::is_held(&flat))
}

/// Whether a status that a step has written was found by a look, if it says what was found.
fn is_found(before: &State, after: &State, key: usize) -> bool {
    let (Some(was), Some(is)) = (before.truth()[key], after.truth()[key]) else { return true };
    let Some(says) = status(&is).filter(|says| was.uid == is.uid && status(&was).as_ref() != Some(says))
    else {
        return true;
    };
    match says.finding.found {
        Found::Stalled => true,
        Found::Failing => is_remembered(before, TRIED, key) || is.deleting,
        // Nobody has to look to know that.
        Found::NotHere => says.observed == u64::from(is.generation) && names::is_embedded(&is),
        _ => says.observed == u64::from(is.generation) && is_remembered(before, LOOKED, key),
    }
}

/// Whether a status that a step has written does not take another server for the one that the cluster is.
fn is_one_server(m: &Harness<Fleet>, before: &State, after: &State, key: usize) -> bool {
    let (Some(was), Some(is)) = (before.truth()[key], after.truth()[key]) else { return true };
    let [was, is] = [was, is].map(|flat| names::object(key as u8, flat));
    if was.uid != is.uid || was.status == is.status && was.server == is.server {
        return true;
    }
    let stays = was.server.is_none() || was.server == is.server;
    let says = is.status.filter(|says| says.observed == is.generation && says.finding.found.is_ready());
    match is.way {
        Way::Kubeconfig(there) if m.system.tells && says.is_some() => {
            stays && is.server == names::server(there)
        }
        _ => stays,
    }
}

/// Whether it is an effect that does not need the hub.
fn is_for_anyone(doing: Doing) -> bool {
    match doing.what {
        What::Write(post) => post.verb == Verb::Status,
        What::Look(_) => true,
        // It was judged as long as it was on its way there.
        What::Answer(_) => true,
        What::Call(ask) => grounds::look(&ask).is_some_and(|(_, way)| way != Way::Embedded),
    }
}

fn says_the_truth(home: Home, s: &State, key: usize) -> bool {
    let Some(flat) = s.truth()[key] else { return true };
    let cluster = names::object(key as u8, flat);
    let Some(says) = cluster.status.filter(|status| status.observed == cluster.generation) else {
        return false;
    };
    let found = says.finding.found;
    match home {
        // It waits for its hub, and says so.
        Home::Elsewhere if cluster.deleting => found == Found::NotHere,
        Home::Hub if cluster.deleting || cluster.way == Way::Embedded && !cluster.held => false,
        _ => found == Ground::of(&s.outside[key]).truth(cluster.uid, cluster.way, cluster.server, home),
    }
}

//! Clusters, what is remembered of them and what is outside, in a few bytes.
//!
//! An instance has one place, and its number is its name.

use bowline_clusters::{Cluster, Finding, Found, Id, Memory, Names, Place, Probe, Server, Status, Way};
use bowline_control::{Millis, Version};

use crate::harness::{BODY, Flat, Note, padded};
use crate::tiny::{Tiny, Words};

impl Names for Tiny {
    type Name = u8;
    type Uid = u8;
    type Secret = Kubeconfig;
    type Text = Words;
}

/// A kubeconfig: one that its cluster takes, one that it does not, or one of another server, which does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Kubeconfig {
    Good,
    Bad,
    Elsewhere,
}

/// Which server takes a kubeconfig.
pub(crate) fn server(kubeconfig: Kubeconfig) -> Option<u8> {
    match kubeconfig {
        Kubeconfig::Good => Some(1),
        Kubeconfig::Bad => None,
        Kubeconfig::Elsewhere => Some(2),
    }
}

/// The finalizer.
const HELD: u8 = 1;
/// Of the first byte: it is not embedded.
const REGISTERED: u8 = 1;
/// Of the first byte: it is wanted in the other way. A registered one has another kubeconfig then; of an embedded one
/// nothing changes that the protocol knows of, but its generation does.
const OTHERWISE: u8 = 2;
/// Of the first byte: it has a kubeconfig of another server.
const ELSEWHERE: u8 = 4;
/// The byte of which server it is; 0 if that is not known.
const SERVER: usize = 4;

pub(crate) const EMBEDDED: Flat =
    Flat { uid: 0, version: 0, generation: 1, deleting: false, finalizers: 0, owner: None, body: [0; BODY] };
pub(crate) const BY_KUBECONFIG: Flat = Flat { body: padded([REGISTERED]), ..EMBEDDED };
pub(crate) const INHERITED: Flat = Flat { finalizers: HELD, ..EMBEDDED };

pub(crate) fn is_embedded(flat: &Flat) -> bool {
    flat.body[0] & REGISTERED == 0
}

pub(crate) fn is_held(flat: &Flat) -> bool {
    flat.finalizers & HELD != 0
}

pub(crate) fn with_another_wish(flat: Flat) -> Flat {
    with_way(flat, (flat.body[0] & !ELSEWHERE) ^ OTHERWISE)
}

/// Pointed at another server, or back at its own.
pub(crate) fn moved(flat: Flat) -> Flat {
    with_way(flat, (flat.body[0] & !OTHERWISE) ^ ELSEWHERE)
}

fn with_way(flat: Flat, way: u8) -> Flat {
    let mut body = flat.body;
    body[0] = way;
    Flat { body, ..flat }
}

/// With a status that nobody would write.
pub(crate) fn spoiled(flat: Flat) -> Flat {
    let finding = Finding { found: Found::Limited, words: Words, release: None, place: None };
    with_status(flat, Some(&Status { finding, observed: flat.generation.into() }))
}

pub(crate) fn stripped(flat: Flat) -> Flat {
    Flat { finalizers: 0, ..flat }
}

pub(crate) fn way(flat: &Flat) -> Way<Kubeconfig> {
    match (is_embedded(flat), flat.body[0] & (OTHERWISE | ELSEWHERE)) {
        (true, _) => Way::Embedded,
        (false, 0) => Way::Kubeconfig(Kubeconfig::Good),
        (false, ELSEWHERE) => Way::Kubeconfig(Kubeconfig::Elsewhere),
        (false, _) => Way::Kubeconfig(Kubeconfig::Bad),
    }
}

pub(crate) fn object(slot: u8, flat: Flat) -> Cluster<Tiny> {
    let [_, found, told, observed, ..] = flat.body;
    let finding = finding([found, told]);
    Cluster {
        name: slot,
        uid: flat.uid,
        version: Version(flat.version.into()),
        generation: flat.generation.into(),
        deleting: flat.deleting,
        held: is_held(&flat),
        way: way(&flat),
        named: true,
        place: finding.as_ref().and_then(|finding| finding.place.clone()),
        status: finding.map(|finding| Status { finding, observed: observed.into() }),
        server: (flat.body[SERVER] > 0).then_some(flat.body[SERVER]),
    }
}

pub(crate) fn flat(cluster: &Cluster<Tiny>) -> Flat {
    let way = match cluster.way {
        Way::Kubeconfig(Kubeconfig::Good) => REGISTERED,
        Way::Kubeconfig(Kubeconfig::Bad) => REGISTERED | OTHERWISE,
        Way::Kubeconfig(Kubeconfig::Elsewhere) => REGISTERED | ELSEWHERE,
        // Every wish is the other one of two, and being deleted is one more: so it is known by counting.
        Way::Embedded if (cluster.generation - u64::from(cluster.deleting)).is_multiple_of(2) => OTHERWISE,
        Way::Embedded => 0,
    };
    let flat = Flat {
        uid: cluster.uid,
        version: cluster.version.0 as u8,
        generation: cluster.generation as u8,
        deleting: cluster.deleting,
        finalizers: if cluster.held { HELD } else { 0 },
        owner: None,
        body: padded([way, 0, 0, 0, cluster.server.unwrap_or(0)]),
    };
    with_status(flat, cluster.status.as_ref())
}

fn with_status(flat: Flat, status: Option<&Status<Words>>) -> Flat {
    let [found, told] = bytes(status.map(|status| &status.finding));
    let observed = status.map_or(0, |status| status.observed as u8);
    Flat { body: padded([flat.body[0], found, told, observed, flat.body[SERVER]]), ..flat }
}

/// A release, and a place, are told.
const RELEASE: u8 = 1;
const PLACE: u8 = 2;

fn bytes(finding: Option<&Finding<Words>>) -> [u8; 2] {
    let Some(finding) = finding else { return [0; 2] };
    let number = (1..).zip(Found::ALL).find(|(_, found)| *found == finding.found);
    let told = finding.release.map_or(0, |_| RELEASE) | finding.place.as_ref().map_or(0, |_| PLACE);
    [number.map_or(0, |(number, _)| number), told]
}

fn finding([found, told]: [u8; 2]) -> Option<Finding<Words>> {
    let found = Found::ALL[usize::from(found.checked_sub(1)?)];
    let place = Place { server: Words, kubeconfig: Some(Words) };
    Some(Finding {
        found,
        words: Words,
        release: (told & RELEASE != 0).then_some(Words),
        place: (told & PLACE != 0).then_some(place),
    })
}

/// What is found by one who reaches a cluster, or not.
pub(crate) fn found(found: Found, place: bool) -> Finding<Words> {
    let place = place.then_some(Place { server: Words, kubeconfig: Some(Words) });
    let release = (found.answers() == Some(true)).then_some(Words);
    Finding { found, words: Words, release, place }
}

pub(crate) fn note(memory: &Memory<Tiny>) -> Note {
    let [found, told] = bytes(memory.probe.as_ref().map(|probe| &probe.finding));
    let (uid, generation) = memory.probe.as_ref().map_or((0, 0), |probe| (probe.uid, probe.generation as u8));
    let server = memory.probe.as_ref().and_then(|probe| probe.known_by).unwrap_or(0);
    Note { uids: [uid, memory.stopped.unwrap_or(0)], body: padded([generation, found, told, server]) }
}

pub(crate) fn memory(note: Note, at: Millis) -> Memory<Tiny> {
    let ([uid, stopped], [generation, found, told, server, ..]) = (note.uids, note.body);
    let known_by = (server > 0).then_some(server);
    let probe =
        |finding| Probe { uid, generation: generation.into(), at, finding, server: Server::Other, known_by };
    Memory { probe: finding([found, told]).map(probe), stopped: (stopped > 0).then_some(stopped) }
}

pub(crate) fn id(slot: u8) -> Id<u8> {
    Id(slot)
}

pub(crate) fn place_name(slot: u8) -> String {
    // Only the first two are ever used; fairness names all.
    ["a", "b", "c", "d", "e", "f", "g", "h"][usize::from(slot)].to_owned()
}

pub(crate) fn describe(slot: u8, flat: &Flat) -> String {
    let cluster = object(slot, *flat);
    let otherwise = if flat.body[0] & OTHERWISE == 0 { "" } else { " otherwise" };
    let said = cluster.status.map_or("nothing".to_owned(), |status| {
        format!("{} at generation {}", told(&status.finding), status.observed)
    });
    let server = cluster.server.map_or_else(String::new, |server| format!(", is server {server}"));
    format!("{:?}{otherwise}, says {said}{server}", cluster.way)
}

pub(crate) fn told(finding: &Finding<Words>) -> String {
    let release = if finding.release.is_some() { " with a release" } else { "" };
    let place = if finding.place.is_some() { " with a place" } else { "" };
    format!("{:?}{release}{place}", finding.found)
}

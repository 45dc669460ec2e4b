//! What is decided about a cluster, step by step.

use bowline_control::{Controller, Decision, Effect, Millis, Moment, Standing, Version, Write};

use crate::{
    Call, Cluster, Clusters, Finding, Found, Home, Memory, Names, Place, Reply, Rhythm, Server, Snapshot,
    Status, Step, Wait, Way,
};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Plain;

impl Names for Plain {
    type Name = &'static str;
    type Uid = u8;
    type Secret = &'static str;
    type Text = String;
}

const RHYTHM: Rhythm = Rhythm { well: Millis(30), ill: Millis(5) };

fn at(clock: u64) -> Moment {
    Moment { clock: Millis(clock), ..Moment::default() }
}

fn controller(home: Home) -> Clusters<Plain> {
    Clusters::new(home, RHYTHM)
}

fn cluster(way: Way<&'static str>) -> Cluster<Plain> {
    Cluster {
        name: "prod",
        uid: 1,
        version: Version(1),
        generation: 1,
        deleting: false,
        held: false,
        way,
        named: false,
        status: None,
        place: None,
        server: None,
    }
}

fn finding(found: Found) -> Finding<String> {
    Finding { found, words: "words".into(), release: None, place: None }
}

fn found(uid: u8, generation: u64, found: Found) -> Reply<Plain> {
    Reply::Found { uid, generation, finding: finding(found), server: Server::Other, known_by: None }
}

fn known(cluster: &Cluster<Plain>, memory: &Memory<Plain>) -> Snapshot<Plain> {
    controller(Home::Hub).snapshot(&"prod", &[cluster], memory)
}

fn decide(cluster: &Cluster<Plain>, memory: &Memory<Plain>, home: Home, clock: u64) -> Decision<Step, Wait> {
    controller(home).decide(&known(cluster, memory), at(clock))
}

fn learned(reply: Reply<Plain>, clock: u64) -> Memory<Plain> {
    let mut memory = Memory::default();
    controller(Home::Hub).learn(&mut memory, &Step::Probe, reply, at(clock)).expect("something to learn");
    memory
}

#[test]
fn a_cluster_is_looked_at_in_its_rhythm() {
    let mut prod = cluster(Way::Kubeconfig("there"));
    let nothing = Memory::default();
    assert_eq!(decide(&prod, &nothing, Home::Elsewhere, 0), Decision::Do(Step::Probe));
    let next = |clock| Decision::Wait { what: Wait::NextLook, until: Some(Millis(clock)) };
    let well = learned(found(1, 1, Found::Usable), 100);
    assert_eq!(decide(&prod, &well, Home::Elsewhere, 130), next(130), "it is told first");
    let told = |found| Some(Status { finding: finding(found), observed: 1 });
    prod.status = told(Found::Usable);
    assert_eq!(decide(&prod, &well, Home::Elsewhere, 129), next(130));
    assert_eq!(decide(&prod, &well, Home::Elsewhere, 130), Decision::Do(Step::Probe));
    let ill = learned(found(1, 1, Found::Silent), 100);
    assert_eq!(decide(&prod, &ill, Home::Elsewhere, 999), next(105), "it is told first");
    prod.status = told(Found::Silent);
    assert_eq!(decide(&prod, &ill, Home::Elsewhere, 104), next(105));
    assert_eq!(decide(&prod, &ill, Home::Elsewhere, 105), Decision::Do(Step::Probe));
}

#[test]
fn what_was_found_of_another_one_or_of_another_wish_says_nothing() {
    let prod = cluster(Way::Kubeconfig("there"));
    for memory in [learned(found(2, 1, Found::Usable), 0), learned(found(1, 2, Found::Usable), 0)] {
        assert_eq!(decide(&prod, &memory, Home::Hub, 1), Decision::Do(Step::Probe));
        let snapshot = known(&prod, &memory);
        assert_eq!(
            controller(Home::Hub).report(&snapshot, Standing::Waiting(&Wait::NextLook), at(1)),
            None,
            "there is nothing to tell"
        );
    }
}

#[test]
fn an_embedded_cluster_is_held_started_stopped_and_let_go() {
    let mut toy = cluster(Way::Embedded);
    assert_eq!(decide(&toy, &Memory::default(), Home::Hub, 0), Decision::Do(Step::Hold));
    toy.held = true;
    assert_eq!(decide(&toy, &Memory::default(), Home::Hub, 0), Decision::Do(Step::Probe));
    toy.deleting = true;
    let running = learned(found(1, 1, Found::Usable), 0);
    assert_eq!(decide(&toy, &running, Home::Hub, 1), Decision::Do(Step::Stop));
    assert_eq!(
        decide(&toy, &learned(Reply::Stopped(9), 0), Home::Hub, 1),
        Decision::Do(Step::Stop),
        "another one was stopped"
    );
    let stopped = learned(Reply::Stopped(1), 0);
    assert_eq!(decide(&toy, &stopped, Home::Hub, 1), Decision::Do(Step::LetGo));
    toy.held = false;
    assert_eq!(decide(&toy, &stopped, Home::Hub, 1), Decision::Converged);
}

#[test]
fn who_is_not_in_the_hub_neither_holds_an_embedded_cluster_nor_lets_it_go() {
    let mut toy = cluster(Way::Embedded);
    let wait = Decision::Wait { what: Wait::ItsHub, until: None };
    assert_eq!(decide(&toy, &Memory::default(), Home::Elsewhere, 0), wait, "it does not even look");
    toy.held = true;
    assert_eq!(decide(&toy, &Memory::default(), Home::Elsewhere, 0), wait);
    toy.deleting = true;
    assert_eq!(decide(&toy, &Memory::default(), Home::Elsewhere, 0), wait);
    toy.held = false;
    assert_eq!(decide(&toy, &Memory::default(), Home::Elsewhere, 0), Decision::Converged);
}

#[test]
fn who_waits_for_a_hub_is_told_what_to_do_and_what_was_known_stays() {
    let mut toy = cluster(Way::Embedded);
    let place = Some(Place { server: "https://here".into(), kubeconfig: Some("/there".into()) });
    let known = Finding { release: Some("v1.34.4".into()), place, ..finding(Found::Usable) };
    toy.place.clone_from(&known.place);
    toy.status = Some(Status { finding: known.clone(), observed: 1 });
    let says = |toy: &Cluster<Plain>| {
        let snapshot = controller(Home::Elsewhere).snapshot(&"prod", &[toy], &Memory::default());
        let standing = Standing::Waiting(&Wait::ItsHub);
        match controller(Home::Elsewhere).report(&snapshot, standing, at(1)) {
            Some(Write::Status { after, .. }) => after.status.expect("a status").finding,
            _ => panic!("nobody is told"),
        }
    };
    let refused = says(&toy);
    toy.deleting = true;
    let deleted = says(&toy);
    for (told, advice) in [
        (&refused, "end the others (`bowline controllers`)"),
        (&refused, "register a cluster by its kubeconfig"),
        (&deleted, "run `bowline up` there"),
    ] {
        assert!(told.words.contains(advice), "{}", told.words);
        assert_eq!((told.found, &told.release, &told.place), (Found::NotHere, &known.release, &known.place));
    }
}

#[test]
fn a_status_is_written_once() {
    let mut prod = cluster(Way::Kubeconfig("there"));
    let memory = learned(found(1, 1, Found::Silent), 0);
    let show = |prod: &Cluster<Plain>| {
        controller(Home::Hub).report(&known(prod, &memory), Standing::Waiting(&Wait::NextLook), at(1))
    };
    let Some(Write::Status { after, .. }) = show(&prod) else { panic!("nobody is told") };
    let shown = Some(Status { finding: finding(Found::Silent), observed: 1 });
    assert_eq!(after.status, shown);
    prod.status = shown;
    assert_eq!(show(&prod), None);
}

#[test]
fn calls_say_which_cluster_and_which_wish() {
    let toy = Cluster { held: true, generation: 4, uid: 7, ..cluster(Way::Embedded) };
    let effect = controller(Home::Hub).effect(&known(&toy, &Memory::default()), &Step::Probe, at(0));
    let look = Call::Look { name: "prod", uid: 7, generation: 4, way: Way::Embedded, began: false };
    assert_eq!(effect, Effect::Call(look));
    let effect = controller(Home::Hub).effect(&known(&toy, &Memory::default()), &Step::Stop, at(0));
    assert_eq!(effect, Effect::Call(Call::Stop { name: "prod", uid: 7 }));
}

/// What was started once is never started anew: not while it runs, not after a look that found that it does not start.
#[test]
fn that_an_embedded_cluster_was_started_is_not_forgotten() {
    let mut toy = Cluster { held: true, ..cluster(Way::Embedded) };
    let place = Some(Place { server: "https://here".into(), kubeconfig: Some("/there".into()) });
    let began = |toy: &Cluster<Plain>| {
        let effect = controller(Home::Hub).effect(&known(toy, &Memory::default()), &Step::Probe, at(0));
        matches!(effect, Effect::Call(Call::Look { began: true, .. }))
    };
    assert!(!began(&toy), "nobody has looked at it");
    let usable = Finding { place: place.clone(), ..finding(Found::Usable) };
    toy.status = Some(Status { finding: usable, observed: 1 });
    toy.place.clone_from(&place);
    assert!(began(&toy));
    // Somebody has spoiled what was told, and left where it is: neither a look nor a failure makes us forget it.
    let spoiled = Cluster { status: None, ..toy.clone() };
    assert!(began(&spoiled));
    let memory = learned(found(1, 1, Found::Lost), 100);
    for standing in [Standing::Waiting(&Wait::NextLook), Standing::Failing("why")] {
        let write = controller(Home::Hub).report(&known(&spoiled, &memory), standing, at(100));
        let Some(Write::Status { after, .. }) = write else { panic!("nobody is told") };
        assert_eq!(after.status.expect("a status").finding.place, place);
    }
    for (clock, trouble) in [(100, Found::DoesNotStart), (200, Found::Lost)] {
        let memory = learned(found(1, 1, trouble), clock);
        let standing = Standing::Waiting(&Wait::NextLook);
        let write = controller(Home::Hub).report(&known(&toy, &memory), standing, at(clock));
        let Some(Write::Status { after, .. }) = write else { panic!("nobody is told") };
        toy.status = after.status;
        toy.place = toy.status.as_ref().and_then(|status| status.finding.place.clone());
        assert!(began(&toy), "{trouble:?}");
        let next = Decision::Wait { what: Wait::NextLook, until: Some(Millis(clock + 5)) };
        assert_eq!(decide(&toy, &memory, Home::Hub, clock + 4), next, "it is told");
        assert_eq!(decide(&toy, &memory, Home::Hub, clock + 5), Decision::Do(Step::Probe));
    }
    let prod = Cluster { way: Way::Kubeconfig("there"), ..toy };
    assert!(!began(&prod), "what is reached by a kubeconfig is not ours to start");
}

/// Whoever may use the hub as a cluster may do everything on it: nobody may who is not named.
#[test]
fn the_hub_itself_can_be_used_by_those_who_are_named() {
    let told = |named: bool, reached: Found, server: Server| {
        let prod = Cluster { named, ..cluster(Way::Kubeconfig("there")) };
        let finding = finding(reached);
        let memory = learned(Reply::Found { uid: 1, generation: 1, finding, server, known_by: Some(1) }, 0);
        let standing = Standing::Waiting(&Wait::NextLook);
        match controller(Home::Hub).report(&known(&prod, &memory), standing, at(1)) {
            Some(Write::Status { after, .. }) => after.status.expect("a status").finding,
            _ => panic!("nobody is told"),
        }
    };
    for reached in [Found::Usable, Found::Limited] {
        for (server, says) in [(Server::Hub, "it is this hub"), (Server::Unsaid, "it may be this hub")] {
            let exposed = told(false, reached, server);
            assert_eq!((exposed.found, exposed.found.is_ready()), (Found::Exposed, false));
            assert!(exposed.words.contains("--allow NAMESPACE"), "{}", exposed.words);
            assert!(exposed.words.starts_with(says), "{}", exposed.words);
            assert_eq!(told(true, reached, server).found, reached);
        }
        assert_eq!(told(false, reached, Server::Other), finding(reached), "another one");
    }
    let guarded = told(true, Found::Usable, Server::Hub).words;
    assert!(guarded.contains("is an administrator of the hub"), "{guarded}");
    assert_eq!(told(true, Found::Limited, Server::Hub), finding(Found::Limited), "it says what is missing");
    assert_eq!(
        told(false, Found::Silent, Server::Hub),
        finding(Found::Silent),
        "what else is wrong is told first"
    );
}

#[test]
fn what_is_told_of_the_hub_itself_is_told_once() {
    let mut prod = cluster(Way::Kubeconfig("there"));
    let finding = finding(Found::Usable);
    let reply = Reply::Found { uid: 1, generation: 1, finding, server: Server::Hub, known_by: None };
    let memory = learned(reply, 0);
    let show = |prod: &Cluster<Plain>| {
        controller(Home::Hub).report(&known(prod, &memory), Standing::Waiting(&Wait::NextLook), at(1))
    };
    let Some(Write::Status { after, .. }) = show(&prod) else { panic!("nobody is told") };
    prod.status = after.status;
    assert_eq!(show(&prod), None);
    let next = Decision::Wait { what: Wait::NextLook, until: Some(Millis(5)) };
    assert_eq!(decide(&prod, &memory, Home::Hub, 4), next, "it is looked at again soon");
    assert_eq!(decide(&prod, &memory, Home::Hub, 5), Decision::Do(Step::Probe));
}

/// What stacks have seen and done on a cluster was seen and done on one server: it stays that one, or cannot be used.
#[test]
fn a_cluster_is_the_server_by_which_it_could_be_used_first() {
    let mut prod = cluster(Way::Kubeconfig("there"));
    let mut look = |found: Found, known_by: Option<u8>| {
        let (finding, server) = (finding(found), Server::Other);
        let memory =
            learned(Reply::Found { uid: 1, generation: prod.generation, finding, server, known_by }, 0);
        let standing = Standing::Waiting(&Wait::NextLook);
        assert_eq!(
            decide(&prod, &memory, Home::Hub, 99),
            Decision::Wait { what: Wait::NextLook, until: Some(due(&prod, &memory)) },
            "it is told first"
        );
        let write = controller(Home::Hub).report(&known(&prod, &memory), standing, at(1));
        let Some(Write::Status { after, .. }) = write else { panic!("nobody is told") };
        // Whoever points it somewhere changes what is wanted of it.
        prod = Cluster { generation: prod.generation + 1, ..after.clone() };
        (after.status.expect("a status").finding, after.server)
    };
    let mut finds = |found, known_by| {
        let (finding, server) = look(found, known_by);
        (finding.found, server)
    };
    assert_eq!(finds(Found::Unauthorized, Some(7)), (Found::Unauthorized, None), "it was not used there");
    assert_eq!(finds(Found::Limited, None), (Found::Limited, None), "it may not be asked");
    assert_eq!(finds(Found::Usable, Some(8)), (Found::Usable, Some(8)));
    assert_eq!(finds(Found::Usable, Some(9)), (Found::OtherServer, Some(8)));
    assert_eq!(finds(Found::Limited, Some(9)), (Found::OtherServer, Some(8)));
    assert_eq!(finds(Found::Silent, None), (Found::Silent, Some(8)), "what else is wrong is told");
    assert_eq!(finds(Found::Usable, None), (Found::Usable, Some(8)), "it may be the same");
    assert_eq!(finds(Found::Usable, Some(9)), (Found::OtherServer, Some(8)), "and is not forgotten");
    assert_eq!(finds(Found::Usable, Some(8)), (Found::Usable, Some(8)), "its own again");
    let (limited, _) = look(Found::Limited, None);
    assert!(
        limited.words.starts_with("words; ") && limited.words.contains("kube-system"),
        "{}",
        limited.words
    );
    let (other, _) = look(Found::Usable, Some(9));
    assert!(!other.found.is_ready() && other.found.answers() == Some(true));
    for advice in
        ["bowline cluster add NAME --kubeconfig FILE", "bowline cluster remove NAME --force", "`--allow`"]
    {
        assert!(other.words.contains(advice), "{}", other.words);
    }
}

/// When the next look is, if this is what is remembered of the last.
fn due(cluster: &Cluster<Plain>, memory: &Memory<Plain>) -> Millis {
    let probe = known(cluster, memory).probe.expect("a look");
    if probe.finding.found.is_ready() { RHYTHM.well } else { RHYTHM.ill }
}

/// Which server it is is known though somebody has spoiled the rest, and is told where only that is missing.
#[test]
fn which_server_it_is_is_told_beside_the_rest() {
    let mut prod = cluster(Way::Kubeconfig("there"));
    prod.status = Some(Status { finding: finding(Found::Usable), observed: 1 });
    let usable = |known_by| {
        let (finding, server) = (finding(Found::Usable), Server::Other);
        learned(Reply::Found { uid: 1, generation: 1, finding, server, known_by }, 0)
    };
    let show = |prod: &Cluster<Plain>, memory: &Memory<Plain>, standing| match controller(Home::Hub).report(
        &known(prod, memory),
        standing,
        at(1),
    ) {
        Some(Write::Status { after, .. }) => Some(after),
        _ => None,
    };
    let next = || Standing::Waiting(&Wait::NextLook);
    assert_eq!(show(&prod, &usable(None), next()), None);
    let told = show(&prod, &usable(Some(8)), next()).expect("it is told");
    assert_eq!(told, Cluster { server: Some(8), ..prod.clone() });
    let spoiled = Cluster { status: None, ..told };
    for standing in [next(), Standing::Failing("why")] {
        assert_eq!(show(&spoiled, &usable(Some(9)), standing).expect("it is told").server, Some(8));
    }
}

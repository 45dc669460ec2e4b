//! What is decided about a cluster, step by step.

use bowline_control::{Controller, Decision, Effect, Millis, Moment, Standing, Version, Write};

use crate::{
    Call, Cluster, Clusters, Finding, Found, Home, Memory, Names, Reply, Rhythm, Snapshot, Status, Step,
    Wait, Way,
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
        status: None,
    }
}

fn finding(found: Found) -> Finding<String> {
    Finding { found, words: "words".into(), release: None, place: None }
}

fn found(uid: u8, generation: u64, found: Found) -> Reply<Plain> {
    Reply::Found { uid, generation, finding: finding(found) }
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
    assert_eq!(decide(&toy, &Memory::default(), Home::Elsewhere, 0), Decision::Do(Step::Probe));
    (toy.held, toy.deleting) = (true, true);
    let wait = Decision::Wait { what: Wait::ItsHub, until: None };
    assert_eq!(decide(&toy, &Memory::default(), Home::Elsewhere, 0), wait);
}

#[test]
fn a_status_is_written_once() {
    let mut prod = cluster(Way::Kubeconfig("there"));
    let memory = learned(found(1, 1, Found::Limited), 0);
    let show = |prod: &Cluster<Plain>| {
        controller(Home::Hub).report(&known(prod, &memory), Standing::Waiting(&Wait::NextLook), at(1))
    };
    let Some(Write::Status { after, .. }) = show(&prod) else { panic!("nobody is told") };
    let shown = Some(Status { finding: finding(Found::Limited), observed: 1 });
    assert_eq!(after.status, shown);
    prod.status = shown;
    assert_eq!(show(&prod), None);
}

#[test]
fn calls_say_which_cluster_and_which_wish() {
    let toy = Cluster { held: true, generation: 4, uid: 7, ..cluster(Way::Embedded) };
    let effect = controller(Home::Hub).effect(&known(&toy, &Memory::default()), &Step::Probe, at(0));
    let look = Call::Look { name: "prod", uid: 7, generation: 4, way: Way::Embedded };
    assert_eq!(effect, Effect::Call(look));
    let effect = controller(Home::Hub).effect(&known(&toy, &Memory::default()), &Step::Stop, at(0));
    assert_eq!(effect, Effect::Call(Call::Stop { name: "prod", uid: 7 }));
}

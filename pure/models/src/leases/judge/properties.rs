//! What is claimed of the judge.

use bowline_explorer::{Formula, Property};

use super::state::{SILENT, State};
use super::{Action, Bench};

pub(super) fn all(m: &Bench) -> Vec<Property<Bench>> {
    let mut all = safety();
    all.extend(liveness(m));
    all.extend(reached());
    all
}

/// Who is judged by this step.
fn newly<'a>(s: &'a State, next: &'a State) -> impl Iterator<Item = usize> + 'a {
    (0..s.members.len()).filter(|i| next.members[*i].judged && !s.members[*i].judged)
}

fn can_renew(m: &Bench, s: &State, but: usize) -> bool {
    (0..usize::from(m.members)).any(|i| i != but && s.members[i].alive)
}

/// More than half of those who were not judged are silent.
fn most_are_silent(m: &Bench, s: &State) -> bool {
    let open = || (0..usize::from(m.members)).filter(|i| !s.members[*i].judged);
    open().filter(|i| s.is_silent(*i)).count() * 2 > open().count()
}

fn safety() -> Vec<Property<Bench>> {
    vec![
        Property::always_step("OutageTakesNobody", |_, s: &State, action: &Action, next: &State| {
            *action == Action::Trust || newly(s, next).all(|i| s.members[i].own)
        })
        .about("nobody is judged because the hub was cut off, slept or started again"),
        Property::always_step("SuspectTakesNobody", |_, s: &State, _: &Action, next: &State| {
            !(s.suspect && next.suspect) || newly(s, next).next().is_none()
        })
        .about("while the hub suspects itself nobody is judged"),
        Property::always("MostIsSuspect", |m: &Bench, s: &State| {
            s.suspect || s.waits > 0 || !most_are_silent(m, s)
        })
        .about("if more than half lapse together the hub suspects itself"),
        Property::always_step("FullLeaseFirst", |_, s: &State, _: &Action, next: &State| {
            next.waits == 0 || newly(s, next).next().is_none()
        })
        .about("a hub that has started waits for one full lease before it judges any"),
        Property::always("RenewedIsLive", |_, s: &State| {
            s.members.iter().all(|member| !member.judged || member.age >= SILENT)
        })
        .about("whoever has renewed has not lapsed, whatever was judged before"),
        Property::always_step("PersonIsBelieved", |m: &Bench, s: &State, action: &Action, next: &State| {
            let is_as_seen = |i: usize| next.members[i].judged == (s.members[i].judged || s.is_silent(i));
            *action != Action::Trust || !next.suspect && (0..usize::from(m.members)).all(is_as_seen)
        })
        .about("if a person says that what the hub sees is so, it trusts itself, and who is silent by then is judged, and nobody else"),
    ]
}

fn liveness(m: &Bench) -> Vec<Property<Bench>> {
    let nobody = usize::MAX;
    vec![
        Property::leads_to(
            "SuspicionEnds",
            |_, s: &State| s.suspect,
            move |m: &Bench, s: &State| !s.suspect || !can_renew(m, s, nobody),
        )
        .about("the hub trusts itself again, if anybody is left to renew"),
        Property::for_each("DeadIsJudged", 0..usize::from(m.members), |i| {
            let dead = move |m: &Bench, s: &State| !s.members[i].alive && can_renew(m, s, i);
            Formula::leads_to(dead, move |m, s| s.members[i].judged || !can_renew(m, s, i))
        })
        .about("whoever is dead is judged, if anybody else is left to renew"),
    ]
}

fn reached() -> Vec<Property<Bench>> {
    vec![
        Property::sometimes("Suspects", |_, s: &State| {
            s.suspect && s.members.iter().all(|member| member.alive)
        })
        .about("the hub suspects itself, and everybody lives"),
        Property::sometimes("JudgesMost", |m: &Bench, s: &State| {
            let judged = s.members.iter().filter(|member| member.judged).count();
            judged * 2 > usize::from(m.members) && s.persons == m.persons
        })
        .about("more than half are judged, and no person said so"),
        Property::sometimes("JudgesLiving", |_, s: &State| {
            s.members.iter().any(|member| member.judged && member.alive && member.own)
        })
        .about("one who lives and was cut off is judged"),
        Property::sometimes("PersonErrs", |_, s: &State| {
            s.members.iter().any(|member| member.judged && !member.own)
        })
        .about("a person says that the hub is right, and it is not"),
    ]
}

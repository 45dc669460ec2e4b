//! Models that do one thing wrong, and the claim that each breaks.

use bowline_explorer::{Kind, Options, Verdict};

use crate::catalogue::{Subject, catalogue};
use crate::{clusters, fleet, identities, kernel, leases, placements, sample, updates, upgrades, workqueue};

/// A model that does one thing wrong.
pub(crate) struct Mutant {
    /// What it does.
    pub(crate) about: &'static str,
    /// The model that it is a mutant of.
    pub(crate) model: &'static str,
    /// What the explorer catches it by.
    pub(crate) breaks: &'static str,
    /// The model with it, at a size that is enough.
    pub(crate) build: fn() -> Box<dyn Subject>,
}

fn all() -> impl Iterator<Item = &'static Mutant> {
    let leases = leases::mutants::MUTANTS.iter().chain(leases::judge::mutants::MUTANTS);
    let systems =
        sample::mutants::MUTANTS.iter().chain(clusters::mutants::MUTANTS).chain(updates::mutants::MUTANTS);
    let systems = systems.chain(identities::mutants::MUTANTS).chain(upgrades::mutants::MUTANTS);
    let systems = systems.chain(placements::mutants::MUTANTS).chain(fleet::mutants::MUTANTS);
    kernel::mutants().chain(workqueue::mutants::MUTANTS).chain(leases).chain(systems)
}

#[test]
fn every_mutant_is_caught_by_the_claim_that_it_breaks() {
    let escapes = |mutant: &&Mutant| {
        let claim = [mutant.breaks.to_owned()];
        let report = (mutant.build)().check(&Options { properties: Some(&claim), ..Options::default() });
        report.map(|report| report.verdicts[0].verdict) != Ok(Verdict::Violated)
    };
    let escaped: Vec<_> = all().filter(escapes).map(|m| (m.model, m.about, m.breaks)).collect();
    assert!(escaped.is_empty(), "{escaped:#?}");
}

#[test]
fn every_claim_has_a_mutant() {
    for entry in catalogue().iter().filter(|entry| !entry.name.starts_with("seed/")) {
        let model = entry.size("").and_then(|size| entry.build(&size)).expect("defaults that work");
        for claim in model.claims().iter().filter(|claim| claim.kind != Kind::Sometimes) {
            let mut of_claim = all().filter(|mutant| mutant.breaks == claim.name);
            assert!(
                of_claim.any(|mutant| mutant.model == entry.name)
                    // The two share their claims of the collector.
                    || entry.name == kernel::NAMESPACES.name
                        && all().any(|m| m.breaks == claim.name && m.model == kernel::COLLECTOR.name),
                "nothing breaks {} of {}",
                claim.name,
                entry.name
            );
        }
    }
}

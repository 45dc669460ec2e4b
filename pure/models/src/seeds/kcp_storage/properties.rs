//! What the document claims of KcpStorage, and what it most plausibly meant.

use bowline_explorer::{Formula, Property};

use super::KcpStorage;
use super::state::{PerCluster, State, Sync};

type Claims = Vec<Property<KcpStorage>>;

pub(super) fn all(model: &KcpStorage) -> Claims {
    let mut claims = as_written();
    claims.extend(intended_of_states());
    claims.extend(intended_to_happen(model));
    claims
}

fn as_written() -> Claims {
    vec![
        Property::no_deadlock("Deadlock").about("there is always something that can happen"),
        Property::always("TypeOK", types_hold).about("every variable holds a declared value"),
        Property::always("Inv_NSAtMostOneCluster", |m: &KcpStorage, s: &State| counts_one_boolean(m, s.ns))
            .about("meant: the namespace is assigned to at most one cluster; vacuous as written"),
        Property::always("Inv_PVCAtMostOneCluster", |m: &KcpStorage, s: &State| counts_one_boolean(m, s.pvc))
            .about("meant: the volume is assigned to at most one cluster; vacuous as written"),
        Property::always("Inv_UsableByAtMostOne", |m: &KcpStorage, s: &State| at_most_one(m, s.pvc_state))
            .about("at most one cluster thinks that it can use the volume"),
        Property::always("Invariants", |m: &KcpStorage, s: &State| {
            types_hold(m, s)
                && counts_one_boolean(m, s.ns)
                && counts_one_boolean(m, s.pvc)
                && at_most_one(m, s.pvc_state)
        })
        .about("all invariants of the document"),
        Property::eventually("Termination", KcpStorage::all_done).about("every process comes to its end"),
    ]
}

fn intended_of_states() -> Claims {
    vec![
        Property::always("NSAtMostOne", |m: &KcpStorage, s: &State| at_most_one(m, s.ns))
            .about("the namespace is assigned to at most one cluster"),
        Property::always("PVCAtMostOne", |m: &KcpStorage, s: &State| at_most_one(m, s.pvc))
            .about("the volume is assigned to at most one cluster"),
        Property::always("UsableByAtMostOne", |m: &KcpStorage, s: &State| at_most_one(m, s.pvc_state))
            .about("at most one cluster thinks that it can use the volume"),
        Property::always("UserIsAssignee", |m: &KcpStorage, s: &State| users_are_in(m, s, s.ns))
            .about("a cluster that uses the volume has the namespace"),
        Property::always("PvcAgrees", |m: &KcpStorage, s: &State| users_are_in(m, s, s.pvc))
            .about("a cluster that uses the volume is the one in the volume's label"),
        Property::always("NeverEmpty", |m: &KcpStorage, s: &State| {
            [s.ns, s.pvc, s.pvc_state].iter().all(|v| m.cluster_ids().all(|c| v.get(c) != Sync::EMPTY))
        })
        .about("the declared state \"Empty\" is never reached"),
    ]
}

fn intended_to_happen(model: &KcpStorage) -> Claims {
    vec![
        Property::always_eventually("PvcFollows", |_, s: &State| s.pvc == s.ns)
            .about("the volume's label follows the namespace again and again"),
        Property::for_each("SyncerFollows", model.cluster_ids(), |c| {
            Formula::always_eventually(move |_, s: &State| s.pvc_state.get(c) == s.ns.get(c))
        })
        .about("every syncer follows the namespace again and again"),
    ]
}

fn types_hold(m: &KcpStorage, s: &State) -> bool {
    m.cluster_ids().all(|c| matches!(s.ns.get(c), Sync::NIL | Sync::EMPTY | Sync::SYNC))
}

fn is_sync(values: PerCluster, c: u8) -> bool {
    values.get(c) == Sync::SYNC
}

fn at_most_one(m: &KcpStorage, values: PerCluster) -> bool {
    m.cluster_ids().filter(|&c| is_sync(values, c)).count() <= 1
}

/// `Cardinality({ \A c \in CLUSTERS : … }) <= 1`: the set has one element, a boolean.
fn counts_one_boolean(m: &KcpStorage, values: PerCluster) -> bool {
    let set = [m.cluster_ids().all(|c| is_sync(values, c))];
    set.len() <= 1
}

/// Whether every cluster that uses the volume is one of those in `assigned`.
fn users_are_in(m: &KcpStorage, s: &State, assigned: PerCluster) -> bool {
    m.cluster_ids().all(|c| !is_sync(s.pvc_state, c) || is_sync(assigned, c))
}

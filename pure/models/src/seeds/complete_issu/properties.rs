//! What the document claims of CompleteISSU, and what it most plausibly meant.

use bowline_explorer::Property;

use super::CompleteIssu;
use super::state::{NodeSet, State, UpgradeState};

type Claims = Vec<Property<CompleteIssu>>;

pub(super) fn all() -> Claims {
    let mut claims = as_written();
    claims.extend(intended_of_members());
    claims.extend(intended_of_masters());
    claims.extend(intended_of_upgrades());
    claims
}

/// The document's invariant, and its three conjuncts one by one.
fn as_written() -> Claims {
    vec![
        Property::no_deadlock("Deadlock").about("there is always something that can happen"),
        Property::always("TypeInvariant", |m: &CompleteIssu, s: &State| {
            at_most_two_versions(m, s) && master_in_upgrade_version(s) && partition_sizes(m, s)
        })
        .about("at most two versions, masters at the serving one, and partitions of the right size"),
        Property::always("AtMostTwoVersions", at_most_two_versions)
            .about("at most two versions run at a time"),
        Property::always("MasterInUpgradeVersion", |_, s: &State| master_in_upgrade_version(s))
            .about("a master runs the serving version"),
        Property::always("PartitionSizes", partition_sizes)
            .about("a partition has its size, or all upgraded nodes while some are not"),
    ]
}

fn intended_of_members() -> Claims {
    vec![
        Property::always("PartitionSizesMin", partition_sizes_min)
            .about("a partition has its size, or fewer as long as fewer nodes are upgraded"),
        Property::always("SameVersionAgree", |m: &CompleteIssu, s: &State| {
            m.node_ids().all(|n| {
                let first = m.at(s, s.version(n)).choose();
                first.is_none_or(|x| s.active(x) == s.active(n))
            })
        })
        .about("the nodes of a version agree on who is in a partition"),
        Property::always("MembersInSameVersion", |m: &CompleteIssu, s: &State| {
            m.node_ids().all(|n| s.active(n).is_within(m.at(s, s.version(n))))
        })
        .about("the members of a partition run the version of the node that lists them"),
    ]
}

fn intended_of_masters() -> Claims {
    vec![
        Property::always("AlwaysMastered", |_, s: &State| s.master().is_some())
            .about("every device has a master, always"),
        Property::always("MasteredWhenPossible", |m: &CompleteIssu, s: &State| {
            serving_nodes(m, s).is_empty() || s.master().is_some()
        })
        .about("every device has a master whenever a node of the serving version exists"),
        Property::always("SomeNodeInUpgradeVersion", |m: &CompleteIssu, s: &State| {
            !serving_nodes(m, s).is_empty()
        })
        .about("some node always runs the serving version"),
        Property::always_step("CrashedIsNotMaster", |m: &CompleteIssu, s, _, t| {
            m.node_ids().all(|n| m.crash_node(s, n) != Some(*t) || t.master() != Some(n))
        })
        .about("a node that crashes is no master right after it"),
    ]
}

fn intended_of_upgrades() -> Claims {
    vec![
        Property::always("NeverCommittedOrReset", |_, s: &State| {
            !matches!(s.upgrade_state(), UpgradeState::COMMITTED | UpgradeState::RESET)
        })
        .about("the declared states Committed and Reset are never reached"),
        Property::always("NotStuckInitialized", |m: &CompleteIssu, s: &State| {
            s.upgrade_state() != UpgradeState::INITIALIZED || m.can_upgrade(s.upgrade_version())
        })
        .about("no upgrade is initialized at the last version, which nothing leaves"),
        Property::always_step("CrashChangesNoNode", |m: &CompleteIssu, s, _, t| {
            m.node_ids().all(|n| m.crash_node(s, n) != Some(*t) || s.same_nodes(t))
        })
        .about("a crash changes no node: the crashed one may be chosen again"),
        // Not "every crash that can roll back does": no crash happens where one could, so that would
        // hold of nothing. In TLA+:
        //   CanRollback => \A n \in Nodes : ENABLED (CrashNode(n) /\ upgradeState' = RolledBack)
        Property::always("CrashRollsBack", |m: &CompleteIssu, s: &State| {
            let rolls_back = |t: State| t.upgrade_state() == UpgradeState::ROLLED_BACK;
            !m.can_rollback(s) || m.node_ids().all(|n| m.crash_node(s, n).is_some_and(rolls_back))
        })
        .about("while an upgrade can be rolled back, any node may crash, and that rolls it back"),
        Property::leads_to(
            "UpgradeEnds",
            |_, s: &State| s.upgrade_state() != UpgradeState::INACTIVE,
            |_, s: &State| s.upgrade_state() == UpgradeState::INACTIVE,
        )
        .about("an upgrade that began ends"),
    ]
}

fn serving_nodes(m: &CompleteIssu, s: &State) -> NodeSet {
    m.at(s, s.upgrade_version())
}

fn at_most_two_versions(m: &CompleteIssu, s: &State) -> bool {
    let versions = m.node_ids().fold(0_u16, |seen, n| seen | 1 << s.version(n));
    matches!(versions.count_ones(), 1 | 2)
}

fn master_in_upgrade_version(s: &State) -> bool {
    s.master().is_none_or(|n| s.version(n) == s.upgrade_version())
}

/// As printed: the minimum is that of a set with one element.
fn partition_sizes(m: &CompleteIssu, s: &State) -> bool {
    partitions_have(m, s, |upgraded| upgraded)
}

/// With the minimum that was probably meant.
fn partition_sizes_min(m: &CompleteIssu, s: &State) -> bool {
    partitions_have(m, s, |upgraded| upgraded.min(m.partition_size))
}

/// Whether the partitions that an upgraded node lists have the size that `expected` gives for the
/// number of nodes at its version, and those of the other nodes have the full size.
fn partitions_have(m: &CompleteIssu, s: &State, expected: impl Fn(u8) -> u8) -> bool {
    m.node_ids().all(|n| {
        let v = s.version(n);
        let is_upgraded = v > 1 && !m.at(s, v - 1).is_empty();
        let size = if is_upgraded { expected(m.at(s, v).len()) } else { m.partition_size };
        s.active(n).len() == size
    })
}

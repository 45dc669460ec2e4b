//! A state of CompleteISSU in 24 bytes.

use crate::seeds::packed::{Bits, codes};

codes! {
    /// `upgradeState`.
    UpgradeState {
        INACTIVE = 0 "Inactive",
        INITIALIZED = 1 "Initialized",
        UPGRADED = 2 "Upgraded",
        /// Declared, and never assigned.
        COMMITTED = 3 "Committed",
        ROLLED_BACK = 4 "RolledBack",
        /// Declared, and never assigned.
        RESET = 5 "Reset",
    }
}

/// A position in the sequence of versions; the first is 1.
pub(super) type Version = u8;

/// A set of nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct NodeSet(u8);

impl NodeSet {
    pub(super) const EMPTY: NodeSet = NodeSet(0);

    /// The first `count` nodes.
    #[inline]
    pub(super) fn first(count: u8) -> NodeSet {
        NodeSet(((1_u16 << count) - 1) as u8)
    }

    #[inline]
    pub(super) fn only(n: u8) -> NodeSet {
        NodeSet(1 << n)
    }

    #[inline]
    pub(super) fn with(self, n: u8) -> NodeSet {
        NodeSet(self.0 | 1 << n)
    }

    #[inline]
    pub(super) fn without(self, n: u8) -> NodeSet {
        NodeSet(self.0 & !(1 << n))
    }

    #[inline]
    pub(super) fn contains(self, n: u8) -> bool {
        self.0 & 1 << n != 0
    }

    #[inline]
    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    #[inline]
    pub(super) fn len(self) -> u8 {
        self.0.count_ones() as u8
    }

    /// Whether every member is one of `other`.
    #[inline]
    pub(super) fn is_within(self, other: NodeSet) -> bool {
        self.0 & !other.0 == 0
    }

    /// What `CHOOSE` takes: the least member.
    #[inline]
    pub(super) fn choose(self) -> Option<u8> {
        (self.0 != 0).then(|| self.0.trailing_zeros() as u8)
    }

    pub(super) fn iter(self) -> impl Iterator<Item = u8> {
        (0..CAPACITY).filter(move |&n| self.contains(n))
    }
}

/// The variables of the specification.
///
/// It has `active[p]` and `inactive[p]` for each partition `p`, and a master for each device `d`.
/// Every assignment gives one value to all `p` and one to all `d`, so one copy of each is kept. That
/// the numbers of partitions and of devices change nothing is pinned in the tests, as TLC counts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct State {
    /// `nodes[n].active`, 8 bits each.
    active: u64,
    /// `nodes[n].inactive`, 8 bits each.
    inactive: u64,
    /// `nodes[n].version`, 4 bits each, then `upgradeState`, `upgradeVersion` and the master.
    rest: u64,
}

/// How many nodes a state has room for.
pub(super) const CAPACITY: u8 = 8;

/// How many versions a state has room for.
pub(super) const VERSIONS: u8 = 15;

const MEMBERS: u32 = CAPACITY as u32;
const MEMBERS_OF_FIRST: Bits = Bits::new(0, MEMBERS);
const VERSION: u32 = 4;
const VERSION_OF_FIRST: Bits = Bits::new(0, VERSION);
const UPGRADE_STATE: Bits = Bits::new(CAPACITY as u32 * VERSION, 3);
const UPGRADE_VERSION: Bits = UPGRADE_STATE.then(4);
/// 0 for `Nil`, else the node's number and 1.
const MASTER: Bits = UPGRADE_VERSION.then(4);

impl State {
    /// Every node at the first version, with these active members.
    pub(super) fn initial(nodes: u8, members: NodeSet) -> State {
        let mut state = State { active: 0, inactive: 0, rest: 0 };
        state.set_upgrade(UpgradeState::INACTIVE, 1);
        for n in 0..nodes {
            state.set_version(n, 1);
            state.set_active(n, members);
        }
        state
    }

    #[inline]
    pub(super) fn upgrade_state(&self) -> UpgradeState {
        UpgradeState::from_bits(UPGRADE_STATE.get(self.rest))
    }

    #[inline]
    pub(super) fn upgrade_version(&self) -> Version {
        UPGRADE_VERSION.get(self.rest) as Version
    }

    #[inline]
    pub(super) fn set_upgrade_state(&mut self, state: UpgradeState) {
        UPGRADE_STATE.set(&mut self.rest, state.bits());
    }

    #[inline]
    pub(super) fn set_upgrade(&mut self, state: UpgradeState, version: Version) {
        self.set_upgrade_state(state);
        UPGRADE_VERSION.set(&mut self.rest, version.into());
    }

    /// The master of every device, or `None` for `Nil`.
    #[inline]
    pub(super) fn master(&self) -> Option<u8> {
        (MASTER.get(self.rest) as u8).checked_sub(1)
    }

    #[inline]
    pub(super) fn set_master(&mut self, master: Option<u8>) {
        MASTER.set(&mut self.rest, master.map_or(0, |n| u64::from(n) + 1));
    }

    #[inline]
    pub(super) fn version(&self, n: u8) -> Version {
        VERSION_OF_FIRST.of(n, VERSION).get(self.rest) as Version
    }

    #[inline]
    pub(super) fn set_version(&mut self, n: u8, version: Version) {
        VERSION_OF_FIRST.of(n, VERSION).set(&mut self.rest, version.into());
    }

    #[inline]
    pub(super) fn active(&self, n: u8) -> NodeSet {
        NodeSet(MEMBERS_OF_FIRST.of(n, MEMBERS).get(self.active) as u8)
    }

    #[inline]
    pub(super) fn set_active(&mut self, n: u8, members: NodeSet) {
        MEMBERS_OF_FIRST.of(n, MEMBERS).set(&mut self.active, members.0.into());
    }

    #[inline]
    pub(super) fn inactive(&self, n: u8) -> NodeSet {
        NodeSet(MEMBERS_OF_FIRST.of(n, MEMBERS).get(self.inactive) as u8)
    }

    #[inline]
    pub(super) fn set_inactive(&mut self, n: u8, members: NodeSet) {
        MEMBERS_OF_FIRST.of(n, MEMBERS).set(&mut self.inactive, members.0.into());
    }

    /// Whether both have the same `nodes`.
    pub(super) fn same_nodes(&self, other: &State) -> bool {
        let versions = Bits::new(0, CAPACITY as u32 * VERSION);
        (self.active, self.inactive, versions.get(self.rest))
            == (other.active, other.inactive, versions.get(other.rest))
    }
}

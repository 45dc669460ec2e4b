//! The seeds as the types that they are.

use bowline_explorer::Model;

use super::complete_issu::CompleteIssu;
use super::irsa::IrsaOperator;
use super::kcp_storage::KcpStorage;
use super::update_cluster::UpdateCluster;
use super::{complete_issu, irsa, kcp_storage, update_cluster};
use crate::catalogue::BadSize;

/// Takes a model of any type. A [`crate::Subject`] has forgotten its type and can only be explored by us;
/// who compares us with others needs it.
pub trait Visitor {
    /// What comes of it.
    type Out;

    /// Does it.
    fn visit<M: Model + Send + 'static>(self, model: M) -> Self::Out;
}

/// Has `visitor` take the seed of this name at a size (see [`crate::Entry::size`]); `None` if no seed has it.
///
/// # Errors
/// Says what is wrong with the size.
pub fn visit_seed<V: Visitor>(name: &str, size: &str, visitor: V) -> Result<Option<V::Out>, BadSize> {
    use {complete_issu as issu, kcp_storage as kcp, update_cluster as update};
    Ok(Some(match name {
        _ if name == update::ENTRY.name => visitor.visit(UpdateCluster::new(&update::ENTRY.size(size)?)),
        _ if name == issu::ENTRY.name => visitor.visit(CompleteIssu::new(&issu::ENTRY.size(size)?)?),
        _ if name == irsa::ENTRY.name => visitor.visit(IrsaOperator::new(&irsa::ENTRY.size(size)?)),
        _ if name == kcp::ENTRY.name => visitor.visit(KcpStorage::new(&kcp::ENTRY.size(size)?)),
        _ => return Ok(None),
    }))
}

#[cfg(test)]
mod tests {
    use bowline_explorer::{Options, check};

    use super::*;
    use crate::catalogue::catalogue;

    struct Count;

    impl Visitor for Count {
        type Out = Option<u64>;

        fn visit<M: Model + Send + 'static>(self, model: M) -> Option<u64> {
            check(&model, &Options { properties: Some(&[]), ..Options::default() }).ok().map(|r| r.distinct)
        }
    }

    #[test]
    fn a_seed_is_the_same_by_its_type_and_by_its_entry() {
        for entry in catalogue().iter().filter(|entry| entry.name.starts_with("seed/")) {
            let size = entry.size("").expect("defaults are in range");
            let subject = entry.build(&size).expect("defaults fit together");
            let report = subject.check(&Options { properties: Some(&[]), ..Options::default() });
            let distinct = report.ok().map(|report| report.distinct);
            assert_eq!(visit_seed(entry.name, "", Count), Ok(Some(distinct)), "{}", entry.name);
        }
    }

    #[test]
    fn what_is_no_seed_or_no_size_is_said() {
        assert_eq!(visit_seed("seed/other", "", Count), Ok(None));
        assert!(visit_seed("seed/irsa", "workers=none", Count).is_err());
        assert!(visit_seed("seed/complete-issu", "nodes=2,partition-size=3", Count).is_err());
    }
}

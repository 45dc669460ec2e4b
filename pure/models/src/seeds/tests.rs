//! The models by themselves: counted by a naive search that knows states by what `fields` shows.

use bowline_explorer::Model;

use super::complete_issu::CompleteIssu;
use super::irsa::IrsaOperator;
use super::kcp_storage::KcpStorage;
use super::update_cluster::UpdateCluster;
use crate::naive::{is_well_formed, reach, show, successors};

fn update_cluster(requests: u8, workers: u8) -> UpdateCluster {
    UpdateCluster { requests, workers }
}

fn complete_issu([nodes, devices, versions, partitions, partition_size]: [u8; 5]) -> CompleteIssu {
    CompleteIssu { nodes, devices, versions, partitions, partition_size, fair: false }
}

fn irsa(workers: u8, attached: bool) -> IrsaOperator {
    IrsaOperator { workers, attached }
}

#[test]
fn states_are_small() {
    fn bytes<M: Model>() -> usize {
        size_of::<M::State>()
    }
    let sizes =
        [bytes::<UpdateCluster>(), bytes::<CompleteIssu>(), bytes::<IrsaOperator>(), bytes::<KcpStorage>()];
    assert_eq!(sizes, [16, 24, 16, 16]);
}

#[test]
fn counts_are_those_of_tlc() {
    assert_eq!(reach(&update_cluster(1, 1)).counts(), (46, 91, 10));
    assert_eq!(reach(&update_cluster(2, 2)).counts(), (1_024, 2_982, 16));
    assert_eq!(reach(&complete_issu([2, 1, 2, 1, 1])).counts(), (30, 91, 8));
    assert_eq!(reach(&complete_issu([3, 1, 2, 1, 2])).counts(), (101, 414, 9));
    assert_eq!(reach(&complete_issu([3, 1, 3, 1, 2])).counts(), (1_236, 5_314, 22));
    assert_eq!(reach(&irsa(1, false)).counts(), (319, 575, 50));
    assert_eq!(reach(&irsa(2, false)).counts(), (7_053, 19_180, 48));
    assert_eq!(reach(&KcpStorage { clusters: 1 }).counts(), (8, 25, 5));
    assert_eq!(reach(&KcpStorage { clusters: 2 }).counts(), (36, 157, 8));
    assert_eq!(reach(&KcpStorage { clusters: 3 }).counts(), (128, 705, 11));
}

#[test]
fn every_model_is_well_formed() {
    is_well_formed(&update_cluster(2, 2));
    is_well_formed(&complete_issu([3, 2, 3, 2, 2]));
    is_well_formed(&CompleteIssu { fair: true, ..complete_issu([3, 1, 2, 1, 2]) });
    is_well_formed(&irsa(2, false));
    is_well_formed(&irsa(2, true));
    is_well_formed(&KcpStorage { clusters: 3 });
}

/// Checks that a state and its representative have the same future, up to representatives.
fn is_symmetric<M: Model>(model: &M) {
    let reached = reach(model).states;
    let representative = |state: &M::State| {
        let representative = model.representative(state).expect("the model has a symmetry");
        show(model, &representative)
    };
    let future = |state: &M::State| {
        let mut future: Vec<_> = successors(model, state).iter().map(&representative).collect();
        future.sort();
        future
    };
    for state in reached.values() {
        let chosen = representative(state);
        let chosen = reached.get(&chosen).expect("the representative of a reachable state is reachable");
        assert_eq!(representative(chosen), show(model, chosen), "the representative represents itself");
        assert_eq!(future(state), future(chosen));
    }
}

#[test]
fn representatives_have_the_same_future() {
    is_symmetric(&update_cluster(2, 3));
    is_symmetric(&irsa(3, true));
    is_symmetric(&KcpStorage { clusters: 4 });
}

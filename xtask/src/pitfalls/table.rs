//! The mistakes, and how to make them again.

use super::Pitfall;

/// How many are known. They are numbered from 1.
pub(super) const KNOWN: u8 = 11;

/// Every known mistake has an entry, or several.
pub(super) const PITFALLS: &[Pitfall] = &[
    Pitfall {
        number: 1,
        name: "an unfair cycle counts as a behaviour",
        test: "pitfall_01_an_unfair_cycle_is_no_behaviour",
        file: "src/fairness.rs",
        find: "        self.open.is_empty()\n    }\n}",
        replace: "        true\n    }\n}",
    },
    Pitfall {
        number: 2,
        name: "fairness is judged on the outer component",
        test: "pitfall_02_fairness_is_judged_on_the_violating_part",
        file: "src/liveness.rs",
        find: "if judge.can_stay(component) {\n                found(component)",
        replace: "if component.len() > 1 || judge.can_stay(component) {\n                found(component)",
    },
    Pitfall {
        number: 3,
        name: "stuttering takes and enables an action",
        test: "pitfall_03_stuttering_neither_takes_nor_enables",
        file: "src/expand.rs",
        find: "if next == *state {",
        replace: "if false {",
    },
    Pitfall {
        number: 4,
        name: "a state cannot be stayed in",
        test: "pitfall_04_every_state_may_stutter",
        file: "src/liveness.rs",
        find: "self.graph.classes(node).iter().all(|class| usize::from(*class) >= self.fair_classes)",
        replace: "node == Node::MAX",
    },
    Pitfall {
        number: 5,
        name: "a property of nothing passes",
        test: "pitfall_05_what_is_not_supported_is_an_error",
        file: "src/plan.rs",
        find: "property.formulas.is_empty() || ",
        replace: "",
    },
    Pitfall {
        number: 5,
        name: "a walk passes over liveness",
        test: "pitfall_05_a_walk_does_not_pass_over_liveness",
        file: "src/walk.rs",
        find: "None => Verdict::Unknown,",
        replace: "None => Verdict::Holds,",
    },
    Pitfall {
        number: 6,
        name: "a lasso does not close",
        test: "pitfall_06_a_printed_lasso_is_a_path",
        file: "src/lasso.rs",
        find: "if node != start || cycle.is_empty() {",
        replace: "if cycle.is_empty() {",
    },
    Pitfall {
        number: 7,
        name: "only states are looked at, not steps",
        test: "pitfall_07_steps_count_and_not_only_states",
        file: "src/fairness.rs",
        find: "inside[*target as usize] != current",
        replace: "inside[*target as usize] != current || *target < Node::MAX",
    },
    Pitfall {
        number: 7,
        name: "a lasso shows any step between two states",
        test: "pitfall_07_steps_count_and_not_only_states",
        file: "src/replay.rs",
        find: "class.is_none_or(|class| model.class(action).0 == class)",
        replace: "true",
    },
    Pitfall {
        number: 8,
        name: "what is inserted first depends on threads",
        test: "pitfall_08_threads_change_nothing",
        file: "src/search.rs",
        find: "in columns.take(pieces) {",
        replace: "in columns.take(pieces).rev() {",
    },
    Pitfall {
        number: 9,
        name: "a search cut off says that it is complete",
        test: "pitfall_09_a_search_cut_off_says_so",
        file: "src/check.rs",
        find: "Ended::MaxStates => End::MaxStates,",
        replace: "Ended::MaxStates => End::Complete,",
    },
    Pitfall {
        number: 9,
        name: "a search cut off judges what it did not see",
        test: "pitfall_09_a_search_cut_off_says_so",
        file: "src/check.rs",
        find: "(Outcome::None, None) if !all_seen => (Verdict::Unknown, None),",
        replace: "(Outcome::None, None) if !all_seen => (Verdict::Holds, None),",
    },
    Pitfall {
        number: 10,
        name: "symmetry is allowed with liveness",
        test: "pitfall_10_symmetry_is_refused_with_liveness",
        file: "src/plan.rs",
        find: "properties.iter().find(|p| p.kind().is_liveness())",
        replace: "properties.iter().find(|_| false)",
    },
    Pitfall {
        number: 11,
        name: "the graph is searched by recursion",
        test: "pitfall_11_a_long_path_does_not_fill_the_stack",
        file: "src/components.rs",
        find: "    let mut tarjan = Tarjan {\n",
        replace: "    fn descend(graph: &Graph, node: Node, seen: &mut [bool]) {
        seen[node as usize] = true;
        for target in graph.targets(node) {
            if !seen[*target as usize] {
                descend(graph, *target, seen);
            }
        }
    }
    let mut seen = vec![false; graph.len() as usize];
    descend(graph, 0, &mut seen);
    assert!(seen[0]);
    let mut tarjan = Tarjan {
",
    },
];

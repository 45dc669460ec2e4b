//! What is asked of clusters, by all stacks: what a quota is compared with.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use bowline_control::Event;
use bowline_updates::{Kind, Object, Quota, Stage, Update};

use super::names::{StackName, Text};

/// An hour, in seconds.
const HOUR: u64 = 3_600;

/// Who asks what of which cluster, as the watches show it.
#[derive(Default)]
pub(crate) struct Census(Mutex<Known>);

#[derive(Default)]
struct Known {
    /// The cluster of each stack.
    clusters: BTreeMap<StackName, String>,
    /// The updates of each stack, by their names.
    updates: BTreeMap<StackName, BTreeMap<String, Asked>>,
}

struct Asked {
    /// In seconds since 1970, as its server counts.
    created: u64,
    waits: bool,
    rejected: bool,
}

impl Census {
    pub(crate) fn see(&self, event: &Event<Object<Text>>) {
        let mut known = self.lock();
        match event {
            Event::Listed(Kind::Stack, all) => {
                known.clusters.clear();
                all.iter().for_each(|object| known.put(object));
            }
            Event::Listed(Kind::Update, all) => {
                known.updates.clear();
                all.iter().for_each(|object| known.put(object));
            }
            Event::Put(object) => known.put(object),
            Event::Gone(Object::Stack(stack)) => drop(known.clusters.remove(&stack.name)),
            Event::Gone(Object::Update(update)) => known.forget(update),
            _ => {}
        }
    }

    /// The namespaces that ask something of a cluster that nobody has begun with.
    pub(crate) fn askers(&self, cluster: &str) -> BTreeSet<String> {
        let known = self.lock();
        let of_cluster = known.clusters.iter().filter(|(_, its)| *its == cluster).map(|(name, _)| name);
        let waits = |name: &&StackName| {
            known.updates.get(*name).is_some_and(|updates| updates.values().any(|asked| asked.waits))
        };
        of_cluster.filter(waits).map(|name| name.namespace.clone()).collect()
    }

    /// What the namespace of a stack, and everybody, asks of a cluster now, up to the newest version of the stack that waits: what came
    /// after it does not speak against it, or a burst would be refused as a whole. What waits to be refused, because its namespace may
    /// not use the cluster, takes nothing from others. `now` is in seconds since 1970.
    pub(crate) fn used(
        &self,
        stack: &StackName,
        cluster: &str,
        barred: &BTreeSet<String>,
        now: u64,
    ) -> Quota {
        let known = self.lock();
        let of_cluster = known.clusters.iter().filter(|(_, its)| *its == cluster);
        let updates = of_cluster.filter_map(|(name, _)| Some((name, known.updates.get(name)?)));
        let own = known.updates.get(stack).into_iter().flatten();
        let own = own.filter(|(_, asked)| asked.waits).map(|(name, asked)| (asked.created, name)).max();
        let (mut waiting, mut hourly) = (0, 0);
        for (name, updates) in updates {
            // What was made in the same second and does not wait any more was before it.
            let before = |(update, asked): &(&String, &Asked)| {
                own.is_none_or(|(created, name)| match asked.created.cmp(&created) {
                    Ordering::Equal => !asked.waits || *update <= name,
                    order => order == Ordering::Less,
                })
            };
            let waits = updates.iter().filter(before).any(|(_, asked)| asked.waits);
            waiting += usize::from(name.namespace == stack.namespace && waits);
            let is_barred = barred.contains(&name.namespace);
            let is_refused = |asked: &Asked| asked.rejected || asked.waits && is_barred;
            let counts = |asked: &Asked| !is_refused(asked) && asked.created.saturating_add(HOUR) > now;
            hourly += updates.iter().filter(before).filter(|(_, asked)| counts(asked)).count();
        }
        let small = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Quota { waiting: small(waiting), hourly: small(hourly) }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn put(&mut self, object: &Object<Text>) {
        match object {
            Object::Stack(stack) => {
                self.clusters.insert(stack.name.clone(), stack.wish.cluster.clone());
            }
            Object::Update(update) => {
                let stage = update.shown.as_ref().map_or(Stage::Submitted, |shown| shown.stage);
                let asked = Asked {
                    created: update.created,
                    waits: stage.is_waiting(),
                    rejected: stage == Stage::Rejected,
                };
                self.updates.entry(update.stack.clone()).or_default().insert(update.name.clone(), asked);
            }
            Object::Cluster(_) => {}
        }
    }

    fn forget(&mut self, update: &Update<Text>) {
        if let Some(updates) = self.updates.get_mut(&update.stack) {
            updates.remove(&update.name);
            if updates.is_empty() {
                self.updates.remove(&update.stack);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use bowline_control::{Millis, Version};
    use bowline_updates::{Shown, Stack, Status, Wish};

    use super::*;

    fn name(namespace: &str, name: &str) -> StackName {
        StackName { namespace: namespace.into(), name: name.into() }
    }

    fn stack(of: &StackName, cluster: &str) -> Object<Text> {
        Object::Stack(Stack {
            name: of.clone(),
            uid: "u".into(),
            version: Version(1),
            generation: 1,
            deleting: false,
            held: true,
            wish: Wish {
                history: 100,
                cluster: cluster.into(),
                paused: false,
                repairs: false,
                timeout: Millis(1),
                interval: Millis(1),
                deletions: 1,
                released: Vec::new(),
            },
            status: Status::default(),
            told: None,
        })
    }

    fn update(stack: &StackName, name: &str, created: u64, stage: Option<Stage>) -> Object<Text> {
        let shown =
            stage.map(|stage| Shown { number: None, stage, tally: None, done: 0, words: String::new() });
        Object::Update(Update {
            name: name.into(),
            stack: stack.clone(),
            uid: "u".into(),
            version: Version(1),
            created,
            deleting: false,
            digest: String::new(),
            plan: None,
            shown,
        })
    }

    #[test]
    fn what_waits_is_counted_by_namespace_and_what_is_submitted_by_cluster() {
        let census = Census::default();
        let (a, b, c, d) = (name("x", "a"), name("x", "b"), name("y", "c"), name("x", "d"));
        let all = [(&a, "prod"), (&b, "prod"), (&c, "prod"), (&d, "test")];
        census.see(&Event::Listed(Kind::Stack, all.map(|(of, cluster)| stack(of, cluster)).into()));
        let all = vec![
            update(&a, "1", 9_000, Some(Stage::Succeeded)),
            update(&a, "2", 9_900, None),
            update(&a, "3", 9_950, Some(Stage::Queued)),
            update(&b, "4", 6_400, Some(Stage::Submitted)),
            update(&b, "5", 9_000, Some(Stage::Rejected)),
            update(&c, "6", 9_000, Some(Stage::Queued)),
            update(&d, "7", 9_000, Some(Stage::Queued)),
        ];
        census.see(&Event::Listed(Kind::Update, all));
        assert_eq!(
            census.used(&a, "prod", &BTreeSet::new(), 10_000),
            Quota { waiting: 2, hourly: 4 },
            "an hour ago is over"
        );
        assert_eq!(census.used(&a, "prod", &BTreeSet::new(), 9_999), Quota { waiting: 2, hourly: 5 });
        assert_eq!(
            census.used(&c, "prod", &BTreeSet::new(), 10_000),
            Quota { waiting: 1, hourly: 2 },
            "what came before it"
        );
        assert_eq!(
            census.used(&b, "prod", &BTreeSet::new(), 9_999),
            Quota { waiting: 1, hourly: 1 },
            "it was the first"
        );
        census.see(&Event::Put(update(&b, "4", 6_400, Some(Stage::Superseded))));
        census.see(&Event::Gone(update(&a, "1", 9_000, None)));
        assert_eq!(census.used(&a, "prod", &BTreeSet::new(), 10_000), Quota { waiting: 1, hourly: 3 });
        census.see(&Event::Gone(stack(&a, "prod")));
        assert_eq!(census.used(&a, "prod", &BTreeSet::new(), 10_000), Quota { waiting: 0, hourly: 1 });
    }

    #[test]
    fn what_waits_to_be_refused_takes_nothing_from_others() {
        let (census, ours, theirs) = (Census::default(), name("a", "shop"), name("b", "shop"));
        for (of, created) in [(&theirs, 1), (&ours, 2)] {
            census.see(&Event::Put(stack(of, "toy")));
            census.see(&Event::Put(update(of, "1", created, None)));
        }
        census.see(&Event::Put(update(&theirs, "0", 0, Some(Stage::Succeeded))));
        assert_eq!(census.askers("toy"), BTreeSet::from(["a".to_owned(), "b".to_owned()]));
        assert_eq!(census.askers("prod"), BTreeSet::new());
        let hourly = |barred: &[&str]| {
            let barred = barred.iter().map(|name| (*name).to_owned()).collect();
            census.used(&ours, "toy", &barred, 5).hourly
        };
        assert_eq!((hourly(&[]), hourly(&["b"])), (3, 2), "what was done once was done");
    }

    #[test]
    fn what_has_begun_counts_also_if_it_was_made_in_the_same_second() {
        let (census, shop) = (Census::default(), name("a", "shop"));
        census.see(&Event::Put(stack(&shop, "toy")));
        census.see(&Event::Put(update(&shop, "z", 5, Some(Stage::Succeeded))));
        census.see(&Event::Put(update(&shop, "a", 5, None)));
        assert_eq!(census.used(&shop, "toy", &BTreeSet::new(), 5), Quota { waiting: 1, hourly: 2 });
    }
}

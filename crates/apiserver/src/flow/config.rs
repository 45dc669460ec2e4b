//! Flow schemas and priority levels, read once.

use std::collections::BTreeMap;
use std::sync::Arc;

use bowline_kernel::{Object, View};
use ring::digest;

use super::queues::Shape;
use super::schema::{Described, Rules, Target};
use crate::builtin::fields;
use crate::document::{Document, Json};
use crate::key::Resource;

/// The group of the objects.
pub(crate) const GROUP: &str = "flowcontrol.apiserver.k8s.io";
/// How many requests are under way at once, exempt ones aside; levels have shares of it.
const SEATS: f64 = 2048.0;
const CATCH_ALL: &str = "catch-all";
/// What there is for whatever belongs nowhere.
const LEAST: Shape = Shape { seats: 42, queues: 0, hand: 0, length: 0 };

/// What is asked where.
#[derive(Debug, Default)]
pub(super) struct Config {
    /// In the order in which they are asked.
    schemas: Vec<Schema>,
    /// By the names of the levels that are limited.
    pub(super) shapes: BTreeMap<Arc<str>, Shape>,
    /// Where what no schema means belongs.
    otherwise: Arc<Place>,
}

#[derive(Debug)]
struct Schema {
    rules: Rules,
    by: Distinguisher,
    place: Arc<Place>,
}

/// A schema and its level.
#[derive(Debug, Default)]
pub(super) struct Place {
    pub(super) schema: Arc<str>,
    pub(super) schema_uid: Arc<str>,
    pub(super) level: Arc<str>,
    pub(super) level_uid: Arc<str>,
    pub(super) exempt: bool,
    /// Whether anybody waits at that level.
    pub(super) queues: bool,
}

/// What tells flows apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Distinguisher {
    Nothing,
    User,
    Namespace,
}

struct Priority {
    uid: Arc<str>,
    exempt: bool,
    shares: f64,
    shape: Shape,
}

impl Config {
    /// What the objects say.
    pub(super) fn of(view: &View<Document>) -> Config {
        let levels: BTreeMap<Arc<str>, Priority> = all(view, "prioritylevelconfigurations")
            .map(|document| (Arc::clone(&document.key().name), priority(document)))
            .collect();
        let sum: f64 = levels.values().map(|level| level.shares).sum();
        let limited = levels.iter().filter(|(_, level)| !level.exempt);
        let shapes = limited.map(|(name, level)| {
            // Whoever has a share has a seat.
            let seats = if sum > 0.0 { (SEATS * level.shares / sum).ceil() as usize } else { 0 };
            (Arc::clone(name), Shape { seats, ..level.shape })
        });
        let mut shapes: BTreeMap<Arc<str>, Shape> = shapes.collect();
        // Somebody may have removed what no server can be without; it is put back soon.
        shapes.entry(CATCH_ALL.into()).or_insert(LEAST);
        let mut schemas: Vec<(i64, Schema)> = Vec::new();
        for document in all(view, "flowschemas") {
            let json = document.json();
            let spec = fields::object(&json, "spec");
            let name = fields::text(fields::object(spec, "priorityLevelConfiguration"), "name");
            // One whose level is not there is as if it were not there.
            let Some((level, priority)) = levels.get_key_value(name) else { continue };
            let place = place(document, level, priority);
            let by = match fields::text(fields::object(spec, "distinguisherMethod"), "type") {
                "ByUser" => Distinguisher::User,
                "ByNamespace" => Distinguisher::Namespace,
                _ => Distinguisher::Nothing,
            };
            let precedence = fields::number(spec, "matchingPrecedence").unwrap_or(1000);
            schemas.push((precedence, Schema { rules: Rules::of(spec), by, place: Arc::new(place) }));
        }
        // They came in the order of their names: so do those of one precedence.
        schemas.sort_by_key(|(precedence, _)| *precedence);
        let schemas: Vec<Schema> = schemas.into_iter().map(|(_, schema)| schema).collect();
        let otherwise = schemas.iter().find(|schema| &*schema.place.schema == CATCH_ALL);
        let otherwise = otherwise.map_or_else(
            || Arc::new(Place { schema: CATCH_ALL.into(), level: CATCH_ALL.into(), ..Place::default() }),
            |schema| Arc::clone(&schema.place),
        );
        Config { schemas, shapes, otherwise }
    }

    /// Where a request belongs, and of which flow it is.
    pub(super) fn rank(&self, target: &Target<'_>) -> (Arc<Place>, u64) {
        let found = self.schemas.iter().find(|schema| schema.rules.mean(target));
        let Some(schema) = found else { return (Arc::clone(&self.otherwise), 0) };
        if schema.place.exempt {
            return (Arc::clone(&schema.place), 0);
        }
        let by = match (schema.by, &target.what) {
            (Distinguisher::User, _) => target.user.name.as_str(),
            (Distinguisher::Namespace, Described::Resource { namespace, .. }) => namespace,
            (Distinguisher::Namespace | Distinguisher::Nothing, _) => "",
        };
        (Arc::clone(&schema.place), flow(&schema.place.schema, by))
    }
}

/// The number of a flow. Nobody can choose a name that shares all queues with another's.
fn flow(schema: &str, by: &str) -> u64 {
    let mut context = digest::Context::new(&digest::SHA256);
    for part in [schema.as_bytes(), b"\0", by.as_bytes()] {
        context.update(part);
    }
    let digest = context.finish();
    let mut first = [0; 8];
    first.copy_from_slice(&digest.as_ref()[..8]);
    u64::from_le_bytes(first)
}

fn all<'v>(view: &'v View<Document>, plural: &str) -> impl Iterator<Item = &'v Arc<Document>> {
    let collection = view.collection(&Resource::new(GROUP, plural));
    collection.into_iter().flat_map(|all| all.objects().values())
}

fn place(schema: &Document, level: &Arc<str>, priority: &Priority) -> Place {
    Place {
        schema: Arc::clone(&schema.key().name),
        schema_uid: Arc::clone(&schema.meta().uid),
        level: Arc::clone(level),
        level_uid: Arc::clone(&priority.uid),
        exempt: priority.exempt,
        queues: priority.shape.queues > 0,
    }
}

fn priority(document: &Document) -> Priority {
    let json = document.json();
    let spec = fields::object(&json, "spec");
    let exempt = fields::text(spec, "type") == "Exempt";
    let limits = fields::object(spec, if exempt { "exempt" } else { "limited" });
    let queuing = fields::object(fields::object(limits, "limitResponse"), "queuing");
    let number = |json: &Json, name: &str| {
        fields::number(json, name).and_then(|number| usize::try_from(number).ok()).unwrap_or(0)
    };
    let shape = Shape {
        seats: 0,
        queues: number(queuing, "queues"),
        hand: number(queuing, "handSize"),
        length: number(queuing, "queueLengthLimit"),
    };
    let shares = u32::try_from(number(limits, "nominalConcurrencyShares")).map_or(0.0, f64::from);
    Priority { uid: Arc::clone(&document.meta().uid), exempt, shares, shape }
}

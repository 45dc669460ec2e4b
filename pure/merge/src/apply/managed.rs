//! `managedFields` as they stand in an object.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::Operation;
use super::ownership::{Record, Records};
use crate::fields::FieldSet;

/// What tells entries apart. An applier has one entry whatever version it applies in; an updater has one for
/// each.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ManagerId {
    pub(super) name: String,
    pub(super) operation: Operation,
    pub(super) api_version: String,
    pub(super) subresource: String,
}

impl ManagerId {
    pub(super) fn new(name: &str, operation: Operation, api_version: &str, subresource: &str) -> ManagerId {
        let api_version = if operation == Operation::Apply { "" } else { api_version };
        ManagerId {
            name: name.to_owned(),
            operation,
            api_version: api_version.to_owned(),
            subresource: subresource.to_owned(),
        }
    }
}

/// Who owns what, and since when.
#[derive(Clone, Debug, Default)]
pub(super) struct Managed {
    pub(super) records: Records,
    pub(super) times: BTreeMap<ManagerId, String>,
}

impl Managed {
    pub(super) fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    pub(super) fn decode(fields: Option<&Value>) -> Result<Managed, String> {
        let mut managed = Managed::default();
        let entries = fields.and_then(Value::as_array);
        for (index, entry) in entries.into_iter().flatten().enumerate() {
            let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
            let operation = match text("operation") {
                "Apply" => Operation::Apply,
                "Update" => Operation::Update,
                _ => return Err("operation must be `Apply` or `Update`".to_owned()),
            };
            let api_version = text("apiVersion");
            if api_version.is_empty() {
                return Err("apiVersion must not be empty".to_owned());
            }
            match text("fieldsType") {
                "FieldsV1" => {}
                "" => return Err(format!("missing fieldsType in managed fields entry {index}")),
                other => {
                    let other = crate::go::quote(other);
                    return Err(format!("invalid fieldsType {other} in managed fields entry {index}"));
                }
            }
            let set = FieldSet::from_json(entry.get("fieldsV1").unwrap_or(&Value::Null))
                .map_err(|why| format!("error decoding set: {why}"))?;
            let id = ManagerId::new(text("manager"), operation, api_version, text("subresource"));
            if let Some(time) = entry.get("time").and_then(Value::as_str) {
                managed.times.insert(id.clone(), time.to_owned());
            }
            managed.records.insert(id, Record { set, api_version: api_version.to_owned() });
        }
        Ok(managed)
    }

    /// Writes the entries into an object: appliers first, then by time.
    pub(super) fn encode_into(self, object: &mut Value) {
        let Value::Object(object) = object else { return };
        let metadata = object.entry("metadata").or_insert_with(|| Value::Object(Map::new()));
        let Value::Object(metadata) = metadata else { return };
        if self.records.is_empty() {
            metadata.remove("managedFields");
            return;
        }
        let Managed { records, times } = self;
        let mut entries: Vec<_> = records.iter().map(|(id, record)| (id, record, times.get(id))).collect();
        entries.sort_by(|(left, l, left_time), (right, r, right_time)| {
            let order = left.operation.cmp(&right.operation).then_with(|| left_time.cmp(right_time));
            let order = order.then_with(|| left.name.cmp(&right.name));
            let order = order.then_with(|| l.api_version.cmp(&r.api_version));
            order.then_with(|| left.subresource.cmp(&right.subresource))
        });
        let entries = entries.into_iter().map(|(id, record, time)| entry(id, record, time)).collect();
        metadata.insert("managedFields".to_owned(), Value::Array(entries));
    }

    /// Throws the oldest updates of each version together until there are few enough.
    pub(super) fn cap(&mut self, most: usize, bucket: &str) {
        let updaters = self.records.keys().filter(|id| id.operation == Operation::Update);
        let mut updaters: Vec<ManagerId> = updaters.cloned().collect();
        let mut count = updaters.len();
        if count <= most {
            return;
        }
        let times = &self.times;
        updaters.sort_by(|left, right| times.get(left).cmp(&times.get(right)).then_with(|| left.cmp(right)));
        let mut first = BTreeMap::<String, ManagerId>::new();
        for id in updaters {
            if count <= most {
                break;
            }
            let Some(version) = self.records.get(&id).map(|record| record.api_version.clone()) else {
                continue;
            };
            let Some(oldest) = first.get(&version) else {
                first.insert(version, id);
                continue;
            };
            let bucket = ManagerId::new(bucket, Operation::Update, &version, "");
            if !self.records.contains_key(&bucket)
                && let Some(record) = self.records.remove(oldest)
            {
                self.records.insert(bucket.clone(), record);
            }
            let Some(record) = self.records.remove(&id) else { continue };
            if let Some(kept) = self.records.get_mut(&bucket) {
                kept.set.extend(&record.set);
            }
            count -= 1;
            // The younger of the two times: it is about all of it.
            match self.times.get(&id).cloned() {
                Some(time) => self.times.insert(bucket, time),
                None => self.times.remove(&bucket),
            };
        }
    }
}

fn entry(id: &ManagerId, record: &Record, time: Option<&String>) -> Value {
    let mut entry = json!({
        "manager": id.name,
        "operation": id.operation.name(),
        "apiVersion": record.api_version,
        "fieldsType": "FieldsV1",
        "fieldsV1": record.set.to_json(),
    });
    if let Value::Object(entry) = &mut entry {
        if let Some(time) = time {
            entry.insert("time".to_owned(), time.as_str().into());
        }
        if !id.subresource.is_empty() {
            entry.insert("subresource".to_owned(), id.subresource.as_str().into());
        }
    }
    entry
}

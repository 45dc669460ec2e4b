//! The parameters of operations.

/// A parameter of an operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parameter {
    pub(super) name: &'static str,
    pub(super) schema_type: &'static str,
    pub(super) description: &'static str,
}

const fn text(name: &'static str, description: &'static str) -> Parameter {
    Parameter { name, schema_type: "string", description }
}

const fn whole(name: &'static str, description: &'static str) -> Parameter {
    Parameter { name, schema_type: "integer", description }
}

const fn flag(name: &'static str, description: &'static str) -> Parameter {
    Parameter { name, schema_type: "boolean", description }
}

const DRY_RUN: Parameter = text("dryRun", "If it is `All`, nothing is kept; all else is done.");
const FIELD_MANAGER: Parameter =
    text("fieldManager", "Who makes the change: the owner of the fields that it sets.");
const FIELD_VALIDATION: Parameter = text(
    "fieldValidation",
    "What becomes of unknown and duplicate fields: `Ignore` drops them, `Warn` warns, `Strict` refuses.",
);

/// Of everything.
pub(super) const PRETTY: Parameter = text("pretty", "If it is `true`, the answer has line breaks.");

/// Of lists and watches.
pub(super) const LIST: &[Parameter] = &[
    flag("allowWatchBookmarks", "A watch has events that only tell how far it is."),
    text("continue", "Where the next chunk of a list begins: what the chunk before said."),
    text("fieldSelector", "Only objects with these fields."),
    text("labelSelector", "Only objects with these labels."),
    whole("limit", "At most so many objects in a chunk."),
    text("resourceVersion", "How recent the answer has to be, or where a watch begins."),
    text("resourceVersionMatch", "`Exact` or `NotOlderThan`."),
    flag("sendInitialEvents", "A watch begins with an event for each object that there is."),
    whole("timeoutSeconds", "A watch ends after so many seconds."),
    flag("watch", "Changes are told as they happen."),
];

/// Of creating and replacing.
pub(super) const WRITE: &[Parameter] = &[DRY_RUN, FIELD_MANAGER, FIELD_VALIDATION];

/// Of patching. kubectl leaves validation to the server if it finds `fieldValidation` here.
pub(super) const PATCH: &[Parameter] = &[
    DRY_RUN,
    FIELD_MANAGER,
    FIELD_VALIDATION,
    flag("force", "An apply takes fields over from their owners."),
];

/// Of deleting.
pub(super) const DELETE: &[Parameter] = &[
    DRY_RUN,
    whole("gracePeriodSeconds", "How long the object has to end."),
    flag("orphanDependents", "Deprecated: use `propagationPolicy`."),
    text("propagationPolicy", "What becomes of what it owns: `Orphan`, `Background` or `Foreground`."),
];

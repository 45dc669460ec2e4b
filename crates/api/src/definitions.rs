//! The definitions that a server is given.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, JSONSchemaProps, JSONSchemaPropsOrArray, JSONSchemaPropsOrBool,
};
use kube::CustomResourceExt;

use crate::identities::{IamPolicy, IamRole, IamRoleServiceAccount, IamTombstone};
use crate::placements::{Placement, SyncTarget, VolumeGrant};
use crate::updates::{Bundle, Cluster, Stack, Update};
use crate::upgrades::{Device, Member, NodeGroup};

/// The greatest whole number that JSON has everywhere: programs that read numbers as floating point, see greater ones
/// as others.
const GREATEST_WHOLE: f64 = 9_007_199_254_740_991.0;

/// The definitions of all kinds, always in this order.
pub fn crds() -> Vec<CustomResourceDefinition> {
    vec![
        definition::<Cluster>(),
        definition::<Stack>(),
        definition::<Update>(),
        definition::<Bundle>(),
        definition::<NodeGroup>(),
        definition::<Member>(),
        definition::<Device>(),
        definition::<IamRoleServiceAccount>(),
        definition::<IamPolicy>(),
        definition::<IamRole>(),
        definition::<IamTombstone>(),
        definition::<SyncTarget>(),
        definition::<Placement>(),
        definition::<VolumeGrant>(),
    ]
}

/// The definition of one kind. It is what is derived from the type, made plain: see [`make_plain`].
pub fn definition<K: CustomResourceExt>() -> CustomResourceDefinition {
    let mut definition = K::crd();
    for version in &mut definition.spec.versions {
        let schema = version.schema.as_mut().and_then(|schema| schema.open_api_v3_schema.as_mut());
        if let Some(schema) = schema {
            make_plain(schema);
        }
    }
    definition.metadata.labels.get_or_insert_default().extend([crate::version()]);
    definition
}

/// - `null` means that a value was left out, as in the kinds of Kubernetes. What is derived from `Option` would let it
///   in as a value of its own, which rules then have to tell from nothing.
/// - Formats that Kubernetes does not know become bounds: what is let in has to fit into the type, or one object would
///   keep a controller from reading all others.
fn make_plain(schema: &mut JSONSchemaProps) {
    schema.nullable = None;
    if schema.type_.as_deref() == Some("integer") {
        let (format, greatest) = match schema.format.as_deref() {
            Some("uint8") => ("int32", f64::from(u8::MAX)),
            Some("uint16") => ("int32", f64::from(u16::MAX)),
            Some("int32") => ("int32", f64::from(i32::MAX)),
            Some("uint32") => ("int64", f64::from(u32::MAX)),
            _ => ("int64", GREATEST_WHOLE),
        };
        schema.format = Some(format.to_owned());
        schema.maximum.get_or_insert(greatest);
    }
    for property in schema.properties.iter_mut().flat_map(|properties| properties.values_mut()) {
        make_plain(property);
    }
    match &mut schema.items {
        Some(JSONSchemaPropsOrArray::Schema(item)) => make_plain(item),
        Some(JSONSchemaPropsOrArray::Schemas(items)) => items.iter_mut().for_each(make_plain),
        None => {}
    }
    if let Some(JSONSchemaPropsOrBool::Schema(value)) = &mut schema.additional_properties {
        make_plain(value);
    }
}

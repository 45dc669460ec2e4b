//! What is packed comes out again, whatever order and style it was written in; what was tampered with does not.

use bowline_api::updates::BundleSpec;
use bowline_bundle::{
    BadBundle, MAX_CONTENT_BYTES, MAX_PART_BYTES, Manifest, PART_KEY, PackError, Packed, Source, bytes_of,
    object_name, pack, read, secret, unpack,
};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn bytes(packed: &Packed) -> Vec<Vec<u8>> {
    packed.parts.iter().map(|part| part.bytes.clone()).collect()
}

fn unpacked(packed: &Packed) -> Vec<Manifest> {
    unpack(&packed.spec, &bytes(packed)).expect("it unpacks")
}

fn of_text(text: &str) -> Vec<Manifest> {
    read(Source::Stream(&mut text.as_bytes(), "text")).unwrap_or_else(|bad| panic!("{bad}"))
}

/// Any value, as far as JSON goes.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1_000_000_i32..1_000_000).prop_map(|eighths| Value::from(f64::from(eighths) / 8.0)),
        "\\PC{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            btree_map("\\PC{0,6}", inner, 0..4).prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn manifests() -> impl Strategy<Value = Vec<Manifest>> {
    let kinds = prop::sample::select(vec![
        ("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
        ("v1", "Namespace"),
        ("v1", "ConfigMap"),
        ("apps/v1", "Deployment"),
        ("example.org/v1", "Widget"),
    ]);
    let one = (kinds, prop::option::of("[a-c]"), "[a-d]{1,2}", btree_map("[a-z]{1,4}", value(), 0..4));
    vec(one, 1..12).prop_map(|drawn| {
        let mut found: std::collections::BTreeMap<_, Manifest> = std::collections::BTreeMap::new();
        for ((api_version, kind), namespace, name, more) in drawn {
            let mut object: Map<String, Value> = more.into_iter().collect();
            object.insert("apiVersion".into(), api_version.into());
            object.insert("kind".into(), kind.into());
            object.insert("metadata".into(), json!({"name": name, "namespace": namespace}));
            let manifest = Manifest::new(object.into()).expect("a manifest");
            found.insert(manifest.key(), manifest);
        }
        found.into_values().collect()
    })
}

proptest! {
    #[test]
    fn what_is_packed_comes_out_in_its_order(found in manifests()) {
        let packed = pack(&found).expect("it can be packed");
        prop_assert_eq!(unpacked(&packed), found);
    }

    #[test]
    fn order_does_not_matter((found, shuffled) in manifests().prop_flat_map(|found| (Just(found.clone()), Just(found).prop_shuffle()))) {
        let (packed, other) = (pack(&found).expect("packed"), pack(&shuffled).expect("packed"));
        prop_assert_eq!(packed, other);
    }

    #[test]
    fn other_content_has_another_digest(found in manifests(), more in "[a-z]{1,8}") {
        let before = pack(&found).expect("packed");
        let mut object = found[0].object().clone();
        object["added-here"] = more.into();
        let mut changed = found.clone();
        changed[0] = Manifest::new(object).expect("a manifest");
        prop_assert_ne!(before.spec.digest, pack(&changed).expect("packed").spec.digest);
    }
}

#[test]
fn style_does_not_matter() {
    let block = "apiVersion: v1\nkind: ConfigMap\nmetadata: \n  name: a # mine\n  labels:\n    x: 'yes'\ndata: {k: \"1\\n\"}\ncount: 1.0\n";
    let json = r#"{"count": 1, "data": {"k": "1\n"}, "kind": "ConfigMap", "apiVersion": "v1",
        "metadata": {"labels": {"x": "yes"}, "name": "a", "uid": "gone"}, "status": {}}"#;
    let (one, other) = (pack(&of_text(block)).expect("packed"), pack(&of_text(json)).expect("packed"));
    assert_eq!(one, other);
}

/// Objects that do not compress well.
fn large(objects: usize, size: usize) -> Vec<Manifest> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut noise = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        format!("{state:016x}")
    };
    let object = |number: usize| {
        let text: String = std::iter::repeat_with(&mut noise).take(size.div_ceil(16)).collect();
        let metadata = json!({"name": format!("c{number}"), "namespace": "load"});
        let object =
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"text": text}});
        Manifest::new(object).expect("a manifest")
    };
    (0..objects).map(object).collect()
}

#[test]
fn two_thousand_objects_of_four_megabytes_go_through() {
    let mut found = large(2_000, 2_000);
    let packed = pack(&found).expect("packed");
    assert!(packed.spec.size > 4_000_000 && packed.spec.objects == 2_000, "{:?}", packed.spec.size);
    assert!(packed.parts.len() > 1, "{}", packed.parts.len());
    assert!(packed.parts.iter().all(|part| part.bytes.len() <= MAX_PART_BYTES));
    found.sort_by_key(Manifest::key);
    assert_eq!(unpacked(&packed), found);
}

#[test]
fn what_is_too_much_or_nothing_is_not_packed() {
    assert!(matches!(pack(&[]), Err(PackError::Nothing)));
    let one = large(1, 16);
    assert!(matches!(pack(&[one[0].clone(), one[0].clone()]), Err(PackError::Twice(_))));
    let config = |name: usize| {
        let metadata = json!({"name": name.to_string()});
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"text": "x".repeat(2 << 20)}})
    };
    let many: Vec<_> = (0..32).map(|name| Manifest::new(config(name)).expect("a manifest")).collect();
    assert!(matches!(pack(&many), Err(PackError::TooLarge(size)) if size > MAX_CONTENT_BYTES));
    assert!(pack(&many[..31]).is_ok());
}

#[test]
fn parts_are_secrets_and_come_back() {
    let packed = pack(&large(3, 100)).expect("packed");
    let made = secret(&packed.parts[0]);
    let name = object_name(&packed.parts[0].digest);
    assert!(name.starts_with("sha256-") && name.len() == 71 && made.metadata.name.as_deref() == Some(&*name));
    assert_eq!((made.type_.as_deref(), made.immutable), (Some("bowline.dev/part"), Some(true)));
    assert_eq!(
        made.data.as_ref().map(|data| data.keys().collect::<Vec<_>>()),
        Some(vec![&PART_KEY.to_owned()])
    );
    assert_eq!(bytes_of(&made), Some(packed.parts[0].bytes.as_slice()));
}

/// A bundle that says of some content that it is it.
fn forged(content: &str, change: impl FnOnce(&mut BundleSpec)) -> Result<Vec<Manifest>, BadBundle> {
    use std::io::Write;
    let mut encoder = flate2::GzBuilder::new().write(Vec::new(), flate2::Compression::default());
    encoder.write_all(content.as_bytes()).expect("it compresses");
    let compressed = encoder.finish().expect("it compresses");
    let digest = |bytes: &[u8]| {
        let hash = ring::digest::digest(&ring::digest::SHA256, bytes);
        let digits: String = hash.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
        format!("sha256:{digits}").into()
    };
    let part = bowline_api::updates::BundlePart {
        digest: digest(&compressed),
        size: u32::try_from(compressed.len()).expect("it is small"),
    };
    let mut spec = BundleSpec {
        digest: digest(content.as_bytes()),
        objects: u32::try_from(content.lines().count()).expect("few"),
        size: content.len() as u64,
        parts: vec![part],
    };
    change(&mut spec);
    unpack(&spec, &[compressed])
}

#[test]
fn what_was_tampered_with_is_refused() {
    let packed = pack(&large(400, 2_000)).expect("packed");
    assert!(packed.parts.len() == 1);
    let mut parts = bytes(&packed);
    assert!(matches!(unpack::<Vec<u8>>(&packed.spec, &[]), Err(BadBundle::Parts { said: 1, found: 0 })));
    parts[0][100] ^= 1;
    assert!(matches!(unpack(&packed.spec, &parts), Err(BadBundle::DamagedPart(1))));
    parts[0][100] ^= 1;
    parts[0].pop();
    assert!(matches!(unpack(&packed.spec, &parts), Err(BadBundle::DamagedPart(1))));
    let line = |name: &str| {
        format!("{{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{{\"name\":\"{name}\"}}}}\n")
    };
    let both = format!("{}{}", line("a"), line("b"));
    assert_eq!(forged(&both, |_| {}).expect("as it should be").len(), 2);
    assert!(matches!(forged(&both, |spec| spec.size -= 1), Err(BadBundle::Damaged)));
    assert!(matches!(forged(&both, |spec| spec.size += 1), Err(BadBundle::Damaged)));
    assert!(matches!(forged(&both, |spec| spec.objects = 3), Err(BadBundle::Objects { said: 3, found: 2 })));
    assert!(matches!(forged(&both, |spec| spec.objects = 1), Err(BadBundle::Objects { said: 1, .. })));
    assert!(matches!(forged(&both, |spec| spec.digest = "sha256:0".into()), Err(BadBundle::Damaged)));
    assert!(matches!(forged(&format!("{}{}", line("a"), line("a")), |_| {}), Err(BadBundle::Order(2))));
    assert!(matches!(forged("{}\n", |_| {}), Err(BadBundle::Object { number: 1, .. })));
    assert!(matches!(forged("x\n", |_| {}), Err(BadBundle::Syntax { number: 1, .. })));
}

#[test]
fn a_bomb_is_not_unpacked() {
    let zeros = " ".repeat(MAX_CONTENT_BYTES + 1);
    assert!(matches!(forged(&zeros, |_| {}), Err(BadBundle::TooLarge(_))));
    // It says that it is small: no more than that is unpacked.
    assert!(matches!(forged(&zeros, |spec| spec.size = 1_000), Err(BadBundle::Damaged)));
    assert!(matches!(forged("x\n", |spec| spec.objects = 100_001), Err(BadBundle::TooLarge(_))));
    assert!(matches!(
        forged("x\n", |spec| spec.parts = vec![spec.parts[0].clone(); 257]),
        Err(BadBundle::TooLarge(_))
    ));
}

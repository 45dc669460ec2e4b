//! What people submit and what teams write into parts of bundles, on input that is nearly good. What is read goes round.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use bowline_bundle::{BadManifest, Manifest, Source, digest_of, pack, read, unpack, unpack_copy};
use bowline_fuzz::{Target, same};
use flate2::Compression;
use flate2::write::GzEncoder;

/// Inputs of each target in an ordinary run, at a fixed seed and at another.
const INPUTS: usize = 1000;

const YAML: &str = "# first\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: {x: 'y'}}\ndata:\n  k: |\n    text\n    ---\n  \
    n: \"1\"\n---\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: b\n  labels: &l {on: 'yes'}\n  annotations: {<<: *l}\nspec: {replicas: 010, f: 1.5e3}\n";
const LIST: &str = r#"{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s","uid":"u"},"data":{"k":"djE="}},
    {"apiVersion":"v1","kind":"ConfigMapList","items":[{"metadata":{"name":"c"}}]}]}
{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"n"},"x":0.30000000000000004}"#;

#[test]
fn what_is_nearly_good_is_read_or_refused() {
    let packed = compressed(content().as_bytes());
    let digest = digest_of(content().as_bytes());
    let file = std::env::temp_dir().join(format!("bowline-fuzz-of-manifests-{}.json", std::process::id()));
    let gone = file.clone();
    bowline_fuzz::run(
        &[
            Target::new("manifests", [YAML, LIST, "%YAML 1.2\n---\n? a\n: &x b\n...\n"], |input| {
                went_round(of_stream(input))
            }),
            Target::new("manifests-json", [LIST], move |input| went_round(of_file(&file, input))),
            Target::new("bundle", [content()], |input| {
                let unpacked = unpack_copy(&digest_of(input), &[compressed(input)]);
                unpacked.map_or(Ok(()), |manifests| unpacked_again(&manifests))
            }),
            // Nobody has made what is packed otherwise and has the same digest.
            Target::new("bundle-packed", [packed], move |input| match unpack_copy(&digest, &[input]) {
                Ok(manifests) => same(content(), "a bundle", Some(content_of(&manifests))),
                Err(_) => Ok(()),
            }),
        ],
        INPUTS,
    );
    let _ = fs::remove_file(gone);
}

fn of_stream(mut input: &[u8]) -> Result<Vec<Manifest>, BadManifest> {
    read(Source::Stream(&mut input, "standard input"))
}

fn of_file(file: &PathBuf, input: &[u8]) -> Result<Vec<Manifest>, BadManifest> {
    fs::write(file, input).expect("a file");
    read(Source::Path(file))
}

/// What was read is the same when it is printed, and read again; and when it was packed and unpacked.
fn went_round(read: Result<Vec<Manifest>, BadManifest>) -> Result<(), String> {
    let manifests = match read {
        Ok(manifests) => manifests,
        // It is one line, which says where.
        Err(bad) if bad.to_string().contains('\n') => return Err(bad.to_string()),
        Err(_) => return Ok(()),
    };
    let printed = content_of(&manifests);
    let again = of_stream(printed.as_bytes()).map_err(|bad| format!("{bad}: {printed}"))?;
    same(&manifests, &printed, Some(&again))?;
    unpacked_again(&manifests)
}

fn unpacked_again(manifests: &[Manifest]) -> Result<(), String> {
    let Ok(packed) = pack(manifests) else { return Ok(()) };
    let parts: Vec<_> = packed.parts.iter().map(|part| &part.bytes).collect();
    let unpacked = unpack(&packed.spec, &parts).map_err(|bad| bad.to_string())?;
    let mut sorted = manifests.to_vec();
    sorted.sort_by_key(Manifest::key);
    same(sorted, "a bundle", Some(unpacked))
}

fn content_of(manifests: &[Manifest]) -> String {
    manifests.iter().map(|manifest| manifest.object().to_string() + "\n").collect()
}

/// The content of a bundle.
fn content() -> String {
    let mut manifests = of_stream(YAML.as_bytes()).expect("manifests");
    manifests.sort_by_key(Manifest::key);
    content_of(&manifests)
}

fn compressed(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(content).and_then(|()| encoder.finish()).expect("it is written to memory")
}

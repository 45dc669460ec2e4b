//! Manifests from files as people have them, and what is said of those that cannot be used.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use bowline_bundle::{Fault, Manifest, Source, read};

/// A directory that is gone when this is dropped.
struct Scratch(PathBuf);

impl Scratch {
    fn new(files: &[(&str, &str)]) -> Scratch {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let root = std::env::temp_dir().join(format!("bowline-bundle-{}-{count}", std::process::id()));
        let scratch = Scratch(root);
        fs::create_dir_all(&scratch.0).expect("a directory");
        for (name, text) in files {
            let path = scratch.join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
            fs::write(path, text).expect("a file");
        }
        scratch
    }

    fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn link(&self, name: &str, to: impl AsRef<Path>) {
        std::os::unix::fs::symlink(to, self.join(name)).expect("a link");
    }

    /// The names of what is in it.
    fn names(&self) -> Vec<String> {
        let found = read(Source::Path(&self.0)).unwrap_or_else(|bad| panic!("{bad}"));
        found.iter().map(|manifest| manifest.name().to_owned()).collect()
    }

    /// What is said of it, without where it is.
    fn refused(&self) -> String {
        let bad = read(Source::Path(&self.0)).expect_err("it is refused");
        bad.to_string()
            .replace(&format!("{}/", self.0.display()), "")
            .replace(&self.0.display().to_string(), ".")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn config(name: &str) -> String {
    format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n")
}

fn of_stream(text: &str) -> Result<Vec<Manifest>, String> {
    read(Source::Stream(&mut text.as_bytes(), "standard input")).map_err(|bad| bad.to_string())
}

#[test]
fn a_directory_is_read_by_name_and_below_without_what_is_hidden_or_something_else() {
    let json = r#"{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}"#;
    let both = format!("---\n{}---\n# nothing\n---\n{}", config("a"), config("b"));
    let scratch = Scratch::new(&[
        ("z.yml", &config("d")),
        ("a/1.yaml", &both),
        ("a/2.json", json),
        (".git/x.yaml", "{"),
        (".hidden.yaml", "{"),
        ("README.md", "{"),
        ("empty.yaml", ""),
    ]);
    assert_eq!(scratch.names(), ["a", "b", "c", "d"]);
    let one = read(Source::Path(&scratch.join("a/2.json"))).expect("a file");
    assert_eq!(one.len(), 1);
}

#[test]
fn links_are_followed_within_and_refused_without() {
    let scratch = Scratch::new(&[(".data/a.yaml", &config("a")), ("b/b.yaml", &config("b"))]);
    // As a volume of a ConfigMap looks; the second leads in a circle, the third to what is read already.
    scratch.link("a.yaml", ".data/a.yaml");
    scratch.link("b/again", "..");
    scratch.link("c.yaml", "b/b.yaml");
    assert_eq!(scratch.names(), ["a", "b"]);
    let other = Scratch::new(&[("x.yaml", &config("x"))]);
    scratch.link("out.yaml", other.join("x.yaml"));
    assert!(
        scratch.refused().starts_with("out.yaml: it is a link out of the directory, to "),
        "{}",
        scratch.refused()
    );
    fs::remove_file(scratch.join("out.yaml")).expect("a link");
    scratch.link("out", &other.0);
    assert!(scratch.refused().starts_with("out: it is a link out of the directory"), "{}", scratch.refused());
    fs::remove_file(scratch.join("out")).expect("a link");
    scratch.link("nowhere.yaml", "not-there");
    assert!(scratch.refused().starts_with("nowhere.yaml: it cannot be read: "), "{}", scratch.refused());
}

#[test]
fn what_nobody_ends_is_not_read_and_what_is_for_kustomize_is_told_by_its_name() {
    let scratch = Scratch::new(&[("a.yaml", &config("a"))]);
    let _open = std::os::unix::net::UnixListener::bind(scratch.join("b.yaml")).expect("a socket");
    assert_eq!(scratch.refused(), "b.yaml: it cannot be read: it is no regular file");
    let scratch = Scratch::new(&[("kustomization.yaml", "resources: [a.yaml]\n"), ("a.yaml", &config("a"))]);
    let told = "it is for kustomize, not an object: kubectl kustomize";
    let wanted = format!("kustomization.yaml: {told} .");
    assert_eq!(scratch.refused(), wanted);
    for name in ["kustomization.yml", "Kustomization"] {
        let below = format!("overlays/prod/{name}");
        let scratch = Scratch::new(&[(&below, "resources: [../..]\n"), ("a.yaml", &config("a"))]);
        let said = scratch.refused();
        assert!(said.starts_with(&format!("{below}: {told} overlays/prod")), "{said}");
        // Who names the file itself is told the same.
        let alone = read(Source::Path(&scratch.join(&below))).expect_err("it is for kustomize").to_string();
        assert!(
            alone.contains(&format!("kubectl kustomize {}", scratch.join("overlays/prod").display())),
            "{alone}"
        );
    }
    let called_otherwise = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n";
    let scratch = Scratch::new(&[("b/all.yaml", called_otherwise)]);
    assert!(scratch.refused().starts_with(&format!("b/all.yaml:1: {told} b")), "{}", scratch.refused());
    let said = of_stream(called_otherwise).expect_err("it is for kustomize");
    assert!(said.starts_with(&format!("standard input:1: {told} DIR")), "{said}");
    let piped = |text: &str| of_stream(text).expect_err("it is no manifest");
    assert_eq!(piped("namePrefix: a-\nresources: [a.yaml]\n"), format!("standard input:1: {told} DIR"));
    let chart = "it is part of a Helm chart, not an object: helm template DIR";
    assert_eq!(piped("apiVersion: v2\nname: x\nversion: 1.0.0\n"), format!("standard input:1: {chart}"));
    let forgotten = piped("apiVersion: v1\nmetadata:\n  name: x\n");
    assert!(forgotten.starts_with("standard input:1: it has no kind"), "{forgotten}");
}

#[test]
fn lists_are_taken_apart() {
    let text = "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Secret, metadata: {name: a}}\n- \n\
                - kind: ConfigMapList\n  apiVersion: v1\n  items: [{metadata: {name: b}}]\n";
    let found = of_stream(text).expect("a list");
    let kinds: Vec<_> = found.iter().map(|manifest| (manifest.kind(), manifest.name())).collect();
    assert_eq!(kinds, [("Secret", "a"), ("ConfigMap", "b")]);
    let wrong =
        "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Secret, metadata: {name: a}}\n- 5\n";
    let said = of_stream(wrong).expect_err("an item is wrong");
    assert!(said.starts_with("standard input:1, item 2: it is a number, not an object"), "{said}");
}

#[test]
fn two_of_one_name_are_both_named() {
    let second = config("a").replace("name: a", "name: a\n  namespace: default");
    let scratch = Scratch::new(&[("1.yaml", &config("a")), ("2.yaml", &format!("# x\n---\n{second}"))]);
    let said = scratch.refused();
    assert_eq!(said, "2.yaml:3: ConfigMap a is there twice, also in 1.yaml:1: take one of them out");
    let other = config("a").replace("name: a", "name: a\n  namespace: other");
    assert_eq!(of_stream(&format!("{}---\n{other}", config("a"))).map(|found| found.len()), Ok(2));
}

#[test]
fn what_cannot_be_used_is_found_in_its_file() {
    let scratch = Scratch::new(&[("a/web.yaml", "kind: Service\n---\napiVersion: v1\nkind: [\n")]);
    assert!(scratch.refused().starts_with("a/web.yaml:"), "{}", scratch.refused());
    let scratch = Scratch::new(&[("a/web.yaml", &format!("{}---\n\nkind: Service\n", config("a")))]);
    assert!(
        scratch.refused().starts_with("a/web.yaml:7 (the document that begins there): it has no apiVersion"),
        "{}",
        scratch.refused()
    );
    let scratch =
        Scratch::new(&[("Chart.yaml", "apiVersion: v2\nname: x\n"), ("templates/a.yaml", "{{ x }}\n")]);
    let told = "it is part of a Helm chart, not an object: helm template";
    assert_eq!(scratch.refused(), format!("Chart.yaml:1: {told} ."));
    // What `helm create` makes has a field that kustomize knows, as something else.
    let scratch = Scratch::new(&[("values.yaml", "replicaCount: 1\nresources: {}\n")]);
    assert_eq!(scratch.refused(), format!("values.yaml:1: {told} ."));
    let scratch = Scratch::new(&[("values-prod.yaml", "replicaCount: 1\nresources: {}\n")]);
    assert!(scratch.refused().contains("it has no apiVersion"), "{}", scratch.refused());
    let template = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}\n";
    let scratch = Scratch::new(&[("templates/a.yaml", template)]);
    let said = scratch.refused();
    assert!(said.starts_with("templates/a.yaml:4:"), "{said}");
    assert!(said.ends_with("If it is a template of Helm: helm template DIR"), "{said}");
    let scratch = Scratch::new(&[("a.txt", &config("a"))]);
    assert!(scratch.refused().starts_with(".: there is no object in it"), "{}", scratch.refused());
    fs::write(scratch.join("a.yaml"), b"a: \xff\n").expect("a file");
    assert!(scratch.refused().contains("write it in UTF-8"), "{}", scratch.refused());
    let gone = read(Source::Path(&scratch.join("not-there"))).expect_err("it is not there");
    assert!(matches!(*gone.fault, Fault::Unreadable(_)), "{gone}");
    assert!(of_stream("# nothing\n").expect_err("nothing").starts_with("standard input: there is no object"));
}

#[test]
fn what_no_server_could_hold_is_found_in_its_file_and_not_told() {
    let secret = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\ndata:\n  password: hunter2\n";
    let scratch = Scratch::new(&[("a/s.yaml", &format!("{}---\n{secret}", config("a")))]);
    let said = scratch.refused();
    assert!(
        said.starts_with("a/s.yaml:11:13: data[\"password\"] is not base64: its end is missing."),
        "{said}"
    );
    assert!(!said.contains("hunter2"), "{said}");
    let scratch = Scratch::new(&[("c.yaml", &format!("{}data: {{port: 8080}}\n", config("c")))]);
    assert_eq!(
        scratch.refused(),
        "c.yaml:5:14: data[\"port\"] is a number, and has to be a text: put it in quotes"
    );
}

#[test]
fn the_line_is_that_of_the_field_also_in_lists_and_in_json() {
    let said = |text: &str| of_stream(text).expect_err("something is wrong");
    let marked = "metadata:\n  name: b\n  labels:\n    a: b\n    bowline.dev/x: yy\n";
    let text = format!("{}---\n# second\napiVersion: v1\nkind: ConfigMap\n{marked}", config("a"));
    let told = said(&text);
    assert!(told.starts_with("standard input:13:20: metadata.labels[\"bowline.dev/x\"] is one"), "{told}");
    let list = "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Secret, metadata: {name: a}}\n\
                - apiVersion: v1\n  kind: Secret\n  metadata:\n    name: 5\n";
    let told = said(list);
    assert!(told.starts_with("standard input:8:11, item 2: metadata.name is a number"), "{told}");
    let json = "{\"apiVersion\": \"v1\", \"kind\": \"Secret\", \"metadata\": {\"name\": \"a\"}} {\"apiVersion\": \"v1\",\n \"kind\": 5}";
    let told = said(json);
    assert!(told.starts_with("standard input:2:10: kind is a number"), "{told}");
    let told = said(&json.replace("\n \"kind\": 5", "\"kind\": 5"));
    assert!(told.starts_with("standard input:1:95: kind is a number"), "{told}");
}

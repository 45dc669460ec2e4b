//! Kubeconfigs that others wrote: what they say is used, but no program is run and no file is read for them.
//!
//! Whoever can write a Secret with a kubeconfig would otherwise run programs as the hub, or have it send its files away.

use bowline_runtime::Unfit;
use kube::config::{
    AuthInfo, Cluster, Context, Kubeconfig, KubeconfigError, NamedAuthInfo, NamedCluster, NamedContext,
};

/// Why a kubeconfig cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BadKubeconfig {
    /// It is not one.
    #[error("it cannot be read: {0}")]
    Unreadable(String),
    /// It does not say which context is to be used, or one that is not there.
    #[error("it has no context {0:?}: it has {1}")]
    NoContext(String, String),
    /// A context names something that is not there.
    #[error("its context {context:?} names the {what} {name:?}, which is not there")]
    Missing {
        /// The context.
        context: String,
        /// `cluster` or `user`.
        what: &'static str,
        /// Its name.
        name: String,
    },
    /// It would have a program run.
    #[error(
        "its user {0:?} gets credentials from a program: the hub runs none. Make a ServiceAccount in the cluster, \
         bind it to a role, and put its token into the kubeconfig (`kubectl create token`)"
    )]
    Program(String),
    /// It names a file.
    #[error(
        "{0} names a file, {1}, which is not on the hub's machine: put the content into the kubeconfig \
         (`kubectl config view --flatten`)"
    )]
    File(&'static str, String),
    /// It names a file that cannot be read here.
    #[error("{0} names the file {1}, which cannot be read: {2}")]
    UnreadableFile(&'static str, String, String),
    /// No client can be made of it.
    #[error(transparent)]
    Unfit(#[from] Unfit),
}

/// One context of a kubeconfig, and what it names.
#[derive(Clone, Debug)]
struct Chosen {
    name: String,
    context: Context,
    cluster: Cluster,
    user: AuthInfo,
}

/// Reads a kubeconfig.
///
/// # Errors
/// If it is none.
pub fn read(text: &str) -> Result<Kubeconfig, BadKubeconfig> {
    Kubeconfig::from_yaml(text).map_err(|error| BadKubeconfig::Unreadable(unreadable(&error)))
}

/// Where it cannot be read. The reader's own words show the lines around that, and these may hold a token.
fn unreadable(error: &KubeconfigError) -> String {
    let place = match error {
        KubeconfigError::Parse(error) => error.location(),
        _ => None,
    };
    match place {
        Some(place) => {
            format!("line {}, column {} is not what a kubeconfig has there", place.line(), place.column())
        }
        None => "it is no kubeconfig".into(),
    }
}

/// What can be used of a kubeconfig where it is not trusted: its current context, without programs and files.
///
/// # Errors
/// Says what is wrong with it, and what to do.
pub fn harmless(kubeconfig: &Kubeconfig) -> Result<Kubeconfig, BadKubeconfig> {
    let chosen = choose(kubeconfig, None)?;
    let file = chosen.files().find_map(|(what, file, _)| Some(BadKubeconfig::File(what, file?)));
    match file {
        Some(bad) => Err(bad),
        None => chosen.fit(),
    }
}

/// The longest address that is told.
const LONGEST: usize = 2048;

/// The address of the server of the current context, for people: without what could be credentials in it.
pub fn server(kubeconfig: &Kubeconfig) -> Option<String> {
    let address: http::Uri = choose(kubeconfig, None).ok()?.cluster.server?.parse().ok()?;
    let (scheme, host) = (address.scheme_str()?, address.host()?);
    let port = address.port().map(|port| format!(":{port}")).unwrap_or_default();
    let told = format!("{scheme}://{host}{port}{}", address.path().trim_end_matches('/'));
    Some(told).filter(|told| told.len() <= LONGEST)
}

/// A kubeconfig of one context, with what files it names put into it: one that can be carried elsewhere.
///
/// # Errors
/// Says what is wrong with it, and what to do.
pub fn portable(
    kubeconfig: &Kubeconfig,
    context: Option<&str>,
    read: impl Fn(&str) -> std::io::Result<Vec<u8>>,
    encode: impl Fn(&[u8]) -> String,
) -> Result<Kubeconfig, BadKubeconfig> {
    let mut chosen = choose(kubeconfig, context)?;
    let content = |what, file: Option<String>, encoded: bool| {
        let Some(file) = file else { return Ok::<_, BadKubeconfig>(None) };
        let bytes = read(&file)
            .map_err(|error| BadKubeconfig::UnreadableFile(what, file.clone(), error.to_string()))?;
        Ok(Some(if encoded { encode(&bytes) } else { String::from_utf8_lossy(&bytes).trim().to_owned() }))
    };
    let files: Vec<_> = chosen.files().collect();
    for (what, file, field) in files {
        let Some(content) = content(what, file, field != Field::Token)? else { continue };
        chosen.put(field, content);
    }
    chosen.fit()
}

fn choose(kubeconfig: &Kubeconfig, context: Option<&str>) -> Result<Chosen, BadKubeconfig> {
    let name = context.or(kubeconfig.current_context.as_deref()).unwrap_or_default().to_owned();
    let known = kubeconfig.contexts.iter().map(|context| format!("{:?}", context.name));
    let known = || Some(known.collect::<Vec<_>>().join(", ")).filter(|known| !known.is_empty());
    let found = kubeconfig.contexts.iter().find(|context| context.name == name);
    let Some(context) = found.and_then(|context| context.context.clone()) else {
        return Err(BadKubeconfig::NoContext(name, known().unwrap_or("none".into())));
    };
    let missing = |what, missing: &str| BadKubeconfig::Missing {
        context: name.clone(),
        what,
        name: missing.to_owned(),
    };
    let cluster = kubeconfig.clusters.iter().find(|cluster| cluster.name == context.cluster);
    let cluster = cluster.and_then(|cluster| cluster.cluster.clone());
    let cluster = cluster.ok_or_else(|| missing("cluster", &context.cluster))?;
    let of_context = context.user.clone().unwrap_or_default();
    let user = kubeconfig.auth_infos.iter().find(|user| user.name == of_context);
    let user = user.and_then(|user| user.auth_info.clone());
    let user = user.ok_or_else(|| missing("user", &of_context))?;
    if user.exec.is_some() || user.auth_provider.is_some() {
        return Err(BadKubeconfig::Program(of_context));
    }
    Ok(Chosen { name, context, cluster, user })
}

/// What a file's content is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Field {
    Authority,
    Certificate,
    Key,
    Token,
}

impl Chosen {
    /// The files that it names.
    fn files(&self) -> impl Iterator<Item = (&'static str, Option<String>, Field)> + use<> {
        let Chosen { cluster, user, .. } = self;
        [
            ("certificate-authority", cluster.certificate_authority.clone(), Field::Authority),
            ("client-certificate", user.client_certificate.clone(), Field::Certificate),
            ("client-key", user.client_key.clone(), Field::Key),
            ("tokenFile", user.token_file.clone(), Field::Token),
        ]
        .into_iter()
    }

    fn put(&mut self, field: Field, content: String) {
        let Chosen { cluster, user, .. } = self;
        match field {
            Field::Authority => {
                (cluster.certificate_authority, cluster.certificate_authority_data) = (None, Some(content));
            }
            Field::Certificate => {
                (user.client_certificate, user.client_certificate_data) = (None, Some(content));
            }
            Field::Key => (user.client_key, user.client_key_data) = (None, Some(content.into())),
            Field::Token => (user.token_file, user.token) = (None, Some(content.into())),
        }
    }

    /// A kubeconfig with nothing else in it, of which a client can be made.
    fn fit(self) -> Result<Kubeconfig, BadKubeconfig> {
        bowline_runtime::fit(&self.cluster, &self.user)?;
        Ok(self.alone())
    }

    fn alone(self) -> Kubeconfig {
        let Chosen { name, context, cluster, user } = self;
        let of_user = context.user.clone().unwrap_or_default();
        let other = Default::default;
        let cluster = NamedCluster { name: context.cluster.clone(), cluster: Some(cluster), other: other() };
        Kubeconfig {
            current_context: Some(name.clone()),
            clusters: vec![cluster],
            auth_infos: vec![NamedAuthInfo { name: of_user, auth_info: Some(user), other: other() }],
            contexts: vec![NamedContext { name, context: Some(context), other: other() }],
            api_version: Some("v1".into()),
            kind: Some("Config".into()),
            ..Kubeconfig::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: &str = "
apiVersion: v1
kind: Config
current-context: a
contexts:
- {name: a, context: {cluster: one, user: token}}
- {name: b, context: {cluster: two, user: files}}
- {name: c, context: {cluster: one, user: program}}
- {name: d, context: {cluster: none, user: token}}
- {name: e, context: {cluster: one, user: nobody}}
clusters:
- {name: one, cluster: {server: 'https://one', certificate-authority-data: Y2E=}}
- {name: two, cluster: {server: 'https://two', certificate-authority: /ca}}
users:
- {name: token, user: {token: t0ken}}
- {name: files, user: {client-certificate: /cert, client-key: /key}}
- {name: program, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: aws}}}
";

    fn in_context(context: &str) -> Kubeconfig {
        Kubeconfig { current_context: Some(context.into()), ..read(TWO).expect("a kubeconfig") }
    }

    #[test]
    fn what_is_not_trusted_runs_no_program_and_names_no_file() {
        let used = harmless(&in_context("a")).expect("it can be used");
        assert_eq!((used.contexts.len(), used.clusters.len(), used.auth_infos.len()), (1, 1, 1));
        assert_eq!(harmless(&in_context("c")).unwrap_err(), BadKubeconfig::Program("program".into()));
        let file = BadKubeconfig::File("certificate-authority", "/ca".into());
        assert_eq!(harmless(&in_context("b")).unwrap_err(), file);
    }

    #[test]
    fn an_address_is_told_without_credentials() {
        let at = |server: &str| {
            let mut kubeconfig = in_context("a");
            kubeconfig.clusters[0].cluster.as_mut().expect("a cluster").server = Some(server.into());
            super::server(&kubeconfig)
        };
        assert_eq!(at("https://one").as_deref(), Some("https://one"));
        assert_eq!(at("https://me:secret@one:6443/a/b/?t=0#x").as_deref(), Some("https://one:6443/a/b"));
        assert_eq!(at("https://[::1]:6443/").as_deref(), Some("https://[::1]:6443"));
        assert_eq!(
            (at("one"), at("https://a b"), at(&format!("https://a/{}", "x".repeat(2048)))),
            (None, None, None)
        );
    }

    #[test]
    fn what_no_client_can_be_made_of_is_refused() {
        let read = |content: &'static str| move |_: &str| Ok(content.as_bytes().to_vec());
        let mut kubeconfig = in_context("a");
        kubeconfig.auth_infos[0].auth_info.as_mut().expect("a user").token = Some("a\nb".to_owned().into());
        let bad = BadKubeconfig::Unfit(Unfit::Credential("token"));
        assert_eq!(harmless(&kubeconfig).unwrap_err(), bad);
        assert_eq!(portable(&kubeconfig, None, read(""), |_| String::new()).unwrap_err(), bad);
        let user = kubeconfig.auth_infos[0].auth_info.as_mut().expect("a user");
        (user.token, user.token_file) = (None, Some("token".into()));
        portable(&kubeconfig, None, read("t0ken\n"), |_| String::new()).expect("it ends with its line");
        assert_eq!(portable(&kubeconfig, None, read("a\nb"), |_| String::new()).unwrap_err(), bad);
        let mut kubeconfig = in_context("a");
        kubeconfig.clusters[0].cluster.as_mut().expect("a cluster").server = Some("one:1".into());
        assert_eq!(harmless(&kubeconfig).unwrap_err(), BadKubeconfig::Unfit(Unfit::Scheme));
    }

    #[test]
    fn what_cannot_be_read_is_not_repeated() {
        let bad = |text: &str| read(text).unwrap_err().to_string();
        for text in [
            "users: [{name: u, user: {token: [sekrit]}}]",
            "users:\n- name: u\n  user:\n    token: sekrit\n   x: {",
            "sekrit",
            "clusters: sekrit",
            "preferences: {colors: sekrit}",
        ] {
            assert!(!bad(text).contains("sekrit"), "{}", bad(text));
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        let say = |context: &str| harmless(&in_context(context)).unwrap_err().to_string();
        assert_eq!(say("d"), "its context \"d\" names the cluster \"none\", which is not there");
        assert_eq!(say("e"), "its context \"e\" names the user \"nobody\", which is not there");
        assert_eq!(say("x"), "it has no context \"x\": it has \"a\", \"b\", \"c\", \"d\", \"e\"");
        assert!(matches!(read("[1"), Err(BadKubeconfig::Unreadable(_))));
    }

    #[test]
    fn what_is_carried_elsewhere_has_the_content_of_its_files() {
        let read = |file: &str| Ok(format!("content of {file}").into_bytes());
        let encode = |bytes: &[u8]| format!("<{}>", String::from_utf8_lossy(bytes));
        let carried = portable(&in_context("a"), Some("b"), read, encode).expect("it can be carried");
        let cluster = carried.clusters[0].cluster.clone().expect("a cluster");
        let user = carried.auth_infos[0].auth_info.clone().expect("a user");
        assert_eq!(cluster.certificate_authority_data.as_deref(), Some("<content of /ca>"));
        assert_eq!(user.client_certificate_data.as_deref(), Some("<content of /cert>"));
        assert!(user.client_key_data.is_some() && user.client_key.is_none());
        harmless(&carried).expect("it is harmless now");
        let gone = |_: &str| Err(std::io::Error::other("gone"));
        let error = portable(&in_context("b"), None, gone, encode).unwrap_err().to_string();
        assert_eq!(error, "certificate-authority names the file /ca, which cannot be read: gone");
    }
}

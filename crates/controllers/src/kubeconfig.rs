//! Kubeconfigs that others wrote: what they say is used, but no program is run and no file is read for them.
//!
//! Whoever can write a Secret with a kubeconfig would otherwise run programs as the hub, or have it send its files away.

mod bad;
mod encoded;

use bowline_api::updates::Endpoint;
use kube::config::{
    AuthInfo, Cluster, Context, Kubeconfig, KubeconfigError, NamedAuthInfo, NamedCluster, NamedContext,
};

pub use self::bad::BadKubeconfig;

/// One context of a kubeconfig, and what it names.
#[derive(Clone, Debug)]
struct Chosen {
    name: String,
    context: Context,
    cluster: Cluster,
    user: AuthInfo,
    /// Where the cluster and the user stand in the file that they were read from.
    at: (usize, usize),
}

/// Who a kubeconfig says that we are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Caller {
    /// The name of the user, in this kubeconfig.
    pub user: String,
    /// The name of the context that it stands in.
    pub context: String,
    /// Whether there is anything by which a server could know us.
    pub has_credentials: bool,
}

/// Reads a kubeconfig.
///
/// # Errors
/// If it is none.
pub fn read(text: &str) -> Result<Kubeconfig, BadKubeconfig> {
    if text.trim().is_empty() {
        return Err(BadKubeconfig::Empty);
    }
    Kubeconfig::from_yaml(text).map_err(|error| BadKubeconfig::Unreadable(unreadable(&error)))
}

/// Where it cannot be read, if that is known.
fn unreadable(error: &KubeconfigError) -> String {
    match error {
        KubeconfigError::Parse(_) => bowline_runtime::sentence(error),
        _ => "it is no kubeconfig".into(),
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

/// The address of the server of the current context, for people: without what could be credentials in it.
pub fn server(kubeconfig: &Kubeconfig) -> Option<String> {
    let address: http::Uri = choose(kubeconfig, None).ok()?.cluster.server?.parse().ok()?;
    let (scheme, host) = (address.scheme_str()?, address.host()?);
    let port = address.port().map(|port| format!(":{port}")).unwrap_or_default();
    let told = format!("{scheme}://{host}{port}{}", address.path().trim_end_matches('/'));
    Some(told).filter(|told| told.len() <= Endpoint::LONGEST_SERVER)
}

/// Who its current context says that we are.
pub fn caller(kubeconfig: &Kubeconfig) -> Option<Caller> {
    let Chosen { name, context, user, .. } = choose(kubeconfig, None).ok()?;
    let has_token = user.token.is_some() || user.token_file.is_some();
    let has_certificate = user.client_certificate.is_some() || user.client_certificate_data.is_some();
    let has_key = user.client_key.is_some() || user.client_key_data.is_some();
    let user = context.user.unwrap_or_default();
    Some(Caller { user, context: name, has_credentials: has_token || (has_certificate && has_key) })
}

/// A kubeconfig of one context, with what files it names put into it: one that can be carried elsewhere.
///
/// # Errors
/// Says what is wrong with it, and what to do.
pub fn portable(
    kubeconfig: &Kubeconfig,
    context: Option<&str>,
    read: impl Fn(&str) -> std::io::Result<Vec<u8>>,
) -> Result<Kubeconfig, BadKubeconfig> {
    let mut chosen = choose(kubeconfig, context)?;
    let files: Vec<_> = chosen.files().collect();
    for (what, file, field) in files {
        let Some(file) = file else { continue };
        let unreadable =
            |error: std::io::Error| BadKubeconfig::UnreadableFile(what, file.clone(), error.to_string());
        let bytes = read(&file).map_err(unreadable)?;
        let content = match field.held() {
            None => String::from_utf8_lossy(&bytes).trim().to_owned(),
            Some(held) => {
                encoded::check(&bytes, held, &format!("the file {file}, which {what} names,"))?;
                encoded::encode(&bytes)
            }
        };
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
    let mut clusters = kubeconfig.clusters.iter().enumerate();
    let cluster = clusters.find(|(_, cluster)| cluster.name == context.cluster);
    let cluster = cluster.and_then(|(at, cluster)| Some((at, cluster.cluster.clone()?)));
    let (cluster_at, cluster) = cluster.ok_or_else(|| missing("cluster", &context.cluster))?;
    let of_context = context.user.clone().unwrap_or_default();
    let user = kubeconfig.auth_infos.iter().enumerate().find(|(_, user)| user.name == of_context);
    let user = user.and_then(|(at, user)| Some((at, user.auth_info.clone()?)));
    let (user_at, user) = user.ok_or_else(|| missing("user", &of_context))?;
    if user.exec.is_some() || user.auth_provider.is_some() {
        return Err(BadKubeconfig::Program(of_context));
    }
    let chosen = Chosen { name, context, cluster, user, at: (cluster_at, user_at) };
    let password =
        [("username", chosen.user.username.is_some()), ("password", chosen.user.password.is_some())];
    match password.into_iter().find(|(_, is_there)| *is_there) {
        Some((field, _)) => Err(BadKubeconfig::Password(chosen.of_user(field))),
        None => Ok(chosen),
    }
}

/// What a file's content is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Field {
    Authority,
    Certificate,
    Key,
    Token,
}

impl Field {
    /// What it holds in PEM, if it does.
    fn held(self) -> Option<&'static str> {
        match self {
            Field::Authority | Field::Certificate => Some("certificate"),
            Field::Key => Some("key"),
            Field::Token => None,
        }
    }
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
        self.decode()?;
        Ok(self.alone())
    }

    /// Sees whether what is encoded in it can be decoded.
    fn decode(&self) -> Result<(), BadKubeconfig> {
        let Chosen { cluster, user, at: (cluster_at, _), .. } = self;
        // This is how credentials are read that are kept from being printed.
        let written = serde_json::to_value(user).unwrap_or_default();
        let of_user = |field: &str| (written[field].as_str().map(str::to_owned), self.of_user(field));
        let authority = format!("clusters[{cluster_at}].cluster.certificate-authority-data");
        for (field, (data, place)) in [
            (Field::Authority, (cluster.certificate_authority_data.clone(), authority)),
            (Field::Certificate, of_user("client-certificate-data")),
            (Field::Key, of_user("client-key-data")),
        ] {
            if let (Some(held), Some(data)) = (field.held(), data) {
                encoded::check_encoded(&data, held, &place)?;
            }
        }
        Ok(())
    }

    /// A field of its user, as it is found in the file.
    fn of_user(&self, field: &str) -> String {
        format!("users[{}].user.{field}", self.at.1)
    }

    fn alone(self) -> Kubeconfig {
        let Chosen { name, context, cluster, user, .. } = self;
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
    use bowline_runtime::Unfit;

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
- {name: one, cluster: {server: 'https://one', certificate-authority-data: LS0tLS1CRUdJTiBYCg==}}
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
        assert_eq!(portable(&kubeconfig, None, read("")).unwrap_err(), bad);
        let user = kubeconfig.auth_infos[0].auth_info.as_mut().expect("a user");
        (user.token, user.token_file) = (None, Some("token".into()));
        portable(&kubeconfig, None, read("t0ken\n")).expect("it ends with its line");
        assert_eq!(portable(&kubeconfig, None, read("a\nb")).unwrap_err(), bad);
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
        for empty in ["", " \n"] {
            assert_eq!(read(empty).unwrap_err().to_string(), "it is empty");
        }
    }

    #[test]
    fn what_is_carried_elsewhere_has_the_content_of_its_files() {
        let content = |file: &str| format!("-----BEGIN {file}");
        let read = |file: &str| Ok(content(file).into_bytes());
        let carried = portable(&in_context("a"), Some("b"), read).expect("it can be carried");
        let encoded = |file: &str| Some(encoded::encode(content(file).as_bytes()));
        let cluster = carried.clusters[0].cluster.clone().expect("a cluster");
        let user = carried.auth_infos[0].auth_info.clone().expect("a user");
        assert_eq!(cluster.certificate_authority_data, encoded("/ca"));
        assert_eq!(user.client_certificate_data, encoded("/cert"));
        assert!(user.client_key_data.is_some() && user.client_key.is_none());
        harmless(&carried).expect("it is harmless now");
        let gone = |_: &str| Err(std::io::Error::other("gone"));
        let error = portable(&in_context("b"), None, gone).unwrap_err().to_string();
        assert_eq!(error, "certificate-authority names the file /ca, which cannot be read: gone");
        let junk = |_: &str| Ok(b"sekrit".to_vec());
        let error = portable(&in_context("b"), None, junk).unwrap_err().to_string();
        let why = "the file /ca, which certificate-authority names, holds no certificate in PEM: ";
        assert!(error.starts_with(why) && !error.contains("sekrit"), "{error}");
    }

    /// The words that a user's fields, and a cluster's, are refused with.
    fn refused(fields: &str) -> String {
        let text = TWO.replace("{token: t0ken}", fields);
        let text = text.replace("users:", "users:\n- {name: other, user: {token: t}}");
        harmless(&read(&text).expect("a kubeconfig")).unwrap_err().to_string()
    }

    #[test]
    fn what_is_not_encoded_is_refused_by_its_place() {
        for (field, what) in [("client-certificate-data", "certificate"), ("client-key-data", "key")] {
            for (data, why) in [
                ("sek*rit", "is not base64: its character 4 cannot be there. "),
                ("sekri", "is not base64: its end is missing. "),
                ("c2Vrcml0", &format!("holds no {what} in PEM: ")),
            ] {
                let said = refused(&format!("{{{field}: '{data}'}}"));
                assert!(said.starts_with(&format!("users[1].user.{field} {why}")), "{said}");
                assert!(!said.contains("sek"), "{said}");
            }
        }
        let text = TWO.replace("LS0tLS1CRUdJTiBYCg==", "'?'");
        let said = harmless(&read(&text).expect("a kubeconfig")).unwrap_err().to_string();
        assert!(said.starts_with("clusters[0].cluster.certificate-authority-data is not base64: "), "{said}");
    }

    #[test]
    fn names_and_passwords_are_refused_by_their_place() {
        let said = refused("{username: me, password: sekrit}");
        assert!(said.starts_with("users[1].user.username is not supported: "), "{said}");
        assert!(said.contains("kubectl create token") && !said.contains("sekrit"), "{said}");
        assert!(refused("{token: t, password: sekrit}").starts_with("users[1].user.password is not"));
    }

    #[test]
    fn who_we_are_is_told_with_whether_there_are_credentials() {
        let of = |text: &str| caller(&read(text).expect("a kubeconfig")).expect("a context");
        let token = Caller { user: "token".into(), context: "a".into(), has_credentials: true };
        assert_eq!(of(TWO), token);
        assert!(caller(&in_context("b")).is_some_and(|files| files.has_credentials));
        let nobody = of(&TWO.replace("{token: t0ken}", "{}"));
        assert_eq!(nobody, Caller { has_credentials: false, ..token.clone() });
        let half = of(&TWO.replace("{token: t0ken}", "{client-certificate: /cert}"));
        assert_eq!(half, Caller { has_credentials: false, ..token });
    }
}

//! A kubeconfig like the one that is used, but for somebody else.

use bowline_controllers::kubeconfig::{BadKubeconfig, portable};
use kube::config::{AuthInfo, Kubeconfig, NamedAuthInfo};

/// Whom it is for.
pub(super) struct Bearer<'a> {
    /// The name of the context, and of the user in it.
    pub(super) name: &'a str,
    pub(super) token: String,
    pub(super) namespace: &'a str,
    /// The address of the server as seen from there; without, the one that is used here.
    pub(super) server: Option<&'a str>,
}

/// The current context of a kubeconfig for somebody else: its server and the authority of that, and nothing of who we are.
///
/// # Errors
/// If it cannot be used there.
pub(super) fn given_to(kubeconfig: &Kubeconfig, bearer: Bearer<'_>) -> Result<Kubeconfig, BadKubeconfig> {
    let Bearer { name, token, namespace, server } = bearer;
    let mut theirs = kubeconfig.clone();
    let current = theirs.current_context.clone().unwrap_or_default();
    let user = AuthInfo { token: Some(token.into()), ..AuthInfo::default() };
    theirs.auth_infos =
        vec![NamedAuthInfo { name: name.to_owned(), auth_info: Some(user), other: Default::default() }];
    theirs.contexts.retain(|context| context.name == current);
    theirs.current_context = Some(name.to_owned());
    for named in &mut theirs.contexts {
        named.name = name.to_owned();
        if let Some(context) = &mut named.context {
            context.user = Some(name.to_owned());
            context.namespace = Some(namespace.to_owned());
            for cluster in theirs.clusters.iter_mut().filter(|cluster| cluster.name == context.cluster) {
                if let (Some(cluster), Some(server)) = (&mut cluster.cluster, server) {
                    cluster.server = Some(server.to_owned());
                }
            }
        }
    }
    if theirs.contexts.is_empty() {
        // It is told by the name by which it was asked for.
        theirs.current_context = Some(current);
        theirs.contexts = kubeconfig.contexts.clone();
    }
    portable(&theirs, None, |file| std::fs::read(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OURS: &str = "apiVersion: v1\nkind: Config\ncurrent-context: b\ncontexts:\n- {name: a, context: {cluster: one, user: u}}\n\
        - {name: b, context: {cluster: two, user: program, namespace: other}}\nclusters:\n\
        - {name: one, cluster: {server: 'https://one.example:6443'}}\n\
        - {name: two, cluster: {server: 'https://two.example:6443', certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCkFBPT0KLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo=}}\n\
        users:\n- {name: u, user: {token: s3kr1t}}\n- {name: program, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: x}}}\n";

    fn given(server: Option<&str>) -> String {
        let ours = Kubeconfig::from_yaml(OURS).expect("a kubeconfig");
        let bearer = Bearer { name: "kv-n1", token: "t0k3n".into(), namespace: "team", server };
        serde_json::to_string(&given_to(&ours, bearer).expect("a kubeconfig")).expect("JSON")
    }

    #[test]
    fn it_has_the_server_and_its_authority_and_nothing_of_who_we_are() {
        let text = given(None);
        for piece in
            ["https://two.example:6443", "LS0tLS1CRUdJTiBD", "t0k3n", "\"namespace\":\"team\"", "\"kv-n1\""]
        {
            assert!(text.contains(piece), "no {piece} in {text}");
        }
        for secret in ["s3kr1t", "one.example", "exec", "program", "other"] {
            assert!(!text.contains(secret), "{secret} in {text}");
        }
    }

    #[test]
    fn the_server_may_be_known_by_another_address_there() {
        let text = given(Some("https://hub.example:7443"));
        assert!(text.contains("https://hub.example:7443") && !text.contains("two.example"), "{text}");
    }

    #[test]
    fn a_context_that_is_not_there_is_told_by_its_name() {
        let mut ours = Kubeconfig::from_yaml(OURS).expect("a kubeconfig");
        ours.current_context = Some("c".into());
        let bearer = Bearer { name: "kv-n1", token: "t".into(), namespace: "team", server: None };
        let why = given_to(&ours, bearer).expect_err("there is none").to_string();
        assert!(why.contains("\"c\"") || why.contains('c'), "{why}");
    }
}

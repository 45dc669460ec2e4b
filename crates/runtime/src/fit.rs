//! Whether a client can be made of a kubeconfig: libraries panic of some of what can be written into one.
//!
//! What is said of it repeats neither addresses nor credentials: it is shown in a status, in Events and in journals.

use http::{HeaderValue, Uri};
use kube::config::{AuthInfo, Cluster, Kubeconfig};
use serde_json::Value;

/// Why no client can be made of a kubeconfig.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unfit {
    /// There is no server, or it has no address that can be read.
    #[error("its cluster has no `server` that is an address, such as https://example.org:6443")]
    Server,
    /// The server's address does not say how to talk to it.
    #[error("the address of its `server` has to begin with https:// or http://, and to name a host")]
    Scheme,
    /// The server's address has a user's name in it.
    #[error("the address of its `server` has a name or a password in it (…@): they belong to its user")]
    Userinfo,
    /// It is to be reached by a proxy.
    #[error("it names a `proxy-url`: proxies are not supported, the server has to be reached without one")]
    Proxy,
    /// A credential cannot be sent.
    #[error("the {0} of its user has a line break or another character in it that cannot be sent")]
    Credential(&'static str),
}

/// Whether a client can be made for this cluster as this user. Files that it names are not read.
///
/// # Errors
/// Says why not.
pub fn fit(cluster: &Cluster, user: &AuthInfo) -> Result<(), Unfit> {
    fit_server(cluster.server.as_deref().unwrap_or_default())?;
    if cluster.proxy_url.as_ref().is_some_and(|proxy| !proxy.is_empty()) {
        return Err(Unfit::Proxy);
    }
    // This is how credentials are read that are kept from being printed.
    let written = serde_json::to_value(user).unwrap_or_default();
    for (field, what) in [("token", "token"), ("as", "`as`"), ("as-uid", "`as-uid`")] {
        fit_header(written[field].as_str().unwrap_or_default(), what)?;
    }
    let groups = written["as-groups"].as_array().into_iter().flatten();
    groups.filter_map(Value::as_str).try_for_each(|group| fit_header(group, "`as-groups`"))
}

/// Whether this can be sent as a part of a header.
pub(crate) fn fit_header(text: &str, what: &'static str) -> Result<(), Unfit> {
    HeaderValue::from_str(text).map(drop).map_err(|_| Unfit::Credential(what))
}

fn fit_server(address: &str) -> Result<(), Unfit> {
    let address: Uri = address.parse().map_err(|_| Unfit::Server)?;
    if address.authority().is_some_and(|authority| authority.as_str().contains('@')) {
        return Err(Unfit::Userinfo);
    }
    match (address.scheme_str(), address.host()) {
        (Some("https" | "http"), Some(host)) if !host.is_empty() => Ok(()),
        _ => Err(Unfit::Scheme),
    }
}

/// The cluster and the user of the current context; a user that is not there is nobody.
pub(crate) fn chosen(kubeconfig: &Kubeconfig) -> Option<(Cluster, AuthInfo)> {
    let current = kubeconfig.current_context.as_ref()?;
    let context = kubeconfig.contexts.iter().find(|context| context.name == *current)?.context.as_ref()?;
    let cluster = kubeconfig.clusters.iter().find(|cluster| cluster.name == context.cluster)?;
    let user = kubeconfig.auth_infos.iter().find(|user| Some(&user.name) == context.user.as_ref());
    let user = user.and_then(|user| user.auth_info.clone()).unwrap_or_default();
    Some((cluster.cluster.clone()?, user))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(server: &str) -> Result<(), Unfit> {
        fit(&Cluster { server: Some(server.into()), ..Cluster::default() }, &AuthInfo::default())
    }

    #[test]
    fn a_server_has_a_scheme_and_a_host_and_no_password() {
        for fits in ["https://one", "http://127.0.0.1:1/a", "https://[::1]:6443"] {
            assert_eq!(at(fits), Ok(()), "{fits}");
        }
        assert_eq!(fit(&Cluster::default(), &AuthInfo::default()), Err(Unfit::Server));
        for (unfit, why) in [
            ("127.0.0.1:17450", Unfit::Scheme),
            ("one", Unfit::Scheme),
            ("/path", Unfit::Scheme),
            ("ftp://one", Unfit::Scheme),
            ("https://", Unfit::Server),
            ("https://a b", Unfit::Server),
            ("https://me:sekrit@one", Unfit::Userinfo),
            ("me:sekrit@one:1", Unfit::Userinfo),
        ] {
            assert_eq!(at(unfit), Err(why), "{unfit}");
        }
    }

    #[test]
    fn credentials_can_be_sent() {
        let cluster = Cluster { server: Some("https://one".into()), ..Cluster::default() };
        let user = |user: Value| serde_json::from_value::<AuthInfo>(user).expect("a user");
        let json = |field: &str, value: &str| user(serde_json::json!({ field: value }));
        assert_eq!(fit(&cluster, &json("token", "t0ken")), Ok(()));
        for bad in ["a\nb", "a\rb", "a\0b", "a\u{7f}b"] {
            assert_eq!(fit(&cluster, &json("token", bad)), Err(Unfit::Credential("token")), "{bad:?}");
            assert_eq!(fit(&cluster, &json("as", bad)), Err(Unfit::Credential("`as`")), "{bad:?}");
            assert_eq!(fit(&cluster, &json("password", bad)), Ok(()), "it is sent in base64");
        }
    }

    #[test]
    fn a_proxy_is_refused_without_its_password() {
        let proxy_url = Some("http://pu:sekrit5@127.0.0.1:1".into());
        let cluster = Cluster { server: Some("https://one".into()), proxy_url, ..Cluster::default() };
        let why = fit(&cluster, &AuthInfo::default()).unwrap_err();
        assert!(why == Unfit::Proxy && !why.to_string().contains("sekrit5"));
    }
}

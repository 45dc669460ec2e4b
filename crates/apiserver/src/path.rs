//! What a path names.

/// What a path names. Whether it exists is another question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Path {
    /// A resource, or an object of it.
    Resource(ResourcePath),
    /// Anything else: discovery, health, the version.
    Other,
}

/// `/apis/GROUP/VERSION/namespaces/NAMESPACE/PLURAL/NAME/SUBRESOURCE`
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct ResourcePath {
    /// Empty for the core kinds.
    pub group: String,
    /// The version.
    pub version: String,
    /// Empty for all namespaces, and for what has none.
    pub namespace: String,
    /// The plural name of the kind.
    pub plural: String,
    /// Empty for all objects.
    pub name: String,
    /// Empty for the object itself.
    pub subresource: String,
    /// What comes after the subresource: only `proxy` has such.
    pub rest: String,
    /// Whether a namespace is named, if only the empty one: `namespaces//pods`.
    pub in_namespace: bool,
    /// Whether it is of the old form that watches whatever else it names: `/api/v1/watch/pods`.
    pub watch: bool,
}

/// Reads a path, as it is on the wire.
///
/// It is decoded as a whole, as Go does: an encoded slash is a slash. What is authorised must be what is served,
/// so this is the only reading of it.
pub(crate) fn parse(path: &str) -> Path {
    let decoded = percent_encoding::percent_decode_str(path).decode_utf8_lossy();
    let path = decoded.strip_prefix('/').unwrap_or(&decoded);
    let parts: Vec<&str> = path.trim_end_matches('/').split('/').collect();
    match parts.as_slice() {
        ["api", version, rest @ ..] if !rest.is_empty() => Path::Resource(resource("", version, rest)),
        ["apis", group, version, rest @ ..] if !rest.is_empty() => {
            Path::Resource(resource(group, version, rest))
        }
        _ => Path::Other,
    }
}

fn resource(group: &str, version: &str, parts: &[&str]) -> ResourcePath {
    let (watch, parts) = match parts {
        ["watch", rest @ ..] if !rest.is_empty() => (true, rest),
        _ => (false, parts),
    };
    let (namespace, parts) = match parts {
        // A namespace itself, and its own subresources.
        ["namespaces", _] | ["namespaces", _, "status" | "finalize"] if group.is_empty() => (None, parts),
        ["namespaces", namespace, rest @ ..] if !rest.is_empty() => (Some(*namespace), rest),
        _ => (None, parts),
    };
    let at = |index: usize| parts.get(index).copied().unwrap_or_default().to_owned();
    ResourcePath {
        group: group.to_owned(),
        version: version.to_owned(),
        namespace: namespace.unwrap_or_default().to_owned(),
        plural: at(0),
        name: at(1),
        subresource: at(2),
        rest: parts.get(3..).unwrap_or_default().join("/"),
        in_namespace: namespace.is_some(),
        watch,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &str) -> String {
        let Path::Resource(path) = parse(path) else { return "other".to_owned() };
        let ResourcePath { group, version, namespace, plural, name, subresource, rest, in_namespace, watch } =
            path;
        let mut text = [group, version, namespace, plural, name, subresource, rest.clone()].join("|");
        text += if in_namespace { " in" } else { "" };
        text += if watch { " watch" } else { "" };
        text
    }

    #[test]
    fn each_form_is_told_apart() {
        assert_eq!(read("/api/v1/pods"), "|v1||pods|||");
        assert_eq!(read("/api/v1/namespaces"), "|v1||namespaces|||");
        assert_eq!(read("/api/v1/namespaces/a"), "|v1||namespaces|a||");
        assert_eq!(read("/api/v1/namespaces/a/status"), "|v1||namespaces|a|status|");
        assert_eq!(read("/api/v1/namespaces/a/finalize"), "|v1||namespaces|a|finalize|");
        assert_eq!(read("/api/v1/namespaces/a/pods"), "|v1|a|pods||| in");
        assert_eq!(read("/api/v1/namespaces/a/pods/b"), "|v1|a|pods|b|| in");
        assert_eq!(read("/api/v1/namespaces/a/serviceaccounts/b/token"), "|v1|a|serviceaccounts|b|token| in");
        assert_eq!(
            read("/apis/apps/v1/namespaces/a/deployments/b/scale"),
            "apps|v1|a|deployments|b|scale| in"
        );
        assert_eq!(read("/apis/x.dev/v1/namespaces/a/status"), "x.dev|v1|a|status||| in");
        assert_eq!(read("/apis/x.dev/v1/widgets/b%2Dc"), "x.dev|v1||widgets|b-c||");
        assert_eq!(read("/api/v1/watch/pods"), "|v1||pods||| watch");
        assert_eq!(read("/api/v1/watch/namespaces/a"), "|v1||namespaces|a|| watch");
        assert_eq!(read("/api/v1/watch/namespaces/a/pods/b/"), "|v1|a|pods|b|| in watch");
        for other in
            ["/", "/api", "/apis", "/api/v1", "/apis/apps/v1", "/apis/apps", "/version", "//api/v1/pods"]
        {
            assert_eq!(read(other), "other", "{other}");
        }
    }

    #[test]
    fn nothing_is_read_in_two_ways() {
        assert_eq!(read("/api/v1/namespaces/a%2Fpods/b"), "|v1|a|pods|b|| in");
        assert_eq!(read("/api/v1/namespaces/%2e%2e/pods"), "|v1|..|pods||| in");
        assert_eq!(read("/api/v1/namespaces//pods"), "|v1||pods||| in");
        assert_eq!(read("/api/v1//pods"), "|v1|||pods||");
        assert_eq!(read("/api/v1/pods/%ff"), "|v1||pods|\u{fffd}||");
    }
}

//! What a path names.

/// What a path names. Whether it exists is another question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Path {
    /// A resource, or an object of it.
    Resource(ResourcePath),
    /// Anything else: discovery, health, the version.
    Other,
}

/// `/apis/GROUP/VERSION/namespaces/NAMESPACE/PLURAL/NAME/SUBRESOURCE`
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ResourcePath {
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
}

/// Reads a path, as it is on the wire.
///
/// # Errors
/// If it is not well formed: percent signs that encode nothing, or a slash inside a part of it.
pub fn parse(path: &str) -> Result<Path, &'static str> {
    let raw: Vec<&str> = path.trim_matches('/').split('/').collect();
    let mut parts = Vec::with_capacity(raw.len());
    for part in raw {
        let decoded = percent_encoding::percent_decode_str(part);
        let decoded = decoded.decode_utf8().map_err(|_| "the path is not UTF-8")?;
        // What is authorised must be what is served: one reading of the path, and no second.
        if decoded.contains('/') || decoded.contains('\0') || decoded == "." || decoded == ".." {
            return Err("a part of the path has a slash or is a dot");
        }
        parts.push(decoded.into_owned());
    }
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let (group, version, rest) = match parts.as_slice() {
        ["api", version, rest @ ..] => ("", *version, rest),
        ["apis", group, version, rest @ ..] => (*group, *version, rest),
        _ => return Ok(Path::Other),
    };
    Ok(resource(group, version, rest).map_or(Path::Other, Path::Resource))
}

fn resource(group: &str, version: &str, parts: &[&str]) -> Option<ResourcePath> {
    if parts.iter().any(|part| part.is_empty()) {
        return None;
    }
    let (namespace, parts) = match parts {
        // A namespace itself, and its own subresources.
        ["namespaces", _] | ["namespaces", _, "status" | "finalize"] if group.is_empty() => ("", parts),
        ["namespaces", namespace, rest @ ..] if !rest.is_empty() => (*namespace, rest),
        _ => ("", parts),
    };
    let at = |index: usize| parts.get(index).copied().unwrap_or_default().to_owned();
    (!parts.is_empty()).then(|| ResourcePath {
        group: group.to_owned(),
        version: version.to_owned(),
        namespace: namespace.to_owned(),
        plural: at(0),
        name: at(1),
        subresource: at(2),
        rest: parts.get(3..).unwrap_or_default().join("/"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &str) -> String {
        match parse(path) {
            Ok(Path::Other) => "other".to_owned(),
            Err(why) => why.to_owned(),
            Ok(Path::Resource(path)) => {
                let ResourcePath { group, version, namespace, plural, name, subresource, rest } = path;
                [group, version, namespace, plural, name, subresource, rest].join("|")
            }
        }
    }

    #[test]
    fn each_form_is_told_apart() {
        assert_eq!(read("/api/v1/pods"), "|v1||pods|||");
        assert_eq!(read("/api/v1/namespaces"), "|v1||namespaces|||");
        assert_eq!(read("/api/v1/namespaces/a"), "|v1||namespaces|a||");
        assert_eq!(read("/api/v1/namespaces/a/status"), "|v1||namespaces|a|status|");
        assert_eq!(read("/api/v1/namespaces/a/finalize"), "|v1||namespaces|a|finalize|");
        assert_eq!(read("/api/v1/namespaces/a/pods"), "|v1|a|pods|||");
        assert_eq!(read("/api/v1/namespaces/a/pods/b"), "|v1|a|pods|b||");
        assert_eq!(read("/api/v1/namespaces/a/serviceaccounts/b/token"), "|v1|a|serviceaccounts|b|token|");
        assert_eq!(read("/apis/apps/v1/namespaces/a/deployments/b/scale"), "apps|v1|a|deployments|b|scale|");
        assert_eq!(read("/apis/x.dev/v1/namespaces/a/status"), "x.dev|v1|a|status|||");
        assert_eq!(read("/apis/x.dev/v1/widgets/b%2Dc"), "x.dev|v1||widgets|b-c||");
        for other in
            ["/", "/api", "/apis", "/api/v1", "/apis/apps/v1", "/apis/apps", "/version", "/api/v1//pods"]
        {
            assert_eq!(read(other), "other", "{other}");
        }
    }

    #[test]
    fn what_could_be_read_in_two_ways_is_not_read() {
        for path in
            ["/api/v1/namespaces/a%2Fpods/b", "/api/v1/namespaces/../pods", "/api/v1/namespaces/%2e%2e/pods"]
        {
            assert_eq!(read(path), "a part of the path has a slash or is a dot");
        }
        assert_eq!(read("/api/v1/%ff"), "the path is not UTF-8");
    }
}

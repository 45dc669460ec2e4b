//! What the server says that it serves.

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};

/// Asks the server for a path.
type Get<'a> = dyn Fn(&str) -> Result<Value> + 'a;

/// All groups in the server's order, each with its versions in that order; the first one is preferred. The
/// core group has no name.
pub(super) fn groups(get: &Get<'_>) -> Result<Vec<Value>> {
    let core = get("/api")?;
    let mut groups = vec![json!({"name": "", "versions": core["versions"]})];
    let named = get("/apis")?;
    for group in named["groups"].as_array().context("/apis has no groups")? {
        let versions = group["versions"].as_array().into_iter().flatten();
        let versions: Vec<_> = versions.map(|version| version["version"].clone()).collect();
        let mut entry = json!({"name": group["name"], "versions": versions});
        if group["preferredVersion"]["version"] != versions[0] {
            entry["preferred"] = group["preferredVersion"]["version"].clone();
        }
        groups.push(entry);
    }
    Ok(groups)
}

/// All resources in the server's order, each with its subresources.
pub(super) fn resources(groups: &[Value], get: &Get<'_>) -> Result<Vec<Value>> {
    let mut all = Vec::new();
    for group in groups {
        let name = group["name"].as_str().unwrap_or_default();
        for version in group["versions"].as_array().into_iter().flatten() {
            let version = version.as_str().unwrap_or_default();
            let path =
                if name.is_empty() { format!("/api/{version}") } else { format!("/apis/{name}/{version}") };
            let listed = get(&path)?;
            let listed = listed["resources"].as_array().with_context(|| format!("{path} lists nothing"))?;
            all.extend(of_version(name, version, listed)?);
        }
    }
    Ok(all)
}

fn of_version(group: &str, version: &str, listed: &[Value]) -> Result<Vec<Value>> {
    let mut all: Vec<Value> = Vec::new();
    for entry in listed {
        let name = entry["name"].as_str().unwrap_or_default();
        let Some((plural, subresource)) = name.split_once('/') else {
            all.push(resource(group, version, entry));
            continue;
        };
        let parent = all.iter_mut().find(|resource| resource["plural"] == plural);
        let parent = parent.with_context(|| format!("{name} comes before {plural}"))?;
        let or = |key: &str, otherwise: &str| entry.get(key).cloned().unwrap_or_else(|| json!(otherwise));
        let subresource = json!({
            "name": subresource, "group": or("group", group), "version": or("version", version),
            "kind": entry["kind"], "verbs": entry["verbs"],
        });
        match parent["subresources"].as_array_mut() {
            Some(list) => list.push(subresource),
            None => parent["subresources"] = json!([subresource]),
        }
    }
    Ok(all)
}

fn resource(group: &str, version: &str, entry: &Value) -> Value {
    let mut resource = Map::new();
    resource.insert("group".to_owned(), json!(group));
    resource.insert("version".to_owned(), json!(version));
    resource.insert("plural".to_owned(), entry["name"].clone());
    resource.insert("singular".to_owned(), entry["singularName"].clone());
    for key in ["kind", "namespaced", "verbs", "shortNames", "categories", "storageVersionHash"] {
        if let Some(value) = entry.get(key) {
            resource.insert(key.to_owned(), value.clone());
        }
    }
    // A review is created in one group and is a kind of another nowhere but in subresources.
    for (key, name) in [("group", "kindGroup"), ("version", "kindVersion")] {
        if let Some(value) = entry.get(key) {
            resource.insert(name.to_owned(), value.clone());
        }
    }
    Value::Object(resource)
}

#[cfg(test)]
mod tests {
    use anyhow::bail;

    use super::*;

    fn get(path: &str) -> Result<Value> {
        Ok(match path {
            "/api" => json!({"versions": ["v1"]}),
            "/apis" => json!({"groups": [{"name": "apps",
                "versions": [{"version": "v1"}, {"version": "v1beta1"}], "preferredVersion": {"version": "v1"}}]}),
            "/api/v1" => json!({"resources": [
                {"name": "pods", "singularName": "pod", "namespaced": true, "kind": "Pod", "verbs": ["get"]},
                {"name": "pods/eviction", "group": "policy", "version": "v1", "kind": "Eviction", "verbs": ["create"]},
                {"name": "pods/status", "kind": "Pod", "verbs": ["get"]},
            ]}),
            "/apis/apps/v1" | "/apis/apps/v1beta1" => json!({"resources": []}),
            _ => bail!("{path} is not served"),
        })
    }

    #[test]
    fn subresources_go_to_their_resource_with_their_own_kind() -> Result<()> {
        let groups = groups(&get)?;
        assert_eq!(groups[1], json!({"name": "apps", "versions": ["v1", "v1beta1"]}));
        let all = resources(&groups, &get)?;
        assert_eq!(all.len(), 1);
        assert_eq!(all[0]["plural"], "pods");
        let expected = json!([
            {"name": "eviction", "group": "policy", "version": "v1", "kind": "Eviction", "verbs": ["create"]},
            {"name": "status", "group": "", "version": "v1", "kind": "Pod", "verbs": ["get"]},
        ]);
        assert_eq!(all[0]["subresources"], expected);
        Ok(())
    }
}

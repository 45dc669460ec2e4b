//! What pods and containers may do.

use serde_json::Value;

use crate::builtin::fields::{flag, list, maybe_object, number, objects, text};
use crate::builtin::validate::check::Check;
use crate::document::Json;
use crate::metadata::names;

fn id(check: &mut Check, holder: &Json, path: &str, name: &str) {
    if let Some(value) = number(holder, name) {
        check.faults(format!("{path}.{name}"), value, names::within(value, 0, i32::MAX.into()));
    }
}

/// The security context of a pod.
pub(super) fn pod(check: &mut Check, spec: &Json, spec_path: &str) {
    let Some(context) = maybe_object(spec, "securityContext") else { return };
    let path = format!("{spec_path}.securityContext");
    for name in ["fsGroup", "runAsUser", "runAsGroup"] {
        id(check, context, &path, name);
    }
    for (index, group) in list(context, "supplementalGroups").iter().filter_map(Value::as_i64).enumerate() {
        let faults = names::within(group, 0, i32::MAX.into());
        check.faults(format!("{path}.supplementalGroups[{index}]"), group, faults);
    }
    if flag(spec, "shareProcessNamespace") && flag(spec, "hostPID") {
        let why = "ShareProcessNamespace and HostPID cannot both be enabled";
        check.invalid(format!("{path}.shareProcessNamespace"), true, why);
    }
    for (index, setting) in objects(context, "sysctls").enumerate() {
        if text(setting, "name").is_empty() {
            check.required(format!("{path}.sysctls[{index}].name"), "");
        }
    }
    let policy = text(context, "fsGroupChangePolicy");
    if !policy.is_empty() {
        check.one_of(format!("{path}.fsGroupChangePolicy"), policy, &["Always", "OnRootMismatch"]);
    }
    profile(check, context, &path, "seccompProfile");
    profile(check, context, &path, "appArmorProfile");
    let policy = text(context, "supplementalGroupsPolicy");
    if !policy.is_empty() {
        check.one_of(format!("{path}.supplementalGroupsPolicy"), policy, &["Merge", "Strict"]);
    }
}

/// The security context of a container.
pub(super) fn container(check: &mut Check, container: &Json, path: &str, host_users: bool) {
    let Some(context) = maybe_object(container, "securityContext") else { return };
    let path = format!("{path}.securityContext");
    id(check, context, &path, "runAsUser");
    id(check, context, &path, "runAsGroup");
    let mount = text(context, "procMount");
    if !mount.is_empty() {
        check.one_of(format!("{path}.procMount"), mount, &["Default", "Unmasked"]);
        if host_users && mount == "Unmasked" {
            check.invalid(format!("{path}.procMount"), mount, "`hostUsers` must be false to use `Unmasked`");
        }
    }
    profile(check, context, &path, "seccompProfile");
    if context.get("allowPrivilegeEscalation") == Some(&Value::Bool(false)) {
        if flag(context, "privileged") {
            let why = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true";
            check.invalid_struct(&path, &as_go(context), why);
        }
        let added = maybe_object(context, "capabilities").map_or(&[][..], |all| list(all, "add"));
        for _ in added.iter().filter(|name| **name == "CAP_SYS_ADMIN") {
            let why = "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN";
            check.invalid_struct(&path, &as_go(context), why);
        }
    }
    profile(check, context, &path, "appArmorProfile");
}

fn profile(check: &mut Check, context: &Json, path: &str, name: &str) {
    let Some(profile) = maybe_object(context, name) else { return };
    let whose = if name == "seccompProfile" { "seccomp" } else { "AppArmor" };
    let (path, local_path) = (format!("{path}.{name}.type"), format!("{path}.{name}.localhostProfile"));
    match (text(profile, "type"), text(profile, "localhostProfile")) {
        ("", _) => check.required(path, &format!("type is required when {name} is set")),
        ("Localhost", "") => {
            check.required(local_path, &format!("must be set when {whose} type is Localhost"))
        }
        ("Localhost", _) | ("RuntimeDefault" | "Unconfined", "") => {}
        ("RuntimeDefault" | "Unconfined", local) => {
            check.invalid(local_path, local, format!("can only be set when {whose} type is Localhost"));
        }
        (kind, _) => check.one_of(path, kind, &["Localhost", "RuntimeDefault", "Unconfined"]),
    }
}

/// As Go writes the struct, which has names of its own inside the server.
fn as_go(context: &Json) -> String {
    const FIELDS: [(&str, &str); 12] = [
        ("Capabilities", "capabilities"),
        ("Privileged", "privileged"),
        ("SELinuxOptions", "seLinuxOptions"),
        ("WindowsOptions", "windowsOptions"),
        ("RunAsUser", "runAsUser"),
        ("RunAsGroup", "runAsGroup"),
        ("RunAsNonRoot", "runAsNonRoot"),
        ("ReadOnlyRootFilesystem", "readOnlyRootFilesystem"),
        ("AllowPrivilegeEscalation", "allowPrivilegeEscalation"),
        ("ProcMount", "procMount"),
        ("SeccompProfile", "seccompProfile"),
        ("AppArmorProfile", "appArmorProfile"),
    ];
    let fields = FIELDS.map(|(go, name)| {
        let value = match (name, context.get(name)) {
            (_, None) => "null".to_owned(),
            ("capabilities", Some(value)) => {
                let part = |name: &str| value.get(name).map_or_else(|| "null".to_owned(), Value::to_string);
                format!("{{\"Add\":{},\"Drop\":{}}}", part("add"), part("drop"))
            }
            (_, Some(value)) => value.to_string(),
        };
        format!("{go:?}:{value}")
    });
    format!("{{{}}}", fields.join(","))
}

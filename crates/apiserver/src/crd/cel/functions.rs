//! The functions that rules may call: those of Kubernetes 1.33, which new rules in 1.34 are held to.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use super::library;
use super::types::Type;

/// One signature of a function.
#[derive(Debug)]
pub(super) struct Overload {
    /// Named where its cost is not that of any call.
    pub(super) id: &'static str,
    /// The first argument is the target.
    pub(super) member: bool,
    pub(super) args: Vec<Type>,
    pub(super) result: Type,
}

type Table = BTreeMap<&'static str, Vec<Overload>>;

/// The signatures of a function. Who may ask what somebody may do has functions for it.
pub(super) fn find(name: &str, authorizes: bool) -> Option<&'static [Overload]> {
    let asking = AUTHORIZER.get(name).filter(|_| authorizes);
    asking.or_else(|| TABLE.get(name)).map(Vec::as_slice)
}

static TABLE: LazyLock<Table> = LazyLock::new(|| table(SIGNATURES));
/// None of these names is another function's.
static AUTHORIZER: LazyLock<Table> = LazyLock::new(|| table(AUTHORIZER_SIGNATURES));

fn table(signatures: &'static str) -> Table {
    let mut table = Table::new();
    for line in signatures.lines().map(str::trim).filter(|line| !line.is_empty()) {
        for (name, overload) in read(line) {
            table.entry(name).or_default().push(overload);
        }
    }
    table
}

/// One function a line, `.name` if it has a target: `name(arg, arg)result id | (arg)result id`. Capital letters
/// are parameters, and `@` before a line means all of the types that have an order.
const SIGNATURES: &str = "
    !_(bool)bool
    -_(double)double | (int)int
    @in(A, list(A))bool in_list | (A, map(A, B))bool
    @not_strictly_false(bool)bool
    _==_(A, A)bool equals
    _!=_(A, A)bool not_equals
    _&&_(bool, bool)bool logical
    _||_(bool, bool)bool logical
    _?_:_(bool, A, A)A conditional
    _%_(int, int)int | (uint, uint)uint
    _*_(double, double)double | (int, int)int | (uint, uint)uint
    _/_(double, double)double | (int, int)int | (uint, uint)uint
    _+_(bytes, bytes)bytes add_bytes | (double, double)double | (duration, duration)duration | (duration, timestamp)timestamp | (timestamp, duration)timestamp | (int, int)int | (list(A), list(A))list(A) add_list | (string, string)string add_string | (uint, uint)uint
    _-_(double, double)double | (duration, duration)duration | (int, int)int | (timestamp, duration)timestamp | (timestamp, timestamp)duration | (uint, uint)uint
    _<_ORDER
    _<=_ORDER
    _>_ORDER
    _>=_ORDER
    _[_](list(A), int)A index_list | (map(A, B), A)B index_map | (optional(list(V)), int)optional(V) | (optional(map(K, V)), K)optional(V)
    _[?_](list(V), int)optional(V) | (optional(list(V)), int)optional(V) | (map(K, V), K)optional(V) | (optional(map(K, V)), K)optional(V)
    cel.@mapInsert(map(K, V), K, V)map(K, V) | (map(K, V), map(K, V))map(K, V)
    bool(bool)bool | (string)bool
    bytes(bytes)bytes | (string)bytes string_to_bytes
    double(double)double | (int)double | (string)double | (uint)double
    duration(duration)duration | (int)duration | (string)duration
    dyn(A)dyn
    int(int)int | (double)int | (duration)int | (string)int | (timestamp)int | (uint)int
    uint(uint)uint | (double)uint | (int)uint | (string)uint
    string(string)string | (bool)string | (bytes)string bytes_to_string | (double)string | (duration)string | (int)string | (timestamp)string | (uint)string | (ip)string | (cidr)string
    timestamp(timestamp)timestamp | (int)timestamp | (string)timestamp
    type(A)type(A)
    size(bytes)int | (list(A))int | (map(A, B))int | (string)int
    .size(bytes)int | (list(A))int | (map(A, B))int | (string)int
    matches(string, string)bool
    .matches(string, string)bool matches_string
    .contains(string, string)bool contains_string
    .startsWith(string, string)bool starts_with_string
    .endsWith(string, string)bool ends_with_string
    .getDate(timestamp)int | (timestamp, string)int
    .getDayOfMonth(timestamp)int | (timestamp, string)int
    .getDayOfWeek(timestamp)int | (timestamp, string)int
    .getDayOfYear(timestamp)int | (timestamp, string)int
    .getFullYear(timestamp)int | (timestamp, string)int
    .getMonth(timestamp)int | (timestamp, string)int
    .getHours(timestamp)int | (timestamp, string)int | (duration)int
    .getMinutes(timestamp)int | (timestamp, string)int | (duration)int
    .getSeconds(timestamp)int | (timestamp, string)int | (duration)int
    .getMilliseconds(timestamp)int | (timestamp, string)int | (duration)int
    optional.none()optional(V)
    optional.of(V)optional(V)
    optional.ofNonZeroValue(V)optional(V)
    .hasValue(optional(V))bool
    .value(optional(V))V
    .or(optional(V), optional(V))optional(V)
    .orValue(optional(V), V)V
    .first(list(V))optional(V)
    .last(list(V))optional(V)
    optional.unwrap(list(optional(V)))list(V)
    .unwrapOpt(list(optional(V)))list(V)
    .charAt(string, int)string
    .indexOf(list(A), A)int | (string, string)int | (string, string, int)int
    .lastIndexOf(list(A), A)int | (string, string)int | (string, string, int)int
    .join(list(string))string | (list(string), string)string
    .lowerAscii(string)string
    .upperAscii(string)string
    .replace(string, string, string)string | (string, string, string, int)string
    .split(string, string)list(string) | (string, string, int)list(string)
    .substring(string, int)string | (string, int, int)string
    .trim(string)string
    .format(string, list(dyn))string string_format
    strings.quote(string)string strings_quote
    .find(string, string)string
    .findAll(string, string)list(string) | (string, string, int)list(string)
    .isSorted(list(int))bool | (list(uint))bool | (list(double))bool | (list(bool))bool | (list(duration))bool | (list(timestamp))bool | (list(string))bool | (list(bytes))bool
    .max(list(int))int | (list(uint))uint | (list(double))double | (list(bool))bool | (list(duration))duration | (list(timestamp))timestamp | (list(string))string | (list(bytes))bytes
    .min(list(int))int | (list(uint))uint | (list(double))double | (list(bool))bool | (list(duration))duration | (list(timestamp))timestamp | (list(string))string | (list(bytes))bytes
    .sum(list(int))int | (list(uint))uint | (list(double))double | (list(duration))duration
    sets.contains(list(T), list(T))bool
    sets.equivalent(list(T), list(T))bool
    sets.intersects(list(T), list(T))bool
    url(string)url
    isURL(string)bool
    .getEscapedPath(url)string
    .getHost(url)string
    .getHostname(url)string
    .getPort(url)string
    .getScheme(url)string
    .getQuery(url)map(string, list(string))
    ip(string)ip
    isIP(string)bool
    ip.isCanonical(string)bool
    .family(ip)int
    .isUnspecified(ip)bool
    .isLoopback(ip)bool
    .isLinkLocalMulticast(ip)bool
    .isLinkLocalUnicast(ip)bool
    .isGlobalUnicast(ip)bool
    cidr(string)cidr
    isCIDR(string)bool
    .ip(cidr)ip cidr_ip
    .containsIP(cidr, string)bool contains_text | (cidr, ip)bool
    .containsCIDR(cidr, string)bool contains_text | (cidr, cidr)bool
    .masked(cidr)cidr
    .prefixLength(cidr)int
    quantity(string)quantity
    isQuantity(string)bool
    sign(quantity)int
    .isInteger(quantity)bool
    .asInteger(quantity)int
    .asApproximateFloat(quantity)double
    .add(quantity, quantity)quantity | (quantity, int)quantity
    .sub(quantity, quantity)quantity | (quantity, int)quantity
    .isGreaterThan(quantity, quantity)bool | (semver, semver)bool
    .isLessThan(quantity, quantity)bool | (semver, semver)bool
    .compareTo(quantity, quantity)int | (semver, semver)int
    semver(string)semver | (string, bool)semver
    isSemver(string)bool | (string, bool)bool
    .major(semver)int
    .minor(semver)int
    .patch(semver)int
    format.named(string)optional(format)
    format.byte()format
    format.date()format
    format.datetime()format
    format.dns1035Label()format
    format.dns1035LabelPrefix()format
    format.dns1123Label()format
    format.dns1123LabelPrefix()format
    format.dns1123Subdomain()format
    format.dns1123SubdomainPrefix()format
    format.labelValue()format
    format.qualifiedName()format
    format.uri()format
    format.uuid()format
    .validate(format, string)optional(list(string))
";

/// What policies may ask.
const AUTHORIZER_SIGNATURES: &str = "
    .path(authorizer, string)pathcheck
    .group(authorizer, string)groupcheck
    .serviceAccount(authorizer, string, string)authorizer
    .resource(groupcheck, string)resourcecheck
    .subresource(resourcecheck, string)resourcecheck
    .namespace(resourcecheck, string)resourcecheck
    .name(resourcecheck, string)resourcecheck
    .check(pathcheck, string)decision | (resourcecheck, string)decision
    .allowed(decision)bool
    .errored(decision)bool
    .error(decision)string
    .reason(decision)string
";

/// Numbers compare with each other, everything else with its like.
const ORDER: &str = "(bool, bool)bool | (int, int)bool | (int, double)bool | (int, uint)bool | (uint, uint)bool | \
    (uint, double)bool | (uint, int)bool | (double, double)bool | (double, int)bool | (double, uint)bool | \
    (string, string)bool compare | (bytes, bytes)bool compare | (timestamp, timestamp)bool | \
    (duration, duration)bool";

fn read(line: &'static str) -> Vec<(&'static str, Overload)> {
    if let Some(name) = line.strip_suffix("ORDER") {
        return signatures(ORDER)
            .map(|(args, result, id)| (name, overload(args, result, id, false)))
            .collect();
    }
    let (member, line) = line.strip_prefix('.').map_or((false, line), |line| (true, line));
    let Some((name, _)) = line.split_once('(') else { return Vec::new() };
    signatures(&line[name.len()..])
        .map(|(args, result, id)| (name, overload(args, result, id, member)))
        .collect()
}

fn signatures(text: &'static str) -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    text.split('|').filter_map(|signature| {
        let signature = signature.trim();
        let close = closing(signature)?;
        let (result, id) = match signature[close + 1..].rsplit_once(' ') {
            Some((result, id)) if !result.ends_with(',') => (result, id),
            _ => (&signature[close + 1..], ""),
        };
        Some((&signature[1..close], result, id))
    })
}

fn overload(args: &str, result: &str, id: &'static str, member: bool) -> Overload {
    Overload { id, member, args: split(args).into_iter().map(kind).collect(), result: kind(result) }
}

/// Where the bracket closes that the text begins with.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    text.char_indices().find_map(|(index, c)| {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        (depth == 0).then_some(index)
    })
}

/// At the commas that are in no bracket.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (index, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..index].trim());
                start = index + 1;
            }
            _ => {}
        }
    }
    let last = text[start..].trim();
    if !last.is_empty() {
        parts.push(last);
    }
    parts
}

fn kind(text: &str) -> Type {
    if let Some((name, rest)) = text.split_once('(') {
        let mut inner = split(rest.strip_suffix(')').unwrap_or(rest)).into_iter().map(kind);
        let mut next = || Arc::new(inner.next().unwrap_or(Type::Dyn));
        return match name {
            "list" => Type::List(next()),
            "map" => Type::Map(next(), next()),
            "optional" => Type::Optional(next()),
            _ => Type::Kind(next()),
        };
    }
    match text {
        "bool" => Type::Bool,
        "int" => Type::Int,
        "uint" => Type::Uint,
        "double" => Type::Double,
        "string" => Type::String,
        "bytes" => Type::Bytes,
        "duration" => Type::Duration,
        "timestamp" => Type::Timestamp,
        "url" => Type::Opaque("kubernetes.URL"),
        "ip" => Type::Opaque("net.IP"),
        "cidr" => Type::Opaque("net.CIDR"),
        "quantity" => Type::Opaque("kubernetes.Quantity"),
        "semver" => Type::Opaque("kubernetes.Semver"),
        "format" => Type::Opaque("kubernetes.NamedFormat"),
        "authorizer" => Type::Opaque(library::AUTHORIZER),
        "pathcheck" => Type::Opaque(library::PATH_CHECK),
        "groupcheck" => Type::Opaque(library::GROUP_CHECK),
        "resourcecheck" => Type::Opaque(library::RESOURCE_CHECK),
        "decision" => Type::Opaque(library::DECISION),
        "dyn" => Type::Dyn,
        param => param.chars().next().map_or(Type::Dyn, Type::Param),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(name: &str) -> Vec<String> {
        let show = |overload: &Overload| {
            let args: Vec<_> = overload.args.iter().map(ToString::to_string).collect();
            format!("({}) {} {} {}", args.join(", "), overload.result, overload.member, overload.id)
        };
        find(name, true).unwrap_or_default().iter().map(show).collect()
    }

    #[test]
    fn the_table_is_read() {
        assert_eq!(shown("@in"), ["(A, list(A)) bool false in_list", "(A, map(A, B)) bool false "]);
        assert_eq!(shown("getQuery"), ["(kubernetes.URL) map(string, list(string)) true "]);
        assert_eq!(shown("size").len(), 8);
        assert_eq!(shown("_<_").len(), 14);
        assert_eq!(shown("optional.none"), ["() optional_type(V) false "]);
        assert_eq!(shown("cel.@mapInsert")[0], "(map(K, V), K, V) map(K, V) false ");
        assert!(find("math.ceil", true).is_none());
        assert_eq!(shown("check").len(), 2);
        assert!(find("check", false).is_none());
        assert!(AUTHORIZER.keys().all(|name| !TABLE.contains_key(name)));
    }
}

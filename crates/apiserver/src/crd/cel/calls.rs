//! What calls cost.

use super::cost::{Coster, Entries, NOTHING, ONE, PER_CHARACTER, PER_REGEX, Range, UNKNOWN};
use super::syntax::{Expr, Kind, Literal};
use super::types::Type;

/// One reading of a call.
pub(super) struct Call<'a> {
    pub(super) expr: &'a Expr,
    pub(super) function: &'a str,
    pub(super) overload: &'static str,
    pub(super) target: Option<&'a Expr>,
    pub(super) args: &'a [Expr],
    /// Of the arguments.
    pub(super) costs: &'a [Range],
}

/// Its cost, and the size of what it makes if that can be told.
pub(super) fn cost(coster: &mut Coster<'_>, call: &Call<'_>) -> (Range, Option<Range>) {
    let arguments = call.costs.iter().fold(NOTHING, |sum, cost| sum.plus(*cost));
    if let Some((cost, size)) = library(coster, call) {
        return (cost.plus(arguments), size);
    }
    match (call.overload, call.args) {
        ("logical", [_, _]) => {
            let (first, second) = (call.costs[0], call.costs[1]);
            (Range { min: first.min, max: first.plus(second).max }, None)
        }
        ("conditional", [_, yes, no]) => {
            let size = coster.size_of(yes).union(coster.size_of(no));
            let entries = Entries::union(coster.entries_of(yes), coster.entries_of(no));
            coster.set_entries(call.expr, entries);
            (call.costs[0].plus(call.costs[1].union(call.costs[2])), Some(size))
        }
        _ => {
            let (cost, size) = standard(coster, call);
            (cost.plus(arguments), size)
        }
    }
}

/// What the language itself has.
fn standard(coster: &mut Coster<'_>, call: &Call<'_>) -> (Range, Option<Range>) {
    match (call.overload, call.target, call.args) {
        ("string_format", Some(target), _) => (coster.size_of(target).factor(PER_CHARACTER), None),
        ("string_to_bytes", _, [text]) => {
            let size = coster.size_of(text);
            let made = Range { min: size.min, max: size.max.wrapping_mul(4) };
            (size.factor(PER_CHARACTER), Some(made))
        }
        ("bytes_to_string", _, [bytes]) => {
            let size = coster.size_of(bytes);
            (size.factor(PER_CHARACTER), Some(Range { min: size.min / 4, max: size.max }))
        }
        ("strings_quote", _, [text]) => {
            let size = coster.size_of(text);
            let made = Range { min: size.min.wrapping_add(2), max: size.max.wrapping_mul(2).wrapping_add(2) };
            (size.factor(PER_CHARACTER), Some(made))
        }
        ("starts_with_string" | "ends_with_string", _, [part]) => {
            (coster.size_of(part).factor(PER_CHARACTER), None)
        }
        ("in_list", _, [_, list]) => (coster.size_of(list).factor(1.0), None),
        ("matches_string", Some(target), [regex]) => {
            let text = coster.size_of(target).plus(ONE).factor(PER_CHARACTER);
            (text.times(coster.size_of(regex).factor(PER_REGEX)), None)
        }
        ("contains_string", Some(target), [part]) => {
            let text = coster.size_of(target).factor(PER_CHARACTER);
            (text.times(coster.size_of(part).factor(PER_CHARACTER)), None)
        }
        ("add_string" | "add_bytes" | "add_list", _, [left, right]) => {
            let size = coster.size_of(left).plus(coster.size_of(right));
            let entries = Entries::union(coster.entries_of(left), coster.entries_of(right));
            coster.set_entries(call.expr, entries);
            let cost = if call.overload == "add_list" { ONE } else { size.factor(PER_CHARACTER) };
            (cost, Some(size))
        }
        ("compare" | "equals" | "not_equals", _, [left, right]) => {
            let most = coster.size_of(left).max.min(coster.size_of(right).max);
            (Range { min: u64::from(most > 0), max: most }.factor(PER_CHARACTER), None)
        }
        _ => (ONE, None),
    }
}

/// What the libraries of Kubernetes add.
fn library(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<(Range, Option<Range>)> {
    texts(coster, call)
        .or_else(|| parsed(coster, call))
        .or_else(|| accessed(call))
        .or_else(|| lists(coster, call))
}

/// Functions of texts that make texts.
fn texts(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<(Range, Option<Range>)> {
    match call.function {
        "lowerAscii" | "upperAscii" | "substring" | "trim" => {
            let size = coster.size_of(call.target?);
            Some((size.factor(PER_CHARACTER), Some(size)))
        }
        "replace" => replace(coster, call),
        "split" => {
            let size = coster.size_of(call.target?);
            let max = match call.args.get(1).map(|arg| &arg.kind) {
                Some(Kind::Literal(Literal::Int(most))) => *most as u64,
                _ => size.max,
            };
            Some((size.factor(2.0 * PER_CHARACTER), Some(Range { min: 0, max })))
        }
        "join" => join(coster, call),
        "find" | "findAll" => {
            let size = coster.size_of(call.target?);
            let regex = coster.size_of(call.args.first()?).factor(PER_REGEX);
            let cost = size.plus(ONE).factor(PER_CHARACTER).times(regex);
            Some((cost, Some(Range { min: 0, max: size.max })))
        }
        _ => None,
    }
}

/// Functions that read a text.
fn parsed(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<(Range, Option<Range>)> {
    let first = call.args.first()?;
    let cost = match call.function {
        "url" => {
            let size = coster.size_of(first);
            return Some((size.factor(PER_CHARACTER), Some(size)));
        }
        "cidr" | "isIP" | "isCIDR" | "ip" | "quantity" | "isQuantity" | "semver" | "isSemver" => {
            coster.size_of(first).factor(PER_CHARACTER)
        }
        "ip.isCanonical" => coster.size_of(first).factor(2.0 * PER_CHARACTER),
        "containsIP" | "containsCIDR" => {
            let bytes = Range { min: 4, max: 16 };
            let mut cost = bytes.plus(bytes).factor(PER_CHARACTER);
            if call.function == "containsCIDR" {
                cost = cost.plus(bytes.factor(PER_CHARACTER)).plus(ONE);
            }
            if call.overload == "contains_text" {
                cost = cost.plus(coster.size_of(first).factor(PER_CHARACTER));
            }
            cost
        }
        "validate" => coster.size_of(first).factor(PER_CHARACTER).factor(128.0 * PER_REGEX),
        _ => return None,
    };
    Some((cost, None))
}

/// Functions that only look something up.
fn accessed(call: &Call<'_>) -> Option<(Range, Option<Range>)> {
    match call.function {
        "ip" if call.overload == "cidr_ip" => Some((ONE, None)),
        "masked"
        | "prefixLength"
        | "family"
        | "isUnspecified"
        | "isLoopback"
        | "isLinkLocalMulticast"
        | "isLinkLocalUnicast"
        | "isGlobalUnicast"
        | "format.named"
        | "sign"
        | "asInteger"
        | "isInteger"
        | "asApproximateFloat"
        | "isGreaterThan"
        | "isLessThan"
        | "compareTo"
        | "add"
        | "sub"
        | "major"
        | "minor"
        | "patch"
        | "getScheme"
        | "getHostname"
        | "getHost"
        | "getPort"
        | "getEscapedPath"
        | "getQuery" => Some((ONE, None)),
        _ => None,
    }
}

/// Functions of lists, and of what lists are compared with.
fn lists(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<(Range, Option<Range>)> {
    match call.function {
        "isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" => {
            let target = call.target?;
            let size = coster.size_of(target);
            let Type::List(item) = coster.kind(target).clone() else {
                return Some((size.factor(PER_CHARACTER), None));
            };
            let texts = matches!(*item, Type::String | Type::Bytes);
            let each = if texts { ONE.plus(coster.item_size(target).factor(PER_CHARACTER)) } else { ONE };
            Some((size.times(each), None))
        }
        "sets.contains" | "sets.intersects" | "sets.equivalent" => {
            let [left, right] = call.args else { return None };
            let pairs = coster.size_of(left).times(coster.size_of(right));
            let times = if call.function == "sets.equivalent" { 2.0 } else { 1.0 };
            Some((pairs.factor(times).plus(ONE), None))
        }
        "_==_" => opaque_equality(coster, call),
        _ => None,
    }
}

fn opaque_equality(coster: &Coster<'_>, call: &Call<'_>) -> Option<(Range, Option<Range>)> {
    let [left, right] = call.args else { return None };
    match (coster.kind(left), coster.kind(right)) {
        (Type::Opaque(left), Type::Opaque(right)) if left == right => match *left {
            "net.IP" | "net.CIDR" => Some((ONE, None)),
            _ => None,
        },
        _ => None,
    }
}

fn replace(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<(Range, Option<Range>)> {
    let (Some(target), [from, to, ..]) = (call.target, call.args) else { return None };
    let (size, from, to) = (coster.size_of(target), coster.size_of(from), coster.size_of(to));
    let (mut count, mut kept) = (NOTHING, NOTHING);
    if from.min == 0 {
        // An empty text is found around every character.
        (count.max, kept.max) = (size.max.saturating_add(1), size.max);
    } else if to.max <= from.min {
        kept.max = size.max;
    } else {
        count.max = (size.max as f64 / from.min as f64).ceil() as u64;
    }
    if from.max == 0 {
        (count.min, kept.min) = (size.min.saturating_add(1), size.min);
    } else if from.max <= to.min {
        kept.min = size.min;
    } else {
        count.min = (size.min as f64 / from.max as f64).ceil() as u64;
    }
    Some((size.factor(2.0 * PER_CHARACTER), Some(count.times(to).plus(kept))))
}

fn join(coster: &mut Coster<'_>, call: &Call<'_>) -> Option<(Range, Option<Range>)> {
    let list = call.target?;
    let length = coster.size_of(list);
    let item = match coster.kind(list) {
        Type::List(_) => coster.item_size(list),
        _ => UNKNOWN,
    };
    let mut size = length.times(item);
    if let Some(separator) = call.args.first() {
        let between = Range { min: length.min.saturating_sub(1), max: length.max.saturating_sub(1) };
        size = size.plus(coster.size_of(separator).times(between));
    }
    Some((size.factor(PER_CHARACTER), Some(size)))
}

//! Lists in objects that a message quotes as text.

use serde_json::Value;

/// The text with the lists of this name in an order of their elements, however often they are quoted. What is not
/// understood stays as it is.
pub(crate) fn sort_quoted<K: Ord>(name: &str, text: &str, place: impl Fn(&Value) -> K) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(name) {
        let (before, from) = rest.split_at(at + name.len());
        result += before;
        rest = from;
        let slashes = from.bytes().take_while(|byte| *byte == b'\\').count();
        let Some(inside) = from[slashes..].strip_prefix("\":[") else { continue };
        let Some(elements) = elements(inside, slashes) else { continue };
        let read = elements.iter().map(|element| Some((place(&unquoted(element, slashes)?), *element)));
        let Some(mut read) = read.collect::<Option<Vec<_>>>() else { continue };
        read.sort_by(|(one, _), (other, _)| one.cmp(other));
        let length = elements.iter().map(|element| element.len()).sum::<usize>() + elements.len() - 1;
        result += &from[..from.len() - inside.len()];
        result += &read.into_iter().map(|(_, element)| element).collect::<Vec<_>>().join(",");
        rest = &inside[length..];
    }
    result + rest
}

/// The elements of a list, up to the bracket that ends it. A quote has so many backslashes before it; one with more
/// of them stands inside a string.
fn elements(text: &str, slashes: usize) -> Option<Vec<&str>> {
    let (mut depth, mut in_string, mut run, mut start) = (0_usize, false, 0, 0);
    let mut found = Vec::new();
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'\\' => {
                run += 1;
                continue;
            }
            b'"' if run == slashes => in_string = !in_string,
            // Shorter than any inside: the quotation itself ends before the list does.
            b'"' if run < slashes => return None,
            b'{' | b'[' if !in_string => depth += 1,
            b']' if !in_string && depth == 0 => {
                found.push(&text[start..at]);
                return Some(found);
            }
            b'}' | b']' if !in_string => depth = depth.checked_sub(1)?,
            b',' if !in_string && depth == 0 => {
                found.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        run = 0;
    }
    None
}

/// What a text says in which quotes have so many backslashes before them.
fn unquoted(text: &str, slashes: usize) -> Option<Value> {
    if slashes == 0 {
        return serde_json::from_str(text).ok();
    }
    let text: String = serde_json::from_str(&format!("\"{text}\"")).ok()?;
    unquoted(&text, (slashes - 1) / 2)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn sorted(text: &str) -> String {
        sort_quoted("list", text, |value| value["n"].to_string())
    }

    /// A list with all that could be taken for its end, or for another element.
    fn object(order: [usize; 3]) -> String {
        let elements =
            [json!({"n": 1, "s": "],[\\\"{"}), json!({"n": 2, "k:{\"a\":1}": [{}, []]}), json!({"n": 3})];
        json!({"list": order.map(|index| &elements[index]), "x": [2, 1]}).to_string()
    }

    #[test]
    fn lists_are_sorted_however_often_they_are_quoted() {
        let quote = |text: String| json!(text).to_string();
        for depth in 0..3 {
            let quoted = |order| (0..depth).fold(object(order), |text, _| quote(text));
            let (one, other) = (quoted([2, 0, 1]), quoted([0, 1, 2]));
            assert_eq!(sorted(&format!("no: {one}, nor {one}.")), format!("no: {other}, nor {other}."));
        }
    }

    #[test]
    fn what_is_not_understood_stays() {
        for text in
            ["list", "the list: [2, 1]", "\"list\":[{\"n\":2},{\"n\":1}", "\"list\":[{\"n\":2},nonsense]"]
        {
            assert_eq!(sorted(text), text);
        }
        assert_eq!(sorted("\"list\":[]"), "\"list\":[]");
        let cut = r#""{\"list\":[{\"n\":2}", {\"n\":1}]"#;
        assert_eq!(sorted(cut), cut);
    }
}

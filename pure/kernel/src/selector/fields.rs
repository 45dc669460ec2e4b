//! Field selectors.

/// A selector of objects by their fields: `metadata.name=a,spec.nodeName!=b`. The empty one selects all.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Fields {
    requirements: Vec<Requirement>,
}

/// One requirement of a field selector.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Requirement {
    /// The field that it is about, as it is written.
    pub field: String,
    /// Whether the field must not have the value.
    pub negated: bool,
    /// The value.
    pub value: String,
}

impl Fields {
    /// Reads a selector as it stands in a URL.
    ///
    /// # Errors
    /// What Kubernetes says.
    pub fn parse(text: &str) -> Result<Fields, String> {
        let mut terms = terms(text);
        // The first that is wrong in this order is the one that Kubernetes speaks of.
        terms.sort_unstable();
        let requirement = |term: &str| {
            let wrong = || format!("invalid selector: '{text}'; can't understand '{term}'");
            let (field, negated, value) = split(term).ok_or_else(wrong)?;
            Ok(Requirement { field: field.to_owned(), negated, value: unescaped(value)? })
        };
        let terms = terms.into_iter().filter(|term| !term.is_empty());
        let mut requirements = terms.map(requirement).collect::<Result<Vec<_>, String>>()?;
        // Kubernetes drops `=` and `!=` by themselves when it looks for the names of fields.
        requirements.retain(|requirement| !requirement.field.is_empty() || !requirement.value.is_empty());
        Ok(Fields { requirements })
    }

    /// What is required, all of it.
    pub fn requirements(&self) -> &[Requirement] {
        &self.requirements
    }

    /// Whether an object with these fields is selected. A field that is not there is empty.
    pub fn matches<'a>(&self, field: impl Fn(&str) -> Option<&'a str>) -> bool {
        self.requirements.iter().all(|Requirement { field: name, negated, value }| {
            (field(name).unwrap_or_default() == value) != *negated
        })
    }

    /// Whether everything is selected.
    pub fn is_empty(&self) -> bool {
        self.requirements.is_empty()
    }
}

/// What stands between commas that are not escaped.
fn terms(text: &str) -> Vec<&str> {
    let mut escaped = false;
    let ends = |c: char| {
        let ends = c == ',' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    };
    text.split(ends).collect()
}

/// A term around its first operator: field, whether it is negated, value.
fn split(term: &str) -> Option<(&str, bool, &str)> {
    let at = term.find('=')?;
    let (field, value) = (&term[..at], &term[at + 1..]);
    match field.strip_suffix('!') {
        Some(field) => Some((field, true, value)),
        None => Some((field, false, value.strip_prefix('=').unwrap_or(value))),
    }
}

fn unescaped(value: &str) -> Result<String, String> {
    let mut out = String::with_capacity(value.len());
    let mut rest = value.chars();
    while let Some(c) = rest.next() {
        match c {
            '\\' => match rest.next() {
                Some(c @ ('\\' | ',' | '=')) => out.push(c),
                other => {
                    let other = other.map(String::from).unwrap_or_default();
                    return Err(format!("invalid field selector: invalid escape sequence: \\{other}"));
                }
            },
            // Go prints the character's number.
            ',' | '=' => {
                let number = u32::from(c);
                return Err(format!("invalid field selector: unescaped character in value: {number}"));
            }
            c => out.push(c),
        }
    }
    Ok(out)
}

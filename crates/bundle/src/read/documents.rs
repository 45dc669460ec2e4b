//! The documents of a text.

use serde_json::Value;

use super::spots::{Step, spot, steps};
use super::yaml::{Yaml, options};
use crate::fault::{BadManifest, Fault, Place};

/// A value, and where it begins.
pub(super) struct Document<'a> {
    pub(super) value: Value,
    pub(super) place: Place,
    pub(super) origin: Origin<'a>,
}

/// What a value was read from.
#[derive(Clone)]
pub(super) struct Origin<'a> {
    text: &'a str,
    /// The line in which the text begins.
    line: u64,
    /// How many characters stand before it there.
    before: u64,
    /// The way to the value, if it is not all of it.
    steps: Vec<Step>,
}

impl Origin<'_> {
    /// The item of a list.
    pub(super) fn item(&self, index: usize) -> Self {
        let mut item = self.clone();
        item.steps.extend([Step::Field("items".into()), Step::Item(index)]);
        item
    }

    /// Where a field of the value stands in the file: line and column.
    pub(super) fn field(&self, name: &str) -> Option<(u64, u64)> {
        let steps: Vec<_> = self.steps.iter().cloned().chain(steps(name)).collect();
        let (line, column) = spot(self.text, &steps)?;
        Some((self.line + line - 1, if line == 1 { self.before + column } else { column }))
    }
}

/// The documents of a file: of JSON, if it looks like it, else of YAML.
pub(super) fn documents<'a>(
    file: &str,
    text: &'a str,
    is_json: bool,
) -> Result<Vec<Document<'a>>, BadManifest> {
    let mut documents = if is_json { json(file, text)? } else { yaml(file, text)? };
    let is_one_of_several = documents.iter().filter(|document| !document.value.is_null()).count() > 1;
    documents.iter_mut().for_each(|document| document.place.is_one_of_several = is_one_of_several);
    Ok(documents)
}

fn yaml<'a>(file: &str, text: &'a str) -> Result<Vec<Document<'a>>, BadManifest> {
    // Most JSON is YAML too, but for a parser of JSON it is much less work. What only looks like it is YAML.
    if text.trim_start().starts_with('{')
        && let Ok(documents) = json(file, text)
    {
        return Ok(documents);
    }
    let chunks = Chunks { text, line: 1 };
    chunks.map(|chunk| chunk.parse(file)).collect()
}

fn at(file: &str, line: u64, column: Option<u64>) -> Place {
    Place { file: file.to_owned(), line: Some(line), column, ..Place::default() }
}

/// Values of JSON, one after the other.
fn json<'a>(file: &str, text: &'a str) -> Result<Vec<Document<'a>>, BadManifest> {
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<Yaml>();
    let (mut documents, mut line, mut counted) = (Vec::new(), 1, 0);
    loop {
        let rest = &text[stream.byte_offset()..];
        let start = text.len() - rest.trim_start().len();
        line += text[counted..start].matches('\n').count() as u64;
        counted = start;
        match stream.next() {
            None => return Ok(documents),
            Some(Ok(Yaml(value))) => {
                let begun = text[..start].rfind('\n').map_or(0, |end| end + 1);
                let before = text[begun..start].chars().count() as u64;
                let text = &text[start..stream.byte_offset()];
                let origin = Origin { text, line, before, steps: Vec::new() };
                documents.push(Document { value, place: at(file, line, None), origin });
            }
            Some(Err(error)) => {
                let place = at(file, error.line() as u64, Some(error.column() as u64));
                let said = error.to_string();
                let why = said.split(" at line ").next().unwrap_or(&said).to_owned();
                return Err(BadManifest::new(place, Fault::Syntax(why)));
            }
        }
    }
}

/// A document of YAML with the line that begins it.
struct Chunk<'a> {
    text: &'a str,
    line: u64,
}

/// The documents of a stream of YAML. No line of a document begins with `---`: so they can be told apart without parsing,
/// and what is wrong in one does not hide where the next begins.
struct Chunks<'a> {
    text: &'a str,
    line: u64,
}

impl<'a> Iterator for Chunks<'a> {
    type Item = Chunk<'a>;

    fn next(&mut self) -> Option<Chunk<'a>> {
        if self.text.is_empty() {
            return None;
        }
        let (mut end, mut lines) = (0, 0);
        // Comments and directives before the first mark belong to the document that it begins.
        let mut begun = false;
        for line in self.text.split_inclusive('\n') {
            let is_mark = line
                .strip_prefix("---")
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace));
            if is_mark && begun {
                break;
            }
            begun |= is_mark || !is_aside(line);
            end += line.len();
            lines += 1;
        }
        let chunk = Chunk { text: &self.text[..end], line: self.line };
        self.text = &self.text[end..];
        self.line += lines;
        Some(chunk)
    }
}

/// Whether a line says nothing: blank, a comment or a directive.
fn is_aside(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with('#') || line.starts_with('%')
}

impl<'a> Chunk<'a> {
    fn parse(self, file: &str) -> Result<Document<'a>, BadManifest> {
        match serde_saphyr::from_str_with_options::<Yaml>(self.text, options()) {
            Ok(Yaml(value)) => {
                let origin = Origin { text: self.text, line: self.line, before: 0, steps: Vec::new() };
                Ok(Document { value, place: at(file, self.first_line(), None), origin })
            }
            Err(error) => {
                let location = error.location().filter(|location| location.line() > 0);
                let place = match location {
                    Some(location) => at(file, self.line + location.line() - 1, Some(location.column())),
                    None => at(file, self.first_line(), None),
                };
                let is_template = self.text.contains("{{");
                let fault = if is_template { Fault::Template } else { Fault::Syntax };
                Err(BadManifest::new(place, fault(why(&error))))
            }
        }
    }

    /// The line in which something is said.
    fn first_line(&self) -> u64 {
        let says_nothing = |line: &&str| is_aside(line) || line.trim() == "---";
        self.line + self.text.lines().take_while(says_nothing).count() as u64
    }
}

/// What the parser says, without where: that is said already, and counted from the beginning of the file.
fn why(error: &serde_saphyr::Error) -> String {
    let said = error.to_string();
    let first = said.lines().next().unwrap_or_default();
    let why = match (first.find(" at line "), first.split_once(": ")) {
        (Some(at), _) => &first[..at],
        (None, Some((place, why))) if place.starts_with("line ") => why,
        _ => first,
    };
    let why = why.trim_start_matches("error: ").trim_end_matches(['.', ',']);
    // What a program could do about a key that is there twice is no help to people.
    match why.split_once(", set DuplicateKeyPolicy").map(|(twice, _)| twice.split_once(": ")) {
        Some(Some((_, key))) => format!("the key {key:?} is there twice"),
        Some(None) => "a key is there twice".to_owned(),
        None => why.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(text: &str) -> Vec<(u64, Value)> {
        let documents = documents("f.yaml", text, false).expect("it parses");
        documents.into_iter().map(|document| (document.place.line.unwrap_or(0), document.value)).collect()
    }

    fn wrong(text: &str) -> String {
        documents("f.yaml", text, false).err().expect("it does not parse").to_string()
    }

    #[test]
    fn documents_are_told_apart_and_know_their_lines() {
        let text = "# first\n\na: 1\n---\n# nothing\n---\n\nb: |\n  x\n  ---\n--- {c: 3}\n---\n";
        let null = Value::Null;
        assert_eq!(
            read(text),
            [
                (3, json!({"a": 1})),
                (6, null.clone()),
                (8, json!({"b": "x\n---\n"})),
                (11, json!({"c": 3})),
                (13, null)
            ]
        );
        assert_eq!(read("%YAML 1.2\n# x\n---\na: 1\n"), [(4, json!({"a": 1}))]);
        assert_eq!(read(""), []);
        assert_eq!(read("a: 1\r\n---\r\nb: 2\r\n"), [(1, json!({"a": 1})), (3, json!({"b": 2}))]);
    }

    #[test]
    fn json_is_read_with_its_lines_and_what_only_looks_like_it_is_yaml() {
        assert_eq!(read("{\"a\": 1}\n\n{\"b\":\n2}\n"), [(1, json!({"a": 1})), (3, json!({"b": 2}))]);
        assert_eq!(read("{a: yes}\n"), [(1, json!({"a": true}))]);
    }

    #[test]
    fn what_does_not_parse_is_found() {
        let said = wrong("a: 1\n---\nb:\n  c: [1, 2\nd: 3\n");
        assert!(said.starts_with("f.yaml:5:") || said.starts_with("f.yaml:4:"), "{said}");
        assert!(said.contains("it does not parse: "), "{said}");
        assert!(!said.contains('\n') && !said.contains("at line"), "{said}");
        let said = wrong("a: 1\n---\nb: 1\nb: 2\n");
        assert_eq!(said, "f.yaml:4:1: it does not parse: the key \"b\" is there twice");
        let said = wrong("{a: 1}: x\n{a: 1}: y\n");
        assert!(!said.contains("Policy"), "{said}");
        let said = documents("f.json", "{\"a\": 1,\n \"a\": 2}", true).err().expect("twice").to_string();
        assert!(said.starts_with("f.json:2:") && said.ends_with("the key \"a\" is there twice"), "{said}");
    }

    #[test]
    fn values_are_those_that_kubernetes_reads() {
        let text = "a: [1, -2, 1.5, yes, \"no\", ~, text, 010, 2020-01-01]\non: x\n1: z\n";
        let value =
            json!({"a": [1, -2, 1.5, true, "no", null, "text", 8, "2020-01-01"], "true": "x", "1": "z"});
        assert_eq!(read(text), [(1, value)]);
        assert_eq!(
            read("a: &x {k: 1}\nb: {<<: *x, l: 2}\n"),
            [(1, json!({"a": {"k": 1}, "b": {"k": 1, "l": 2}}))]
        );
    }

    #[test]
    fn what_would_blow_up_is_refused() {
        let deep = format!("a: {}{}\n", "[".repeat(DEEP), "]".repeat(DEEP));
        assert!(documents("f.yaml", &deep, false).is_err() && documents("f.json", &deep[3..], true).is_err());
        let mut laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..12 {
            let items = vec![format!("*a{}", level - 1); 10].join(", ");
            laughs += &format!("a{level}: &a{level} [{items}]\n");
        }
        assert!(documents("f.yaml", &laughs, false).is_err());
    }

    const DEEP: usize = 200;
}

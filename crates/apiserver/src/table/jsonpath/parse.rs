//! Reading a path.

use serde_json::Value;

use super::{Operator, Slice, Step, Unfit};

/// Nesting in filters and unions.
const DEEPEST: usize = 8;

pub(super) fn steps(text: &str) -> Result<Vec<Step>, Unfit> {
    Parser { text, at: 0, depth: 0 }.steps()
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn nested(&self, text: &str) -> Result<Vec<Step>, Unfit> {
        if self.depth == DEEPEST {
            return Err(Unfit);
        }
        Parser { text, at: 0, depth: self.depth + 1 }.steps()
    }

    fn steps(mut self) -> Result<Vec<Step>, Unfit> {
        let mut steps = Vec::new();
        while let Some(next) = self.rest().chars().next() {
            match next {
                _ if self.rest().starts_with("[?(") => steps.push(self.filter()?),
                _ if self.rest().starts_with("..") => self.recursive(&mut steps)?,
                ' ' | '@' | '$' => self.at += 1,
                '[' => self.brackets(&mut steps)?,
                '"' | '\'' => steps.push(self.quoted(next)?),
                '.' => {
                    self.at += 1;
                    steps.push(self.field());
                }
                '+' | '-' | '0'..='9' => steps.push(self.number()?),
                _ => steps.push(self.word()?),
            }
        }
        Ok(steps)
    }

    fn recursive(&mut self, steps: &mut Vec<Step>) -> Result<(), Unfit> {
        if steps.last() == Some(&Step::Recursive) {
            return Err(Unfit);
        }
        self.at += 2;
        steps.push(Step::Recursive);
        if self.rest().starts_with(|next: char| next == '_' || next.is_alphanumeric()) {
            steps.push(self.field());
        }
        Ok(())
    }

    /// A name, up to what ends one and is not escaped.
    fn field(&mut self) -> Step {
        let mut name = String::new();
        let mut end = self.rest().len();
        let mut characters = self.rest().char_indices();
        while let Some((index, next)) = characters.next() {
            match next {
                '\\' => name.extend(characters.next().map(|(_, next)| next)),
                _ if ends_name(next) => {
                    end = index;
                    break;
                }
                _ => name.push(next),
            }
        }
        self.at += end;
        if name == "*" { Step::Wildcard } else { Step::Field(name) }
    }

    fn word(&mut self) -> Result<Step, Unfit> {
        let end = self.rest().find(ends_name).unwrap_or(self.rest().len());
        let word = &self.rest()[..end];
        self.at += end;
        // `range` and `end` are of templates; a column is one path.
        match word {
            "true" => Ok(Step::Constant(true.into())),
            "false" => Ok(Step::Constant(false.into())),
            _ => Err(Unfit),
        }
    }

    fn number(&mut self) -> Result<Step, Unfit> {
        let sign = usize::from(self.rest().starts_with(['+', '-']));
        let digits = &self.rest()[sign..];
        let end = digits.find(|next: char| next != '.' && !next.is_ascii_digit()).unwrap_or(digits.len());
        let number = &self.rest()[..sign + end];
        self.at += sign + end;
        if let Ok(whole) = number.parse::<i64>() {
            return Ok(Step::Constant(whole.into()));
        }
        number.parse::<f64>().map(|number| Step::Constant(number.into())).map_err(|_| Unfit)
    }

    fn quoted(&mut self, quote: char) -> Result<Step, Unfit> {
        let mut text = String::new();
        let mut characters = self.rest().char_indices().skip(1);
        while let Some((index, next)) = characters.next() {
            match next {
                '\\' => text.extend(characters.next().map(|(_, next)| unescaped(next))),
                _ if next == quote => {
                    self.at += index + 1;
                    return Ok(Step::Constant(Value::String(text)));
                }
                _ => text.push(next),
            }
        }
        Err(Unfit)
    }

    fn brackets(&mut self, steps: &mut Vec<Step>) -> Result<(), Unfit> {
        let end = self.rest().find(']').ok_or(Unfit)?;
        let inside = &self.rest()[1..end];
        self.at += end + 1;
        let branches: Vec<&str> = inside.split(',').collect();
        if branches.len() > 1 {
            let branches =
                branches.iter().map(|branch| self.nested(&format!("[{}]", branch.trim_matches(' '))));
            steps.push(Step::Union(branches.collect::<Result<_, _>>()?));
            return Ok(());
        }
        let quoted = inside.strip_prefix('\'').and_then(|inside| inside.strip_suffix('\''));
        match quoted.filter(|name| !name.contains('\'')) {
            Some(name) => steps.extend(self.nested(&format!(".{name}"))?),
            None => steps.push(Step::Slice(slice(if inside == "*" { ":" } else { inside })?)),
        }
        Ok(())
    }

    fn filter(&mut self) -> Result<Step, Unfit> {
        let inside = &self.rest()["[?(".len()..];
        let end = end_of_filter(inside).ok_or(Unfit)?;
        self.at += "[?(".len() + end + ")]".len();
        let inside = &inside[..end];
        let signs = |next: char| matches!(next, '!' | '<' | '>' | '=');
        let Some(at) = inside.find(signs).filter(|at| *at > 0) else {
            return Ok(Step::Exists(self.nested(inside)?));
        };
        let (left, rest) = inside.split_at(at);
        let right = rest.trim_start_matches(signs);
        let operator = match &rest[..rest.len() - right.len()] {
            "<" => Operator::Less,
            ">" => Operator::Greater,
            "==" => Operator::Equal,
            "!=" => Operator::NotEqual,
            "<=" => Operator::LessOrEqual,
            ">=" => Operator::GreaterOrEqual,
            _ => return Err(Unfit),
        };
        Ok(Step::Compare(self.nested(left)?, operator, self.nested(right)?))
    }
}

/// Where `)]` is that is not in quotes.
fn end_of_filter(text: &str) -> Option<usize> {
    let mut quote = None;
    let mut before = ' ';
    for (index, next) in text.char_indices() {
        match (quote, next) {
            (None, '"' | '\'') => quote = Some(next),
            (Some(open), _) if open == next && before != '\\' => quote = None,
            (None, ')') => return text[index..].starts_with(")]").then_some(index),
            _ => {}
        }
        before = next;
    }
    None
}

fn slice(text: &str) -> Result<Slice, Unfit> {
    let parts: Vec<&str> = text.split(':').collect();
    let number = |part: &&str| match *part {
        "" => Ok(None),
        part => part.parse::<i64>().map(Some).map_err(|_| Unfit),
    };
    let numbers = parts.iter().map(number).collect::<Result<Vec<_>, _>>()?;
    match *numbers.as_slice() {
        [Some(item)] => {
            Ok(Slice { start: item, end: Some(item.saturating_add(1)), is_item: true, step: None })
        }
        [start, end] => Ok(Slice { start: start.unwrap_or(0), end, is_item: false, step: None }),
        [start, end, step] => Ok(Slice { start: start.unwrap_or(0), end, is_item: false, step }),
        _ => Err(Unfit),
    }
}

fn ends_name(next: char) -> bool {
    matches!(next, ' ' | '\t' | '\r' | '\n' | '.' | ',' | '[' | ']' | '$' | '@' | '{' | '}')
}

fn unescaped(next: char) -> char {
    match next {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        other => other,
    }
}

//! Reads label selectors, as `k8s.io/apimachinery/pkg/labels` does: what it overlooks is overlooked.

use std::collections::BTreeSet;

use super::lexer::{Token, tokens};
use super::requirement::{Operator, Requirement, key_error};

pub(super) fn parse(text: &str) -> Result<Vec<Requirement>, String> {
    let mut parser = Parser { tokens: tokens(text), position: 0 };
    let mut requirements = Vec::new();
    loop {
        match parser.peek() {
            (Token::Identifier | Token::Not, _) => {}
            (Token::End, _) => return Ok(requirements),
            (_, found) => return Err(expected(found, "!, identifier, or 'end of string'")),
        }
        let requirement = parser.requirement();
        requirements.push(requirement.map_err(|what| format!("unable to parse requirement: {what}"))?);
        match parser.take() {
            (Token::End, _) => return Ok(requirements),
            (Token::Comma, _) => {
                let (token, found) = parser.peek();
                if !matches!(token, Token::Identifier | Token::Not) {
                    return Err(expected(found, "identifier after ','"));
                }
            }
            (_, found) => return Err(expected(found, "',' or 'end of string'")),
        }
    }
}

fn expected(found: &str, what: &str) -> String {
    format!("found '{found}', expected: {what}")
}

struct Parser<'a> {
    tokens: Vec<(Token, &'a str)>,
    position: usize,
}

impl<'a> Parser<'a> {
    /// The next token where a key or a value may stand: `in` is as good a value as any.
    fn peek(&self) -> (Token, &'a str) {
        let (token, text) = self.tokens[self.position];
        (if matches!(token, Token::In | Token::NotIn) { Token::Identifier } else { token }, text)
    }

    fn take(&mut self) -> (Token, &'a str) {
        let found = self.peek();
        self.position += 1;
        found
    }

    fn take_operator(&mut self) -> (Token, &'a str) {
        self.position += 1;
        self.tokens[self.position - 1]
    }

    fn requirement(&mut self) -> Result<Requirement, String> {
        let (mut token, mut key) = self.take();
        let absent = token == Token::Not;
        if absent {
            (token, key) = self.take();
        }
        if token != Token::Identifier {
            return Err(expected(key, "identifier"));
        }
        // The path is what Go prints of the one that is not there.
        if let Some(wrong) = key_error("<nil>", key) {
            return Err(wrong);
        }
        if absent {
            return Requirement::new(key, Operator::DoesNotExist, Vec::new());
        }
        if matches!(self.peek().0, Token::End | Token::Comma) {
            return Requirement::new(key, Operator::Exists, Vec::new());
        }
        let operator = self.operator()?;
        let values = match operator {
            Operator::In | Operator::NotIn => self.values()?,
            _ => BTreeSet::from([self.value()?]),
        };
        Requirement::new(key, operator, values.into_iter().map(str::to_owned).collect())
    }

    fn operator(&mut self) -> Result<Operator, String> {
        Ok(match self.take_operator() {
            (Token::In, _) => Operator::In,
            (Token::Equals | Token::DoubleEquals, _) => Operator::Equals,
            (Token::Greater, _) => Operator::Greater,
            (Token::Less, _) => Operator::Less,
            (Token::NotIn, _) => Operator::NotIn,
            (Token::NotEquals, _) => Operator::NotEquals,
            (_, found) => return Err(expected(found, "in, notin, =, ==, !=, gt, lt")),
        })
    }

    fn value(&mut self) -> Result<&'a str, String> {
        if matches!(self.peek().0, Token::End | Token::Comma) {
            return Ok("");
        }
        match self.take() {
            (Token::Identifier, value) => Ok(value),
            (_, found) => Err(expected(found, "identifier")),
        }
    }

    fn values(&mut self) -> Result<BTreeSet<&'a str>, String> {
        let (token, found) = self.take();
        if token != Token::Open {
            return Err(format!("found '{found}' expected: '('"));
        }
        let values = match self.peek() {
            (Token::Identifier | Token::Comma, _) => self.list()?,
            (Token::Close, _) => BTreeSet::from([""]),
            (_, found) => return Err(expected(found, "',', ')' or identifier")),
        };
        // A list ends only where it is closed.
        self.take();
        Ok(values)
    }

    /// Values with commas between them, up to the one that closes the list; any of them may be empty.
    fn list(&mut self) -> Result<BTreeSet<&'a str>, String> {
        let mut values = BTreeSet::new();
        loop {
            match self.take() {
                (Token::Identifier, value) => {
                    values.insert(value);
                    match self.peek() {
                        (Token::Comma, _) => {}
                        (Token::Close, _) => return Ok(values),
                        (_, found) => return Err(expected(found, "',' or ')'")),
                    }
                }
                (Token::Comma, _) => {
                    if values.is_empty() {
                        values.insert("");
                    }
                    match self.peek().0 {
                        Token::Close => {
                            values.insert("");
                            return Ok(values);
                        }
                        Token::Comma => {
                            self.take();
                            values.insert("");
                        }
                        _ => {}
                    }
                }
                (_, found) => return Err(expected(found, "',', or identifier")),
            }
        }
    }
}

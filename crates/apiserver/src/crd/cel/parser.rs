//! From tokens to expressions.

use super::lexer::{Token, TokenKind, tokens};
use super::macros;
use super::syntax::{Expr, Fault, Kind, Literal};

/// The same limit as in Kubernetes.
const MOST_CHARACTERS: usize = 100_000;
/// How deep an expression may be, and how deep brackets may be in it: the stack must hold it. Kubernetes allows 250 of
/// both.
const DEEPEST: usize = 250;
const NESTED: usize = 100;
/// Macros that copy what they are called on could make a short text long.
const MOST_PARTS: usize = 100_000;

/// Words that may become part of the language.
const RESERVED: &[&str] = &[
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

/// Reads an expression; its parts are numbered from 0, and so many are there.
///
/// # Errors
/// Where the text is not an expression.
pub(super) fn parse(source: &str) -> Result<(Expr, usize), Vec<Fault>> {
    let size = source.chars().count();
    if size > MOST_CHARACTERS {
        let message =
            format!("expression code point size exceeds limit: size: {size}, limit {MOST_CHARACTERS}");
        return Err(vec![Fault { at: 0, message }]);
    }
    let (tokens, mut faults) = tokens(source);
    let mut parser = Parser { tokens, next: 0, ids: 0, depth: 0 };
    let parsed = parser.expr().and_then(|expr| match parser.peek() {
        TokenKind::End => Ok(expr),
        _ => Err(parser.unexpected("<EOF>")),
    });
    match parsed {
        Ok(expr) if faults.is_empty() => Ok((expr, parser.ids)),
        Ok(_) => Err(faults),
        Err(fault) => {
            faults.push(fault);
            Err(faults)
        }
    }
}

pub(super) struct Parser {
    tokens: Vec<Token>,
    next: usize,
    ids: usize,
    depth: usize,
}

type Parsed = Result<Expr, Fault>;

impl Parser {
    /// A new part of the expression.
    pub(super) fn make(&mut self, at: usize, kind: Kind) -> Parsed {
        let below = match &kind {
            Kind::Literal(_) | Kind::Ident(_) => 0,
            Kind::Select { operand, .. } => operand.height,
            Kind::Call { target, args, .. } => highest(args.iter().chain(target.as_deref())),
            Kind::List { items, .. } => highest(items.iter()),
            Kind::Map(entries) => highest(entries.iter().flat_map(|(key, value, _)| [key, value])),
            Kind::Loop(inner) => {
                highest([&inner.range, &inner.init, &inner.condition, &inner.step, &inner.result].into_iter())
            }
        };
        if below >= DEEPEST {
            return Err(Fault { at, message: format!("expression recursion limit exceeded: {DEEPEST}") });
        }
        if self.ids >= MOST_PARTS {
            return Err(Fault { at, message: format!("expression has more than {MOST_PARTS} parts") });
        }
        self.ids += 1;
        Ok(Expr { id: self.ids - 1, at, height: below + 1, kind })
    }

    /// A call of a function that is not a member.
    pub(super) fn call(&mut self, at: usize, function: &str, args: Vec<Expr>) -> Parsed {
        self.make(at, Kind::Call { function: function.to_owned(), target: None, args })
    }

    fn peek(&self) -> &TokenKind {
        self.tokens.get(self.next).map_or(&TokenKind::End, |token| &token.kind)
    }

    fn at(&self) -> usize {
        self.tokens.get(self.next).map_or(0, |token| token.at)
    }

    fn sign(&mut self, signs: &[&'static str]) -> Option<(usize, &'static str)> {
        match *self.peek() {
            TokenKind::Sign(sign) if signs.contains(&sign) => {
                let at = self.at();
                self.next += 1;
                Some((at, sign))
            }
            _ => None,
        }
    }

    fn expect(&mut self, sign: &'static str) -> Result<usize, Fault> {
        match self.sign(&[sign]) {
            Some((at, _)) => Ok(at),
            None => Err(self.unexpected(&format!("'{sign}'"))),
        }
    }

    fn unexpected(&self, wanted: &str) -> Fault {
        let found = match self.peek() {
            TokenKind::End => "<EOF>".to_owned(),
            TokenKind::Ident(name) => name.clone(),
            TokenKind::Sign(sign) => (*sign).to_owned(),
            TokenKind::Literal(Literal::String(text)) => format!("'{text}'"),
            TokenKind::Literal(literal) => show(literal),
        };
        let after = self.tokens.get(self.next + 1).map(|token| &token.kind);
        // One sign too many, or one too few, is told as such, as the parser of cel-go does.
        let too_many = match after {
            Some(TokenKind::Ident(_) | TokenKind::Literal(_)) => wanted.starts_with('{'),
            _ => false,
        };
        let message = if too_many || wanted == "<EOF>" {
            format!("Syntax error: extraneous input '{found}' expecting {wanted}")
        } else if found == "<EOF>" && wanted.starts_with('\'') {
            format!("Syntax error: missing {wanted} at '{found}'")
        } else {
            format!("Syntax error: mismatched input '{found}' expecting {wanted}")
        };
        Fault { at: self.at(), message }
    }

    /// Recursion ends before the stack does.
    fn deeper<T>(&mut self, inner: impl FnOnce(&mut Self) -> Result<T, Fault>) -> Result<T, Fault> {
        if self.depth >= NESTED {
            let message = format!("expression recursion limit exceeded: {NESTED}");
            return Err(Fault { at: self.at(), message });
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    fn expr(&mut self) -> Parsed {
        self.deeper(|this| {
            let condition = this.either()?;
            let Some((at, _)) = this.sign(&["?"]) else { return Ok(condition) };
            let yes = this.either()?;
            this.expect(":")?;
            let no = this.expr()?;
            this.call(at, "_?_:_", vec![condition, yes, no])
        })
    }

    fn either(&mut self) -> Parsed {
        self.chain("||", "_||_", Self::both)
    }

    fn both(&mut self) -> Parsed {
        self.chain("&&", "_&&_", |this| this.relation())
    }

    /// Long chains become balanced trees.
    fn chain(&mut self, sign: &'static str, function: &str, term: fn(&mut Self) -> Parsed) -> Parsed {
        let mut terms = vec![term(self)?];
        let mut signs = Vec::new();
        while let Some((at, _)) = self.sign(&[sign]) {
            signs.push(at);
            terms.push(term(self)?);
        }
        self.balance(function, &mut terms.into_iter(), &signs)
    }

    fn balance(&mut self, function: &str, terms: &mut std::vec::IntoIter<Expr>, signs: &[usize]) -> Parsed {
        if signs.is_empty() {
            return terms.next().ok_or_else(|| self.unexpected("<EOF>"));
        }
        let middle = signs.len() / 2;
        let left = self.balance(function, terms, &signs[..middle])?;
        let right = self.balance(function, terms, &signs[middle + 1..])?;
        self.call(signs[middle], function, vec![left, right])
    }

    fn relation(&mut self) -> Parsed {
        let mut left = self.sum()?;
        while let Some((at, sign)) = self.sign(&["<", "<=", ">=", ">", "==", "!=", "in"]) {
            let right = self.sum()?;
            let function = if sign == "in" { "@in".to_owned() } else { format!("_{sign}_") };
            left = self.call(at, &function, vec![left, right])?;
        }
        Ok(left)
    }

    fn sum(&mut self) -> Parsed {
        let mut left = self.product()?;
        while let Some((at, sign)) = self.sign(&["+", "-"]) {
            let right = self.product()?;
            left = self.call(at, &format!("_{sign}_"), vec![left, right])?;
        }
        Ok(left)
    }

    fn product(&mut self) -> Parsed {
        let mut left = self.unary()?;
        while let Some((at, sign)) = self.sign(&["*", "/", "%"]) {
            let right = self.unary()?;
            left = self.call(at, &format!("_{sign}_"), vec![left, right])?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed {
        if let Some((at, _)) = self.sign(&["!"]) {
            let inner = self.deeper(Self::unary)?;
            return self.call(at, "!_", vec![inner]);
        }
        let Some((at, _)) = self.sign(&["-"]) else { return self.member() };
        let negative = match self.peek() {
            TokenKind::Literal(Literal::Int(number)) => Some(Literal::Int(number.wrapping_neg())),
            TokenKind::Literal(Literal::Double(number)) => Some(Literal::Double(-number)),
            _ => None,
        };
        if let Some(literal) = negative {
            self.next += 1;
            let literal = self.make(at, Kind::Literal(literal))?;
            return self.members(literal);
        }
        let inner = self.deeper(Self::unary)?;
        self.call(at, "-_", vec![inner])
    }

    fn member(&mut self) -> Parsed {
        let primary = self.primary()?;
        self.members(primary)
    }

    fn members(&mut self, mut expr: Expr) -> Parsed {
        loop {
            if let Some((at, _)) = self.sign(&["."]) {
                let optional = self.sign(&["?"]).is_some();
                let name = self.name()?;
                if optional {
                    let field = self.make(at, Kind::Literal(Literal::String(name)))?;
                    expr = self.call(at, "_?._", vec![expr, field])?;
                } else if let Some((open, _)) = self.sign(&["("]) {
                    let args = self.args(")")?;
                    expr = macros::member(self, open, expr, name, args)?;
                } else {
                    expr =
                        self.make(at, Kind::Select { operand: Box::new(expr), field: name, test: false })?;
                }
            } else if let Some((at, _)) = self.sign(&["["]) {
                let optional = self.sign(&["?"]).is_some();
                let index = self.expr()?;
                self.expect("]")?;
                expr = self.call(at, if optional { "_[?_]" } else { "_[_]" }, vec![expr, index])?;
            } else {
                return Ok(expr);
            }
        }
    }

    fn name(&mut self) -> Result<String, Fault> {
        match self.peek().clone() {
            TokenKind::Ident(name) => {
                self.next += 1;
                Ok(name)
            }
            _ => Err(self.unexpected("IDENTIFIER")),
        }
    }

    fn args(&mut self, close: &'static str) -> Result<Vec<Expr>, Fault> {
        let mut args = Vec::new();
        while self.sign(&[close]).is_none() {
            if !args.is_empty() {
                self.expect(",")?;
                if self.sign(&[close]).is_some() {
                    return Ok(args);
                }
            }
            args.push(self.expr()?);
        }
        Ok(args)
    }

    fn primary(&mut self) -> Parsed {
        let at = self.at();
        match self.peek().clone() {
            TokenKind::Literal(Literal::Int(i64::MIN)) => {
                Err(Fault { at, message: "invalid int literal".to_owned() })
            }
            TokenKind::Literal(literal) => {
                self.next += 1;
                self.make(at, Kind::Literal(literal))
            }
            TokenKind::Ident(name) => {
                self.next += 1;
                if RESERVED.contains(&name.as_str()) {
                    return Err(Fault { at, message: format!("reserved identifier: {name}") });
                }
                match self.sign(&["("]) {
                    None => self.make(at, Kind::Ident(name)),
                    Some((open, _)) => {
                        let args = self.args(")")?;
                        macros::global(self, open, name, args)
                    }
                }
            }
            TokenKind::Sign("(") => {
                self.next += 1;
                let inner = self.expr()?;
                self.expect(")")?;
                Ok(inner)
            }
            TokenKind::Sign("[") => self.list(at),
            TokenKind::Sign("{") => self.map(at),
            _ => Err(self.unexpected(
                "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, \
                 IDENTIFIER}",
            )),
        }
    }

    fn list(&mut self, at: usize) -> Parsed {
        self.next += 1;
        let (mut items, mut optional) = (Vec::new(), Vec::new());
        while self.sign(&["]"]).is_none() {
            if !items.is_empty() {
                self.expect(",")?;
                if self.sign(&["]"]).is_some() {
                    break;
                }
            }
            if self.sign(&["?"]).is_some() {
                optional.push(items.len());
            }
            items.push(self.expr()?);
        }
        self.make(at, Kind::List { items, optional })
    }

    fn map(&mut self, at: usize) -> Parsed {
        self.next += 1;
        let mut entries = Vec::new();
        while self.sign(&["}"]).is_none() {
            if !entries.is_empty() {
                self.expect(",")?;
                if self.sign(&["}"]).is_some() {
                    break;
                }
            }
            let optional = self.sign(&["?"]).is_some();
            let key = self.expr()?;
            self.expect(":")?;
            let value = self.expr()?;
            entries.push((key, value, optional));
        }
        self.make(at, Kind::Map(entries))
    }
}

fn highest<'a>(parts: impl Iterator<Item = &'a Expr>) -> usize {
    parts.map(|part| part.height).max().unwrap_or(0)
}

fn show(literal: &Literal) -> String {
    match literal {
        Literal::Null => "null".to_owned(),
        Literal::Bool(flag) => flag.to_string(),
        Literal::Int(number) => number.to_string(),
        Literal::Uint(number) => format!("{number}u"),
        Literal::Double(number) => number.to_string(),
        Literal::String(text) => format!("'{text}'"),
        Literal::Bytes(_) => "b''".to_owned(),
    }
}

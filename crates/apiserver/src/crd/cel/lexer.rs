//! From text to tokens.

use super::syntax::{Fault, Literal};

/// A token and where it begins, in characters.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Token {
    pub(super) at: usize,
    pub(super) kind: TokenKind,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) enum TokenKind {
    Ident(String),
    Literal(Literal),
    Sign(&'static str),
    End,
}

/// Signs, the longer first.
const SIGNS: &[&str] = &[
    "==", "!=", "<=", ">=", "&&", "||", "<", ">", "!", "-", "+", "*", "/", "%", "?", ":", ".", ",", "(", ")",
    "[", "]", "{", "}",
];

/// All tokens of a text, and what in it is none.
pub(super) fn tokens(source: &str) -> (Vec<Token>, Vec<Fault>) {
    let mut lexer = Lexer { chars: source.chars().collect(), at: 0 };
    let (mut tokens, mut faults) = (Vec::new(), Vec::new());
    loop {
        lexer.skip();
        let at = lexer.at;
        match lexer.next() {
            Ok(kind) => {
                let end = kind == TokenKind::End;
                tokens.push(Token { at, kind });
                if end {
                    return (tokens, faults);
                }
            }
            Err(fault) => {
                faults.push(fault);
                lexer.at = lexer.at.max(at + 1);
            }
        }
    }
}

struct Lexer {
    chars: Vec<char>,
    at: usize,
}

impl Lexer {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn fault<T>(&self, at: usize, message: impl Into<String>) -> Result<T, Fault> {
        Err(Fault { at, message: message.into() })
    }

    /// White space and comments.
    fn skip(&mut self) {
        while let Some(c) = self.peek(0) {
            if c == '/' && self.peek(1) == Some('/') {
                while self.peek(0).is_some_and(|c| c != '\n') {
                    self.at += 1;
                }
            } else if matches!(c, ' ' | '\t' | '\r' | '\n' | '\u{c}') {
                self.at += 1;
            } else {
                return;
            }
        }
    }

    fn next(&mut self) -> Result<TokenKind, Fault> {
        let Some(c) = self.peek(0) else { return Ok(TokenKind::End) };
        if let Some(literal) = self.string()? {
            return Ok(TokenKind::Literal(literal));
        }
        if c.is_ascii_alphabetic() || c == '_' {
            let start = self.at;
            while self.peek(0).is_some_and(|c| c.is_ascii_alphanumeric() || c == '_') {
                self.at += 1;
            }
            let word: String = self.chars[start..self.at].iter().collect();
            return Ok(match word.as_str() {
                "true" => TokenKind::Literal(Literal::Bool(true)),
                "false" => TokenKind::Literal(Literal::Bool(false)),
                "null" => TokenKind::Literal(Literal::Null),
                "in" => TokenKind::Sign("in"),
                _ => TokenKind::Ident(word),
            });
        }
        let fraction = c == '.' && self.peek(1).is_some_and(|c| c.is_ascii_digit());
        if c.is_ascii_digit() || fraction {
            return self.number().map(TokenKind::Literal);
        }
        for sign in SIGNS {
            if sign.chars().enumerate().all(|(ahead, c)| self.peek(ahead) == Some(c)) {
                self.at += sign.len();
                return Ok(TokenKind::Sign(sign));
            }
        }
        self.fault(self.at, format!("Syntax error: token recognition error at: '{c}'"))
    }

    fn digits(&mut self, is_digit: impl Fn(char) -> bool) -> String {
        let start = self.at;
        while self.peek(0).is_some_and(&is_digit) {
            self.at += 1;
        }
        self.chars[start..self.at].iter().collect()
    }

    fn number(&mut self) -> Result<Literal, Fault> {
        let start = self.at;
        if self.peek(0) == Some('0') && matches!(self.peek(1), Some('x' | 'X')) {
            self.at += 2;
            let digits = self.digits(|c| c.is_ascii_hexdigit());
            return self.whole(start, &digits, 16);
        }
        let mut text = self.digits(|c| c.is_ascii_digit());
        let mut double = false;
        if self.peek(0) == Some('.') && self.peek(1).is_some_and(|c| c.is_ascii_digit()) {
            self.at += 1;
            double = true;
            text = format!("{text}.{}", self.digits(|c| c.is_ascii_digit()));
        }
        let signed =
            matches!(self.peek(1), Some('+' | '-')) && self.peek(2).is_some_and(|c| c.is_ascii_digit());
        if matches!(self.peek(0), Some('e' | 'E'))
            && (signed || self.peek(1).is_some_and(|c| c.is_ascii_digit()))
        {
            self.at += 1;
            double = true;
            let sign = if signed {
                self.at += 1;
                self.chars[self.at - 1]
            } else {
                '+'
            };
            text = format!("{text}e{sign}{}", self.digits(|c| c.is_ascii_digit()));
        }
        if !double {
            return self.whole(start, &text, 10);
        }
        match text.parse::<f64>() {
            Ok(number) => Ok(Literal::Double(number)),
            Err(_) => self.fault(start, "invalid double literal"),
        }
    }

    fn whole(&mut self, start: usize, digits: &str, radix: u32) -> Result<Literal, Fault> {
        if matches!(self.peek(0), Some('u' | 'U')) {
            self.at += 1;
            let number = u64::from_str_radix(digits, radix).map(Literal::Uint);
            return number.or_else(|_| self.fault(start, "invalid uint literal"));
        }
        match u64::from_str_radix(digits, radix) {
            Ok(number) if number <= i64::MAX as u64 => Ok(Literal::Int(number as i64)),
            // Only its negative is a number; the parser sees to that.
            Ok(number) if number == 1 << 63 => Ok(Literal::Int(i64::MIN)),
            _ => self.fault(start, "invalid int literal"),
        }
    }

    /// A text or bytes, if one begins here.
    fn string(&mut self) -> Result<Option<Literal>, Fault> {
        let (mut ahead, mut raw, mut bytes) = (0, false, false);
        while let Some(c) = self.peek(ahead) {
            match c {
                'r' | 'R' if !raw => raw = true,
                'b' | 'B' if !bytes && !raw => bytes = true,
                '\'' | '"' => break,
                _ => return Ok(None),
            }
            ahead += 1;
        }
        let (start, Some(quote)) = (self.at, self.peek(ahead)) else { return Ok(None) };
        self.at += ahead;
        let triple = self.peek(1) == Some(quote) && self.peek(2) == Some(quote);
        let width = if triple { 3 } else { 1 };
        self.at += width;
        let mut text = Text { bytes, out: Vec::new() };
        loop {
            let closes = (0..width).all(|ahead| self.peek(ahead) == Some(quote));
            match self.peek(0) {
                _ if closes => break,
                None => return self.unclosed(start),
                Some('\n' | '\r') if !triple => return self.unclosed(start),
                Some('\\') if !raw => self.escape(&mut text)?,
                Some(c) => {
                    text.push(c);
                    self.at += 1;
                }
            }
        }
        self.at += width;
        Ok(Some(match String::from_utf8(text.out) {
            Ok(string) if !bytes => Literal::String(string),
            Ok(string) => Literal::Bytes(string.into_bytes()),
            Err(error) => Literal::Bytes(error.into_bytes()),
        }))
    }

    fn unclosed<T>(&mut self, start: usize) -> Result<T, Fault> {
        let rest: String = self.chars[start..].iter().collect();
        self.at = self.chars.len();
        self.fault(start, format!("Syntax error: token recognition error at: '{rest}'"))
    }

    fn escape(&mut self, text: &mut Text) -> Result<(), Fault> {
        let start = self.at;
        let Some(c) = self.peek(1) else { return self.unclosed(start) };
        self.at += 2;
        let simple = match c {
            'a' => '\u{7}',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\u{b}',
            '\\' | '\'' | '"' | '`' | '?' => c,
            'x' | 'X' => return self.code(start, text, 2, 16),
            'u' => return self.code(start, text, 4, 16),
            'U' => return self.code(start, text, 8, 16),
            '0'..='3' => {
                self.at -= 1;
                return self.code(start, text, 3, 8);
            }
            _ => return self.fault(start, format!("Syntax error: token recognition error at: '\\{c}'")),
        };
        text.push(simple);
        Ok(())
    }

    fn code(&mut self, start: usize, text: &mut Text, width: usize, radix: u32) -> Result<(), Fault> {
        let digits: String = self.chars.iter().skip(self.at).take(width).collect();
        let code = u32::from_str_radix(&digits, radix).ok().filter(|_| digits.chars().count() == width);
        self.at += width;
        match code {
            Some(code) if text.bytes && width <= 3 && code <= 0xff => text.out.push(code as u8),
            Some(code) => match char::from_u32(code) {
                Some(c) => text.push(c),
                None => return self.fault(start, "invalid unicode code point"),
            },
            None => return self.fault(start, "Syntax error: token recognition error"),
        }
        Ok(())
    }
}

/// What a literal holds; escapes may make bytes that are no text.
struct Text {
    bytes: bool,
    out: Vec<u8>,
}

impl Text {
    fn push(&mut self, c: char) {
        self.out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    }
}

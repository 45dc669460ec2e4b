//! Strings, with their escapes.

use super::{ParseError, Parser};

impl Parser<'_> {
    /// Reads a string whose quote is next. What is not Unicode is replaced, as in Go.
    pub(super) fn string(&mut self) -> Result<String, ParseError> {
        self.at += 1;
        let mut text = String::new();
        loop {
            let start = self.at;
            while self.peek().is_some_and(|byte| byte >= 0x20 && byte != b'"' && byte != b'\\') {
                self.at += 1;
            }
            text.push_str(&String::from_utf8_lossy(&self.bytes[start..self.at]));
            match self.peek() {
                None => return Err(self.end()),
                Some(b'"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some(b'\\') => {
                    self.at += 1;
                    let escaped = self.escape()?;
                    text.push(escaped);
                }
                Some(byte) => return Err(self.unexpected(byte, "in string literal")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, ParseError> {
        let Some(byte) = self.peek() else { return Err(self.end()) };
        let c = match byte {
            b'"' | b'\\' | b'/' => char::from(byte),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                self.at += 1;
                let unit = self.hex()?;
                return self.unicode(unit);
            }
            other => return Err(self.unexpected(other, "in string escape code")),
        };
        self.at += 1;
        Ok(c)
    }

    fn hex(&mut self) -> Result<u32, ParseError> {
        let mut unit = 0;
        for _ in 0..4 {
            let Some(byte) = self.peek() else { return Err(self.end()) };
            let Some(digit) = char::from(byte).to_digit(16) else {
                return Err(self.unexpected(byte, "in \\u hexadecimal character escape"));
            };
            unit = unit * 16 + digit;
            self.at += 1;
        }
        Ok(unit)
    }

    /// A half of a pair needs the other half; alone it is no character.
    fn unicode(&mut self, unit: u32) -> Result<char, ParseError> {
        if (0xd800..0xdc00).contains(&unit) && self.bytes[self.at..].starts_with(b"\\u") {
            let before = self.at;
            self.at += 2;
            let low = self.hex()?;
            if (0xdc00..0xe000).contains(&low) {
                let code = 0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            self.at = before;
        }
        Ok(char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER))
    }
}

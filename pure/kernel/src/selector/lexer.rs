//! A label selector taken apart into tokens.

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token {
    End,
    Close,
    Comma,
    Not,
    DoubleEquals,
    Equals,
    Greater,
    Identifier,
    In,
    Less,
    NotEquals,
    NotIn,
    Open,
}

impl Token {
    fn of(text: &str) -> Option<Token> {
        Some(match text {
            ")" => Token::Close,
            "," => Token::Comma,
            "!" => Token::Not,
            "==" => Token::DoubleEquals,
            "=" => Token::Equals,
            ">" => Token::Greater,
            "in" => Token::In,
            "<" => Token::Less,
            "!=" => Token::NotEquals,
            "notin" => Token::NotIn,
            "(" => Token::Open,
            _ => return None,
        })
    }
}

/// The tokens of `text`, each as it is written; the last is [`Token::End`].
pub(super) fn tokens(text: &str) -> Vec<(Token, &str)> {
    let mut rest = text;
    let mut tokens = Vec::new();
    loop {
        rest = rest.trim_start_matches(is_space);
        // A NUL is the end of the text to the lexer of Kubernetes, but right after a token it overlooks it.
        let Some(first) = rest.chars().next().filter(|first| *first != '\0') else {
            tokens.push((Token::End, ""));
            return tokens;
        };
        let (token, length) = special(first, rest).unwrap_or_else(|| word(rest));
        tokens.push((token, &rest[..length]));
        rest = &rest[length..];
        rest = rest.strip_prefix('\0').unwrap_or(rest);
    }
}

/// The longest token that the special characters at the beginning of `text` make.
fn special(first: char, text: &str) -> Option<(Token, usize)> {
    let of = |length| Some((Token::of(text.get(..length)?)?, length));
    is_special(first).then(|| of(2).or_else(|| of(1)))?
}

fn word(text: &str) -> (Token, usize) {
    let length = text.find(|c| is_space(c) || is_special(c) || c == '\0').unwrap_or(text.len());
    (Token::of(&text[..length]).unwrap_or(Token::Identifier), length)
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

fn is_special(c: char) -> bool {
    matches!(c, '=' | '!' | '(' | ')' | ',' | '>' | '<')
}

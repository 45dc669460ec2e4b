//! Expressions, as they are after reading.

/// An expression. Its number is an index into what is found out about it.
#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub(super) id: usize,
    /// Where in the text it stands, in characters.
    pub(super) at: usize,
    /// How deep it is: what is too deep is refused, because all walks over it recurse.
    pub(super) height: usize,
    pub(super) kind: Kind,
}

#[derive(Clone, Debug)]
pub(super) enum Kind {
    Literal(Literal),
    Ident(String),
    /// `operand.field`, or `has(operand.field)`.
    Select {
        operand: Box<Expr>,
        field: String,
        test: bool,
    },
    Call {
        function: String,
        target: Option<Box<Expr>>,
        args: Vec<Expr>,
    },
    /// `[a, ?b]`: those whose index is named are optional.
    List {
        items: Vec<Expr>,
        optional: Vec<usize>,
    },
    /// Key, value, and whether the value is optional.
    Map(Vec<(Expr, Expr, bool)>),
    Loop(Box<Loop>),
}

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Literal {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    String(String),
    Bytes(Vec<u8>),
}

/// What all macros over lists and maps become.
#[derive(Clone, Debug)]
pub(super) struct Loop {
    pub(super) range: Expr,
    /// The variable of the item, or of the key or index if there are two.
    pub(super) item: String,
    pub(super) second: Option<String>,
    pub(super) result_name: String,
    pub(super) init: Expr,
    pub(super) condition: Expr,
    pub(super) step: Expr,
    pub(super) result: Expr,
}

impl Loop {
    /// It only gives a value a name.
    pub(super) fn is_binding(&self) -> bool {
        self.result_name != RESULT
    }
}

/// The variable that loops collect their result in: no text can name it.
pub(super) const RESULT: &str = "@result";

/// Why an expression is not accepted, and where.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Fault {
    pub(super) at: usize,
    pub(super) message: String,
}

/// So many faults are told, as by cel-go: each brings its line, and a text may have a fault at every character.
const MOST_FAULTS: usize = 100;
/// A line that is longer is not shown.
const LONGEST_LINE: usize = 16_384;

/// Faults as cel-go reports them: sorted, each with its line and a mark below it.
pub(super) fn report(source: &str, faults: &[Fault]) -> String {
    let mut sorted: Vec<&Fault> = faults.iter().collect();
    sorted.sort_by_key(|fault| fault.at);
    let told = sorted.iter().take(MOST_FAULTS);
    let mut texts: Vec<String> = told.map(|fault| describe(source, fault)).collect();
    if let Some(more @ 1..) = faults.len().checked_sub(MOST_FAULTS) {
        texts.push(format!("{more} more errors were truncated"));
    }
    texts.join("\n")
}

fn describe(source: &str, fault: &Fault) -> String {
    let (mut line, mut column) = (1, 0);
    for c in source.chars().take(fault.at) {
        column += 1;
        if c == '\n' {
            (line, column) = (line + 1, 0);
        }
    }
    let text = source.split('\n').nth(line - 1).unwrap_or_default().replace('\t', " ");
    let place = format!("ERROR: <input>:{line}:{}: {}", column + 1, fault.message);
    if text.len() > LONGEST_LINE {
        return place;
    }
    format!("{place}\n | {text}\n | {}^", ".".repeat(column))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_of_many_faults_is_bounded() {
        let fault = |at| Fault { at, message: "no".to_owned() };
        assert_eq!(report("a $", &[fault(2)]), "ERROR: <input>:1:3: no\n | a $\n | ..^");
        let faults: Vec<_> = (0..100_000).map(fault).collect();
        let told = report(&"$".repeat(100_000), &faults);
        assert!(told.ends_with("ERROR: <input>:1:100: no\n99900 more errors were truncated"), "{told}");
        assert!(told.len() < 10_000);
        let told = report(&"$".repeat(16_384), &faults[..16_384]);
        assert!(told.len() < 4 << 20, "{} bytes", told.len());
    }
}

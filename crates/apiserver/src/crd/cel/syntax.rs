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

/// Faults as cel-go reports them: sorted, each with its line and a mark below it.
pub(super) fn report(source: &str, faults: &[Fault]) -> String {
    let mut sorted: Vec<&Fault> = faults.iter().collect();
    sorted.sort_by_key(|fault| fault.at);
    let texts: Vec<String> = sorted.into_iter().map(|fault| describe(source, fault)).collect();
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
    let dots = ".".repeat(column);
    format!("ERROR: <input>:{line}:{}: {}\n | {text}\n | {dots}^", column + 1, fault.message)
}

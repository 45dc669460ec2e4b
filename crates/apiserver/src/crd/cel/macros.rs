//! Macros: what looks like a call and is a loop, a test or a name.

use super::parser::Parser;
use super::syntax::{Expr, Fault, Kind, Literal, Loop, RESULT};

type Expanded = Result<Expr, Fault>;

/// A call without a target.
pub(super) fn global(parser: &mut Parser, at: usize, name: String, mut args: Vec<Expr>) -> Expanded {
    if name == "has" && args.len() == 1 {
        let arg = args.remove(0);
        return match arg.kind {
            Kind::Select { operand, field, test: false } => {
                parser.make(at, Kind::Select { operand, field, test: true })
            }
            _ => Err(Fault { at: arg.at, message: "invalid argument to has() macro".to_owned() }),
        };
    }
    parser.call(at, &name, args)
}

/// A call with a target.
pub(super) fn member(
    parser: &mut Parser,
    at: usize,
    target: Expr,
    name: String,
    args: Vec<Expr>,
) -> Expanded {
    let shape = match (name.as_str(), args.len()) {
        ("all" | "exists" | "exists_one" | "map" | "filter", 2) => Shape { variables: 1, filtered: false },
        ("map", 3) => Shape { variables: 1, filtered: true },
        ("all" | "exists" | "exists_one" | "existsOne", 3) => Shape { variables: 2, filtered: false },
        ("transformList" | "transformMap" | "transformMapEntry", 3) => {
            Shape { variables: 2, filtered: false }
        }
        ("transformList" | "transformMap" | "transformMapEntry", 4) => Shape { variables: 2, filtered: true },
        ("optMap" | "optFlatMap", 2) => return optional(parser, at, target, &name, args),
        _ => {
            let target = Some(Box::new(target));
            return parser.make(at, Kind::Call { function: name, target, args });
        }
    };
    let mut args = args.into_iter();
    let mut names = Vec::new();
    for variable in args.by_ref().take(shape.variables) {
        match &variable.kind {
            Kind::Ident(name) if names.contains(name) => {
                return Err(Fault { at: variable.at, message: format!("duplicate variable name: {name}") });
            }
            Kind::Ident(name) => names.push(name.clone()),
            _ => return Err(Fault { at: variable.at, message: "argument must be a simple name".to_owned() }),
        }
    }
    let filter = if shape.filtered { args.next() } else { None };
    let Some(body) = args.next() else { return Err(Fault { at, message: "too few arguments".to_owned() }) };
    let mut maker = Maker { parser, at };
    let parts = maker.parts(&name, &names, filter, body)?;
    let mut names = names.into_iter();
    let (item, second) = (names.next().unwrap_or_default(), names.next());
    let result_name = RESULT.to_owned();
    let Parts { init, condition, step, result } = parts;
    let inner = Loop { range: target, item, second, result_name, init, condition, step, result };
    parser.make(at, Kind::Loop(Box::new(inner)))
}

struct Shape {
    variables: usize,
    filtered: bool,
}

struct Parts {
    init: Expr,
    condition: Expr,
    step: Expr,
    result: Expr,
}

struct Maker<'a> {
    parser: &'a mut Parser,
    at: usize,
}

impl Maker<'_> {
    fn literal(&mut self, literal: Literal) -> Expanded {
        self.parser.make(self.at, Kind::Literal(literal))
    }

    fn ident(&mut self, name: &str) -> Expanded {
        self.parser.make(self.at, Kind::Ident(name.to_owned()))
    }

    fn collected(&mut self) -> Expanded {
        self.ident(RESULT)
    }

    fn call(&mut self, function: &str, args: Vec<Expr>) -> Expanded {
        self.parser.call(self.at, function, args)
    }

    fn list(&mut self, items: Vec<Expr>) -> Expanded {
        self.parser.make(self.at, Kind::List { items, optional: Vec::new() })
    }

    fn parts(
        &mut self,
        name: &str,
        names: &[String],
        filter: Option<Expr>,
        body: Expr,
    ) -> Result<Parts, Fault> {
        match name {
            "all" | "exists" => self.quantifier(name == "all", body),
            "exists_one" | "existsOne" => self.exactly_one(body),
            "filter" => {
                let item = self.ident(&names[0])?;
                self.collect(Some(body), item)
            }
            "transformMap" => {
                let key = self.ident(&names[0])?;
                self.insert(filter, vec![key, body])
            }
            "transformMapEntry" => self.insert(filter, vec![body]),
            _ => self.collect(filter, body),
        }
    }

    fn quantifier(&mut self, all: bool, body: Expr) -> Result<Parts, Fault> {
        let init = self.literal(Literal::Bool(all))?;
        let mut going = self.collected()?;
        if !all {
            going = self.call("!_", vec![going])?;
        }
        let condition = self.call("@not_strictly_false", vec![going])?;
        let so_far = self.collected()?;
        let step = self.call(if all { "_&&_" } else { "_||_" }, vec![so_far, body])?;
        Ok(Parts { init, condition, step, result: self.collected()? })
    }

    fn exactly_one(&mut self, body: Expr) -> Result<Parts, Fault> {
        let (init, condition) = (self.literal(Literal::Int(0))?, self.literal(Literal::Bool(true))?);
        let (so_far, one) = (self.collected()?, self.literal(Literal::Int(1))?);
        let more = self.call("_+_", vec![so_far, one])?;
        let so_far = self.collected()?;
        let step = self.call("_?_:_", vec![body, more, so_far])?;
        let (found, one) = (self.collected()?, self.literal(Literal::Int(1))?);
        Ok(Parts { init, condition, step, result: self.call("_==_", vec![found, one])? })
    }

    fn collect(&mut self, filter: Option<Expr>, item: Expr) -> Result<Parts, Fault> {
        let init = self.list(Vec::new())?;
        let (so_far, item) = (self.collected()?, self.list(vec![item])?);
        let step = self.call("_+_", vec![so_far, item])?;
        self.filtered(init, filter, step)
    }

    fn insert(&mut self, filter: Option<Expr>, entry: Vec<Expr>) -> Result<Parts, Fault> {
        let init = self.parser.make(self.at, Kind::Map(Vec::new()))?;
        let mut args = vec![self.collected()?];
        args.extend(entry);
        let step = self.call("cel.@mapInsert", args)?;
        self.filtered(init, filter, step)
    }

    fn filtered(&mut self, init: Expr, filter: Option<Expr>, step: Expr) -> Result<Parts, Fault> {
        let condition = self.literal(Literal::Bool(true))?;
        let step = match filter {
            None => step,
            Some(filter) => {
                let so_far = self.collected()?;
                self.call("_?_:_", vec![filter, step, so_far])?
            }
        };
        Ok(Parts { init, condition, step, result: self.collected()? })
    }

    /// The same expression once more, with numbers of its own.
    fn copy(&mut self, expr: &Expr) -> Expanded {
        let kind = match &expr.kind {
            Kind::Literal(_) | Kind::Ident(_) => expr.kind.clone(),
            Kind::Select { operand, field, test } => {
                let operand = Box::new(self.copy(operand)?);
                Kind::Select { operand, field: field.clone(), test: *test }
            }
            Kind::Call { function, target, args } => {
                let target = target.as_deref().map(|target| self.copy(target)).transpose()?.map(Box::new);
                Kind::Call { function: function.clone(), target, args: self.copies(args)? }
            }
            Kind::List { items, optional } => {
                Kind::List { items: self.copies(items)?, optional: optional.clone() }
            }
            Kind::Map(entries) => {
                let entries = entries.iter();
                let copied = entries.map(|(key, value, opt)| Ok((self.copy(key)?, self.copy(value)?, *opt)));
                Kind::Map(copied.collect::<Result<_, Fault>>()?)
            }
            Kind::Loop(inner) => Kind::Loop(Box::new(Loop {
                range: self.copy(&inner.range)?,
                item: inner.item.clone(),
                second: inner.second.clone(),
                result_name: inner.result_name.clone(),
                init: self.copy(&inner.init)?,
                condition: self.copy(&inner.condition)?,
                step: self.copy(&inner.step)?,
                result: self.copy(&inner.result)?,
            })),
        };
        self.parser.make(expr.at, kind)
    }

    fn copies(&mut self, exprs: &[Expr]) -> Result<Vec<Expr>, Fault> {
        exprs.iter().map(|expr| self.copy(expr)).collect()
    }
}

/// `target.optMap(v, body)`: if there is a value, what the body makes of it.
fn optional(parser: &mut Parser, at: usize, target: Expr, name: &str, args: Vec<Expr>) -> Expanded {
    let mut args = args.into_iter();
    let (Some(variable), Some(body)) = (args.next(), args.next()) else {
        return Err(Fault { at, message: "too few arguments".to_owned() });
    };
    let Kind::Ident(variable_name) = variable.kind else {
        let message = format!("{name}() variable name must be a simple identifier");
        return Err(Fault { at: variable.at, message });
    };
    let mut maker = Maker { parser, at };
    let copy = maker.copy(&target)?;
    let member = |maker: &mut Maker<'_>, function: &str, target: Expr| {
        let target = Some(Box::new(target));
        maker.parser.make(at, Kind::Call { function: function.to_owned(), target, args: Vec::new() })
    };
    let test = member(&mut maker, "hasValue", target)?;
    let value = member(&mut maker, "value", copy)?;
    let inner = Loop {
        range: maker.list(Vec::new())?,
        item: "#unused".to_owned(),
        second: None,
        result_name: variable_name.clone(),
        init: value,
        condition: maker.literal(Literal::Bool(false))?,
        step: maker.ident(&variable_name)?,
        result: body,
    };
    let mut mapped = maker.parser.make(at, Kind::Loop(Box::new(inner)))?;
    if name == "optMap" {
        mapped = maker.call("optional.of", vec![mapped])?;
    }
    let none = maker.call("optional.none", Vec::new())?;
    maker.call("_?_:_", vec![test, mapped, none])
}

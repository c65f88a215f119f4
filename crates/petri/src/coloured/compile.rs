//! Compiles expressions to code, and checks their types.

use super::code::{Code, Op, Shares};
use super::colour::Colour;
use super::fault::Misread;
use super::parse::{Binary, Expr, Node};
use std::collections::BTreeMap;

/// The meaning of a name in a net's text, besides a variable.
#[derive(Clone, Debug, PartialEq)]
pub enum Constant {
    /// A whole number.
    Int(i64),
    /// A real number.
    Real(f64),
    /// False or true.
    Bool(bool),
    /// Whole numbers with weights, for `pick(name)`.
    Shares(Vec<(i64, f64)>),
}

/// The type of an expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    Real,
    Of(Colour),
}

impl Kind {
    fn describe(&self) -> String {
        match self {
            Self::Real => "a real number".to_owned(),
            Self::Of(Colour::Int { .. }) => "a whole number".to_owned(),
            Self::Of(colour) => colour.describe(),
        }
    }
}

/// A compiled expression: operations for each word.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    pub kind: Kind,
    pub parts: Vec<Vec<Op>>,
}

/// Names of a part of a net.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    pub constants: BTreeMap<String, Constant>,
    /// Words of enumerations.
    pub words: BTreeMap<String, (Colour, i64)>,
}

/// Names that a transition's expressions can use.
pub(crate) struct Scope<'a> {
    pub names: &'a Names,
    pub variables: &'a BTreeMap<String, (Colour, u16)>,
    pub picks: Vec<Shares>,
    /// The slot of the current time, if an expression may use it.
    pub time: Option<u16>,
}

const WHOLE: Kind = Kind::Of(Colour::ANY_INT);
const TRUTH: Kind = Kind::Of(Colour::Bool);

impl Scope<'_> {
    /// Code of a condition.
    pub fn condition(&mut self, expr: &Expr) -> Result<Vec<Vec<Op>>, Misread> {
        // Each part of an `and`, and each word of two equal records, is a separate condition.
        match &expr.node {
            Node::Binary(Binary::And, left, right) => {
                let mut parts = self.condition(left)?;
                parts.extend(self.condition(right)?);
                Ok(parts)
            }
            Node::Binary(Binary::Equal, left, right) => {
                let (a, b) = (self.compile(left)?, self.compile(right)?);
                self.equal(expr, a, b)
            }
            _ => {
                let value = self.compile(expr)?;
                if value.kind == TRUTH {
                    Ok(value.parts)
                } else {
                    Err(unfit(expr, &value.kind, "a condition"))
                }
            }
        }
    }

    /// Code of a token of a colour.
    pub fn token(&mut self, expr: &Expr, colour: &Colour) -> Result<Vec<Code>, Misread> {
        let value = self.compile(expr)?;
        if !fits(&value.kind, colour) {
            return Err(unfit(expr, &value.kind, &colour.describe()));
        }
        value.parts.into_iter().map(|ops| self.finish(expr, ops)).collect()
    }

    /// Code of a whole number.
    pub fn whole(&mut self, expr: &Expr) -> Result<Code, Misread> {
        let mut value = self.compile(expr)?;
        match value.kind {
            Kind::Of(Colour::Int { .. }) => self.finish(expr, value.parts.remove(0)),
            kind => {
                Err(unfit(expr, &kind, "a whole number, such as the result of round(), floor() or ceil()"))
            }
        }
    }

    /// Code of a real number.
    pub fn real(&mut self, expr: &Expr) -> Result<Code, Misread> {
        let value = self.compile(expr)?;
        let kind = value.kind.clone();
        let ops = real(value).ok_or_else(|| unfit(expr, &kind, "a number"))?;
        self.finish(expr, ops)
    }

    pub fn finish(&self, expr: &Expr, ops: Vec<Op>) -> Result<Code, Misread> {
        Code::new(folded(ops), &self.picks)
            .ok_or_else(|| Misread::new(expr.at, "an expression that is too long", "a shorter one"))
    }

    fn compile(&mut self, expr: &Expr) -> Result<Value, Misread> {
        let one = |kind: Kind, ops: Vec<Op>| Ok(Value { kind, parts: vec![ops] });
        match &expr.node {
            Node::Int(number) => one(WHOLE, vec![Op::Push(*number)]),
            Node::Real(number) => one(Kind::Real, vec![Op::Push(number.to_bits() as i64)]),
            Node::Any => Err(Misread::new(expr.at, "`_`", "a value; `_` is allowed in input arcs only")),
            Node::Name(name) => self.name(expr, name),
            Node::Field(record, field) => {
                let value = self.compile(record)?;
                let Kind::Of(colour) = &value.kind else {
                    return Err(unfit(record, &value.kind, "a record"));
                };
                let Some((first, colour)) = colour.field(field) else {
                    return Err(Misread::new(expr.at, format!("field `{field}`"), value.kind.describe()));
                };
                let parts = value.parts[first..first + colour.width()].to_vec();
                Ok(Value { kind: Kind::Of(colour.clone()), parts })
            }
            Node::Record(fields, rest) => {
                if *rest {
                    return Err(Misread::new(
                        expr.at,
                        "`...`",
                        "a value for every field; `...` is allowed in input arcs only",
                    ));
                }
                let (mut colours, mut parts) = (Vec::new(), Vec::new());
                let mut in_order: Vec<&(String, Expr)> = fields.iter().collect();
                in_order.sort_by(|(a, _), (b, _)| a.cmp(b));
                for (name, field) in in_order {
                    let value = self.compile(field)?;
                    let Kind::Of(colour) = value.kind else {
                        return Err(unfit(field, &value.kind, "a whole number"));
                    };
                    colours.push((name.clone(), colour));
                    parts.extend(value.parts);
                }
                Ok(Value { kind: Kind::Of(Colour::record(colours)), parts })
            }
            Node::With(record, fields) => {
                let mut value = self.compile(record)?;
                let Kind::Of(colour) = value.kind.clone() else {
                    return Err(unfit(record, &value.kind, "a record"));
                };
                for (name, field) in fields {
                    let Some((first, wanted)) = colour.field(name) else {
                        return Err(Misread::new(field.at, format!("field `{name}`"), value.kind.describe()));
                    };
                    let new = self.compile(field)?;
                    if !fits(&new.kind, wanted) {
                        return Err(unfit(field, &new.kind, &wanted.describe()));
                    }
                    value.parts.splice(first..first + wanted.width(), new.parts);
                }
                Ok(value)
            }
            Node::Not(inner) => {
                let mut value = self.compile(inner)?;
                if value.kind != TRUTH {
                    return Err(unfit(inner, &value.kind, "a condition"));
                }
                value.parts[0].push(Op::Not);
                Ok(value)
            }
            Node::Minus(inner) => {
                let mut value = self.compile(inner)?;
                let op = match value.kind {
                    Kind::Real => Op::RealNegate,
                    Kind::Of(Colour::Int { .. }) => Op::Negate,
                    kind => return Err(unfit(inner, &kind, "a number")),
                };
                value.parts[0].push(op);
                value.kind = if op == Op::Negate { WHOLE } else { Kind::Real };
                Ok(value)
            }
            Node::Binary(operator, left, right) => self.binary(expr, *operator, left, right),
            Node::If(parts) => self.condition_of_values(expr, parts),
            Node::Call(name, arguments) => self.call(expr, name, arguments),
        }
    }

    fn name(&self, expr: &Expr, name: &str) -> Result<Value, Misread> {
        if let Some((colour, first)) = self.variables.get(name) {
            let parts = (0..colour.width() as u16).map(|word| vec![Op::Slot(first + word)]);
            return Ok(Value { kind: Kind::Of(colour.clone()), parts: parts.collect() });
        }
        let one = |kind: Kind, value: i64| Ok(Value { kind, parts: vec![vec![Op::Push(value)]] });
        if let ("time", Some(slot)) = (name, self.time) {
            return Ok(Value { kind: Kind::Real, parts: vec![vec![Op::Slot(slot)]] });
        }
        match (name, self.names.constants.get(name), self.names.words.get(name)) {
            ("true" | "false", ..) => one(TRUTH, i64::from(name == "true")),
            (_, Some(Constant::Int(value)), _) => one(WHOLE, *value),
            (_, Some(Constant::Real(value)), _) => one(Kind::Real, value.to_bits() as i64),
            (_, Some(Constant::Bool(value)), _) => one(TRUTH, i64::from(*value)),
            (_, Some(Constant::Shares(_)), _) => {
                Err(Misread::new(expr.at, format!("`{name}`, values with weights"), format!("pick({name})")))
            }
            (_, None, Some((colour, value))) => one(Kind::Of(colour.clone()), *value),
            _ => {
                let expected =
                    "a variable of an input arc of the transition, a parameter, or a word of an enumeration";
                Err(Misread::new(expr.at, format!("`{name}`"), expected))
            }
        }
    }

    fn equal(&mut self, expr: &Expr, a: Value, b: Value) -> Result<Vec<Vec<Op>>, Misread> {
        let alike = fits_loosely(&a.kind, &b.kind);
        if !alike {
            let expected = format!("two values of the same type; the left value is {}", a.kind.describe());
            return Err(Misread::new(expr.at, b.kind.describe(), expected));
        }
        let reals = a.kind == Kind::Real || b.kind == Kind::Real;
        if reals {
            let (a, b) = (real(a).unwrap_or_default(), real(b).unwrap_or_default());
            return Ok(vec![[a, b, vec![Op::RealEqual]].concat()]);
        }
        if a.parts.is_empty() {
            return Ok(vec![vec![Op::Push(1)]]);
        }
        Ok(a.parts.into_iter().zip(b.parts).map(|(a, b)| [a, b, vec![Op::Equal]].concat()).collect())
    }

    fn binary(&mut self, expr: &Expr, operator: Binary, left: &Expr, right: &Expr) -> Result<Value, Misread> {
        let (a, b) = (self.compile(left)?, self.compile(right)?);
        let truth = |ops: Vec<Op>| Ok(Value { kind: TRUTH, parts: vec![ops] });
        if let Binary::And | Binary::Or = operator {
            for (expr, value) in [(left, &a), (right, &b)] {
                if value.kind != TRUTH {
                    return Err(unfit(expr, &value.kind, "a condition"));
                }
            }
            let (a, b) = (a.parts.concat(), b.parts.concat());
            // The right side is evaluated only if the left side does not decide.
            let decided = vec![Op::Push(i64::from(operator == Binary::Or))];
            return truth(if operator == Binary::And {
                chosen(a, b, decided)
            } else {
                chosen(a, decided, b)
            });
        }
        if let Binary::Equal | Binary::Unequal = operator {
            let parts = self.equal(expr, a, b)?;
            let all = parts.into_iter().reduce(|all, part| chosen(all, part, vec![Op::Push(0)]));
            let mut all = all.unwrap_or_default();
            if operator == Binary::Unequal {
                all.push(Op::Not);
            }
            return truth(all);
        }
        for (expr, value) in [(left, &a), (right, &b)] {
            if !matches!(value.kind, Kind::Real | Kind::Of(Colour::Int { .. })) {
                return Err(unfit(expr, &value.kind, "a number"));
            }
        }
        let reals = a.kind == Kind::Real || b.kind == Kind::Real || operator == Binary::Divide;
        if reals && matches!(operator, Binary::WholeDivide | Binary::Remainder) {
            return Err(Misread::new(expr.at, "a real number", "two whole numbers"));
        }
        let swapped = matches!(operator, Binary::Greater | Binary::GreaterEqual);
        let (op, is_truth) = match (operator, reals) {
            (Binary::Less | Binary::Greater, false) => (Op::Less, true),
            (Binary::Less | Binary::Greater, true) => (Op::RealLess, true),
            (Binary::LessEqual | Binary::GreaterEqual, false) => (Op::LessEqual, true),
            (Binary::LessEqual | Binary::GreaterEqual, true) => (Op::RealLessEqual, true),
            (Binary::Add, false) => (Op::Add, false),
            (Binary::Add, true) => (Op::RealAdd, false),
            (Binary::Subtract, false) => (Op::Subtract, false),
            (Binary::Subtract, true) => (Op::RealSubtract, false),
            (Binary::Multiply, false) => (Op::Multiply, false),
            (Binary::Multiply, true) => (Op::RealMultiply, false),
            (Binary::WholeDivide, _) => (Op::WholeDivide, false),
            (Binary::Remainder, _) => (Op::Remainder, false),
            _ => (Op::RealDivide, false),
        };
        let (a, b) = if reals {
            (real(a).unwrap_or_default(), real(b).unwrap_or_default())
        } else {
            (a.parts.concat(), b.parts.concat())
        };
        let (a, b) = if swapped { (b, a) } else { (a, b) };
        let kind = if is_truth {
            TRUTH
        } else if reals {
            Kind::Real
        } else {
            WHOLE
        };
        Ok(Value { kind, parts: vec![[a, b, vec![op]].concat()] })
    }

    fn condition_of_values(&mut self, expr: &Expr, parts: &[Expr; 3]) -> Result<Value, Misread> {
        let condition = self.compile(&parts[0])?;
        if condition.kind != TRUTH {
            return Err(unfit(&parts[0], &condition.kind, "a condition"));
        }
        let (then, other) = (self.compile(&parts[1])?, self.compile(&parts[2])?);
        if !fits_loosely(&then.kind, &other.kind) {
            let expected =
                format!("two values of the same type; the value after `then` is {}", then.kind.describe());
            return Err(Misread::new(parts[2].at, other.kind.describe(), expected));
        }
        let condition = condition.parts.concat();
        if then.kind == Kind::Real || other.kind == Kind::Real {
            let (then, other) = (real(then).unwrap_or_default(), real(other).unwrap_or_default());
            return Ok(Value { kind: Kind::Real, parts: vec![chosen(condition, then, other)] });
        }
        let kind = if matches!(then.kind, Kind::Of(Colour::Int { .. })) { WHOLE } else { then.kind };
        let both = then.parts.into_iter().zip(other.parts);
        let parts = both.map(|(then, other)| chosen(condition.clone(), then, other)).collect::<Vec<_>>();
        if parts.iter().map(Vec::len).sum::<usize>() > 20_000 {
            return Err(Misread::new(expr.at, "an expression that is too long", "a shorter one"));
        }
        Ok(Value { kind, parts })
    }

    fn call(&mut self, expr: &Expr, name: &str, arguments: &[Expr]) -> Result<Value, Misread> {
        if name == "pick" {
            let shares = match arguments {
                [Expr { node: Node::Name(name), .. }] => match self.names.constants.get(name) {
                    Some(Constant::Shares(shares)) => Some(shares),
                    _ => None,
                },
                _ => None,
            };
            let shares = shares.ok_or_else(|| {
                Misread::new(
                    expr.at,
                    "pick() with an unsuitable argument",
                    "pick(name), where name is a parameter with values and weights",
                )
            })?;
            let sum: f64 = shares.iter().map(|(_, weight)| weight).sum();
            let mut before = 0.0;
            let upto = shares.iter().map(|(_, weight)| {
                before += weight / sum;
                before
            });
            let upto = upto.collect();
            self.picks.push(Shares { values: shares.iter().map(|(value, _)| *value).collect(), upto });
            return Ok(Value { kind: WHOLE, parts: vec![vec![Op::Pick(self.picks.len() as u16 - 1)]] });
        }
        let values: Vec<Value> =
            arguments.iter().map(|argument| self.compile(argument)).collect::<Result<_, _>>()?;
        for (expr, value) in arguments.iter().zip(&values) {
            if !matches!(value.kind, Kind::Real | Kind::Of(Colour::Int { .. })) {
                return Err(unfit(expr, &value.kind, "a number"));
            }
        }
        let reals = values.iter().any(|value| value.kind == Kind::Real);
        match (name, values.len(), reals) {
            ("min" | "max", 2.., _) => {
                let op = match (name, reals) {
                    ("min", false) => Op::Least,
                    ("min", true) => Op::RealLeast,
                    (_, false) => Op::Most,
                    (_, true) => Op::RealMost,
                };
                let mut all: Vec<Op> = Vec::new();
                for (number, value) in values.into_iter().enumerate() {
                    all.extend(if reals { real(value).unwrap_or_default() } else { value.parts.concat() });
                    if number > 0 {
                        all.push(op);
                    }
                }
                Ok(Value { kind: if reals { Kind::Real } else { WHOLE }, parts: vec![all] })
            }
            ("ceil" | "floor" | "round", 1, _) => {
                let op = match name {
                    "ceil" => Op::Ceil,
                    "floor" => Op::Floor,
                    _ => Op::Round,
                };
                let mut ops = values.into_iter().next().and_then(real).unwrap_or_default();
                ops.push(op);
                Ok(Value { kind: WHOLE, parts: vec![ops] })
            }
            ("random", 2, false) => {
                let mut ops: Vec<Op> = values.into_iter().flat_map(|value| value.parts.concat()).collect();
                ops.push(Op::Random);
                Ok(Value { kind: WHOLE, parts: vec![ops] })
            }
            _ => {
                let found = format!("`{name}` with {} arguments", arguments.len());
                let expected = "min(a, b), max(a, b), ceil(a), floor(a), round(a), random(low, high) with whole numbers, pick(name)";
                Err(Misread::new(expr.at, found, expected))
            }
        }
    }
}

fn unfit(expr: &Expr, found: &Kind, expected: &str) -> Misread {
    Misread::new(expr.at, found.describe(), expected)
}

/// Returns whether a value can be a token of a colour; a number's range is tested when the token is made.
fn fits(kind: &Kind, colour: &Colour) -> bool {
    matches!(kind, Kind::Of(found) if alike(found, colour))
}

fn alike(found: &Colour, wanted: &Colour) -> bool {
    match (found, wanted) {
        (Colour::Int { .. }, Colour::Int { .. }) => true,
        (Colour::Record(found), Colour::Record(wanted)) => {
            found.len() == wanted.len()
                && found.iter().zip(wanted.iter()).all(|((a, x), (b, y))| a == b && alike(x, y))
        }
        _ => found == wanted,
    }
}

fn fits_loosely(left: &Kind, right: &Kind) -> bool {
    let number = |kind: &Kind| matches!(kind, Kind::Real | Kind::Of(Colour::Int { .. }));
    match (left, right) {
        (Kind::Of(left), Kind::Of(right)) => alike(left, right),
        _ => number(left) && number(right),
    }
}

/// The operations of a number, as a real one.
fn real(value: Value) -> Option<Vec<Op>> {
    let mut ops = value.parts.into_iter().next()?;
    match value.kind {
        Kind::Real => (),
        Kind::Of(Colour::Int { .. }) => ops.push(Op::ToReal),
        Kind::Of(_) => return None,
    }
    Some(ops)
}

/// One or the other, by a condition.
fn chosen(condition: Vec<Op>, then: Vec<Op>, other: Vec<Op>) -> Vec<Op> {
    let mut ops = condition;
    ops.push(Op::Unless(then.len() as u32 + 1));
    ops.extend(then);
    ops.push(Op::Jump(other.len() as u32));
    ops.extend(other);
    ops
}

/// Evaluates code whose value does not depend on the binding; code that fails is kept and fails when it is
/// evaluated.
fn folded(ops: Vec<Op>) -> Vec<Op> {
    let varies = |op: &Op| matches!(op, Op::Slot(_) | Op::Random | Op::Pick(_));
    if ops.len() == 1 || ops.iter().any(varies) {
        return ops;
    }
    let value =
        Code::new(ops.clone(), &[]).and_then(|code| code.run(&[], &mut linecard_sim::stream(0, "")).ok());
    value.map_or(ops, |value| vec![Op::Push(value)])
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse;
    use super::*;

    fn value(text: &str) -> Result<f64, String> {
        let mut names = Names::default();
        names.constants.insert("banks".into(), Constant::Int(4));
        names.constants.insert("cycle".into(), Constant::Real(2.5));
        let kind = Colour::Enum(["read".to_owned(), "write".to_owned()].into());
        for (number, word) in ["read", "write"].iter().enumerate() {
            names.words.insert((*word).to_owned(), (kind.clone(), number as i64));
        }
        let packet = vec![("size".to_owned(), Colour::ANY_INT), ("kind".to_owned(), kind)];
        let variables = [("p".to_owned(), (Colour::record(packet), 0)), ("b".to_owned(), (Colour::Bool, 2))];
        let variables = variables.into_iter().collect();
        let mut scope = Scope { names: &names, variables: &variables, picks: Vec::new(), time: None };
        let code = scope.real(&parse(text).map_err(|e| format!("{e:?}"))?).map_err(|e| format!("{e:?}"))?;
        let bits = code.run(&[1, 100, 1], &mut linecard_sim::stream(1, "")).map_err(Fault::text)?;
        Ok(f64::from_bits(bits as u64))
    }
    use super::super::fault::Fault;

    #[test]
    fn expressions_have_the_values_that_a_person_reads() {
        for (text, expected) in [
            ("p.size / 8", 12.5),
            ("p.size // 8", 12.0),
            ("-7 // 2", -4.0),
            ("-7 % 2", 1.0),
            ("p.size % banks + 1", 1.0),
            ("if p.kind == write then 2 * cycle else 1", 5.0),
            ("if p.kind == read and 1 // 0 == 1 then 1 else 2", 2.0),
            ("if b or 1 // 0 == 1 then 1 else 2", 1.0),
            ("if not b then 1 else if p.size > 64 then 3 else 4", 3.0),
            ("{p with size: 3}.size + {p with kind: read}.size", 103.0),
            ("if {p with size: 100} == p then 1 else 0", 1.0),
            ("if {p with size: 99} != p and {size: 1, kind: read}.size == 1 then 1 else 0", 1.0),
            ("ceil(p.size / 64) * 64", 128.0),
            ("min(p.size, 64, 80) + max(1, 2.5)", 66.5),
            ("round(2.5) + floor(-0.5)", 2.0),
            ("2 * (3 + 4) - -1", 15.0),
            ("if (if b then 1 else 2) == (if b then 1 else 2) then 7 else 8", 7.0),
        ] {
            assert_eq!(value(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_does_not_go_together_is_told() {
        for (text, part) in [
            ("p + 1", "a record of kind, size"),
            ("if p.size then 1 else 2", "a condition"),
            ("p.length", "field `length`"),
            ("q", "found: \"`q`\""),
            ("p.kind == 1", "two values of the same type"),
            ("if b then p else 1", "two values of the same type"),
            ("p.size // 2.0", "two whole numbers"),
            ("p.size // 0", "division by zero"),
            ("9223372036854775807 + 1", "beyond 64 bits"),
            ("sqrt(2)", "`sqrt` with 1 arguments"),
            ("1 / 0", "division by zero"),
            ("_", "`_`"),
        ] {
            let error = value(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}

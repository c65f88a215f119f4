//! Expressions as text: `if p.size > 32 then {p with bank: 0} else p`.
//!
//! From weak to strong: `or`, `and`, `not`, comparisons (`==` `!=` `<` `<=` `>` `>=`), `+` `-`, `*` `/` `//` `%`, `-`, `.field`.

use super::fault::Misread;

/// A part of an expression, and where it begins in the text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Expr {
    pub node: Node,
    pub at: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    Int(i64),
    Real(f64),
    Name(String),
    /// `_` in a pattern.
    Any,
    Field(Box<Expr>, String),
    /// Fields; with `...` the rest of a pattern may be anything.
    Record(Vec<(String, Expr)>, bool),
    With(Box<Expr>, Vec<(String, Expr)>),
    Not(Box<Expr>),
    Minus(Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    If(Box<[Expr; 3]>),
    Call(String, Vec<Expr>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Or,
    And,
    Equal,
    Unequal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    WholeDivide,
    Remainder,
}

#[derive(Clone, Debug, PartialEq)]
enum Token<'a> {
    Int(i64),
    Real(f64),
    Word(&'a str),
    Sign(&'static str),
    End,
}

const SIGNS: [&str; 22] = [
    "...", "==", "!=", "<=", ">=", "//", "<", ">", "+", "-", "*", "/", "%", "(", ")", "{", "}", ",", ":",
    ".", "[", "]",
];

/// Deepest nesting of an expression.
const DEEPEST: u32 = 60;
/// Most operators in a chain of operands. The depth of the tree of a chain equals the length of the chain, and the
/// functions on trees are recursive.
const MOST_OPERATORS: u32 = 500;

/// Reads an expression.
pub(crate) fn parse(text: &str) -> Result<Expr, Misread> {
    let mut parser = Parser { text, at: 0, token: Token::End, start: 0, depth: 0, operators: 0 };
    parser.advance()?;
    let expr = parser.expression()?;
    match parser.token {
        Token::End => Ok(expr),
        _ => Err(parser.wrong("the end of the expression or an operator")),
    }
}

/// Returns whether a word can name a variable.
pub(crate) fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !["if", "then", "else", "and", "or", "not", "with", "true", "false", "_"].contains(&text)
}

struct Parser<'a> {
    text: &'a str,
    /// Where the next token begins.
    at: usize,
    token: Token<'a>,
    /// Where this token begins.
    start: usize,
    depth: u32,
    operators: u32,
}

impl<'a> Parser<'a> {
    fn wrong(&self, expected: &str) -> Misread {
        let found = match &self.token {
            Token::End => "the end".to_owned(),
            _ => format!("`{}`", &self.text[self.start..self.at]),
        };
        Misread::new(self.start, found, expected)
    }

    fn advance(&mut self) -> Result<(), Misread> {
        let rest = self.text[self.at..].trim_start();
        self.start = self.text.len() - rest.len();
        self.at = self.start;
        let Some(first) = rest.chars().next() else {
            self.token = Token::End;
            return Ok(());
        };
        let length_of = |fits: &dyn Fn(char) -> bool| rest.find(|c| !fits(c)).unwrap_or(rest.len());
        if first.is_ascii_digit() {
            self.number(rest, length_of(&|c: char| c.is_ascii_digit() || c == '_'))
        } else if first.is_ascii_alphabetic() || first == '_' {
            let length = length_of(&|c: char| c.is_ascii_alphanumeric() || c == '_');
            self.token = Token::Word(&rest[..length]);
            self.at += length;
            Ok(())
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            self.token = Token::Sign(sign);
            self.at += sign.len();
            Ok(())
        } else {
            self.at += first.len_utf8();
            Err(Misread::new(self.start, format!("`{first}`"), "a number, a name or an operator"))
        }
    }

    fn number(&mut self, rest: &'a str, digits: usize) -> Result<(), Misread> {
        let bytes = rest.as_bytes();
        let mut length = digits;
        let digit_at = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
        let run = |mut at: usize| {
            while digit_at(at) {
                at += 1;
            }
            at
        };
        if bytes.get(length) == Some(&b'.') && digit_at(length + 1) {
            length = run(length + 1);
        }
        if matches!(bytes.get(length), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
            if digit_at(length + 1 + sign) {
                length = run(length + 1 + sign);
            }
        }
        self.at += length;
        let plain = rest[..length].replace('_', "");
        self.token = if length == digits {
            let number = plain.parse();
            Token::Int(number.map_err(|_| Misread::new(self.start, plain, "a number of 64 bits"))?)
        } else {
            let number = plain.parse();
            Token::Real(number.map_err(|_| Misread::new(self.start, plain, "a number"))?)
        };
        Ok(())
    }

    fn sign(&mut self, sign: &str) -> Result<bool, Misread> {
        let is = matches!(self.token, Token::Sign(found) if found == sign);
        if is {
            self.advance()?;
        }
        Ok(is)
    }

    fn word(&mut self, word: &str) -> Result<bool, Misread> {
        let is = self.token == Token::Word(word);
        if is {
            self.advance()?;
        }
        Ok(is)
    }

    fn need(&mut self, sign: &'static str) -> Result<(), Misread> {
        if self.sign(sign)? { Ok(()) } else { Err(self.wrong(&format!("`{sign}`"))) }
    }

    fn expression(&mut self) -> Result<Expr, Misread> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.wrong("a less deeply nested expression"));
        }
        let at = self.start;
        let expr = if self.word("if")? {
            let condition = self.expression()?;
            if !self.word("then")? {
                return Err(self.wrong("`then`"));
            }
            let then = self.expression()?;
            if !self.word("else")? {
                return Err(self.wrong("`else`"));
            }
            let other = self.expression()?;
            Expr { node: Node::If(Box::new([condition, then, other])), at }
        } else {
            self.binary(0)?
        };
        self.depth -= 1;
        Ok(expr)
    }

    /// Operators of a level and above.
    fn binary(&mut self, level: u32) -> Result<Expr, Misread> {
        if level == 2 {
            let at = self.start;
            if self.word("not")? {
                return Ok(Expr { node: Node::Not(Box::new(self.deeper(|parser| parser.binary(2))?)), at });
            }
        }
        if level == 5 {
            return self.unary();
        }
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = self.operator(level) {
            let at = self.start;
            self.operators += 1;
            if self.operators > MOST_OPERATORS {
                return Err(self.wrong(&format!("an expression with at most {MOST_OPERATORS} operators")));
            }
            self.advance()?;
            let right = self.binary(level + 1)?;
            left = Expr { node: Node::Binary(operator, Box::new(left), Box::new(right)), at };
            if level == 2 && self.operator(2).is_some() {
                return Err(self.wrong("`and` between two comparisons"));
            }
        }
        Ok(left)
    }

    fn deeper(&mut self, read: impl FnOnce(&mut Self) -> Result<Expr, Misread>) -> Result<Expr, Misread> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.wrong("a less deeply nested expression"));
        }
        let expr = read(self);
        self.depth -= 1;
        expr
    }

    fn operator(&self, level: u32) -> Option<Binary> {
        Some(match (&self.token, level) {
            (Token::Word("or"), 0) => Binary::Or,
            (Token::Word("and"), 1) => Binary::And,
            (Token::Sign("=="), 2) => Binary::Equal,
            (Token::Sign("!="), 2) => Binary::Unequal,
            (Token::Sign("<"), 2) => Binary::Less,
            (Token::Sign("<="), 2) => Binary::LessEqual,
            (Token::Sign(">"), 2) => Binary::Greater,
            (Token::Sign(">="), 2) => Binary::GreaterEqual,
            (Token::Sign("+"), 3) => Binary::Add,
            (Token::Sign("-"), 3) => Binary::Subtract,
            (Token::Sign("*"), 4) => Binary::Multiply,
            (Token::Sign("/"), 4) => Binary::Divide,
            (Token::Sign("//"), 4) => Binary::WholeDivide,
            (Token::Sign("%"), 4) => Binary::Remainder,
            _ => return None,
        })
    }

    fn unary(&mut self) -> Result<Expr, Misread> {
        let at = self.start;
        if self.sign("-")? {
            return Ok(Expr { node: Node::Minus(Box::new(self.deeper(Self::unary)?)), at });
        }
        let mut expr = self.primary()?;
        while self.sign(".")? {
            let at = self.start;
            let Token::Word(field) = self.token else { return Err(self.wrong("the name of a field")) };
            self.advance()?;
            expr = Expr { node: Node::Field(Box::new(expr), field.to_owned()), at };
        }
        Ok(expr)
    }

    fn primary(&mut self) -> Result<Expr, Misread> {
        let at = self.start;
        let node = match self.token.clone() {
            Token::Int(number) => {
                self.advance()?;
                Node::Int(number)
            }
            Token::Real(number) => {
                self.advance()?;
                Node::Real(number)
            }
            Token::Word("_") => {
                self.advance()?;
                Node::Any
            }
            Token::Word(word) if is_name(word) || word == "true" || word == "false" => {
                self.advance()?;
                if self.sign("(")? {
                    let mut arguments = Vec::new();
                    while !self.sign(")")? {
                        arguments.push(self.expression()?);
                        if !self.sign(",")? {
                            self.need(")")?;
                            break;
                        }
                    }
                    Node::Call(word.to_owned(), arguments)
                } else {
                    Node::Name(word.to_owned())
                }
            }
            Token::Sign("(") => {
                self.advance()?;
                let inner = self.expression()?;
                self.need(")")?;
                return Ok(inner);
            }
            Token::Sign("{") => self.record()?,
            _ => return Err(self.wrong("a number, a name, `(`, `{` or `if`")),
        };
        Ok(Expr { node, at })
    }

    /// `{field: value, ...}` or `{record with field: value}`.
    fn record(&mut self) -> Result<Node, Misread> {
        self.advance()?;
        let (mut fields, mut rest, mut from) = (Vec::new(), false, None);
        let (at, start, token) = (self.at, self.start, self.token.clone());
        if let Token::Word(_) | Token::Sign("(") = token {
            let first = self.unary()?;
            if self.word("with")? {
                from = Some(first);
            } else {
                (self.at, self.start, self.token) = (at, start, token);
            }
        }
        while !self.sign("}")? {
            if from.is_none() && self.sign("...")? {
                rest = true;
                self.need("}")?;
                break;
            }
            let Token::Word(field) = self.token else { return Err(self.wrong("the name of a field")) };
            if fields.iter().any(|(other, _)| other == field) {
                return Err(self.wrong("each field once"));
            }
            self.advance()?;
            self.need(":")?;
            fields.push((field.to_owned(), self.expression()?));
            if !self.sign(",")? {
                self.need("}")?;
                break;
            }
        }
        Ok(match from {
            Some(from) => Node::With(Box::new(from), fields),
            None => Node::Record(fields, rest),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_is_told_with_its_place() {
        for (text, at, expected) in [
            ("1 +", 3, "a number, a name, `(`, `{` or `if`"),
            ("(1", 2, "`)`"),
            ("{size 3}", 6, "`:`"),
            ("if a then b", 11, "`else`"),
            ("a < b < c", 6, "`and` between two comparisons"),
            ("p.3", 2, "the name of a field"),
            ("a $ b", 2, "a number, a name or an operator"),
            ("99999999999999999999", 0, "a number of 64 bits"),
            ("{a: 1, a: 2}", 7, "each field once"),
            ("x y", 2, "the end of the expression or an operator"),
        ] {
            let error = parse(text).unwrap_err();
            assert_eq!((error.at, error.expected.as_str()), (at, expected), "{text}");
        }
        let deep = format!("{}1{}", "(".repeat(10_000), ")".repeat(10_000));
        assert!(parse(&deep).is_err());
        assert!(parse(&"-".repeat(100_000)).is_err());
        // Chains of operators are deep trees.
        assert!(parse(&format!("1{}", "+1".repeat(MOST_OPERATORS as usize))).is_ok());
        let error = parse(&format!("1{}", "+1".repeat(MOST_OPERATORS as usize + 1))).unwrap_err();
        assert_eq!(error.expected, "an expression with at most 500 operators");
        assert!(parse(&"not ".repeat(100_000)).is_err());
    }

    #[test]
    fn strong_operators_hold_together() {
        let shape = |text: &str| match parse(text).unwrap().node {
            Node::Binary(operator, ..) => operator,
            other => panic!("{other:?}"),
        };
        assert_eq!(shape("a or b and c"), Binary::Or);
        assert_eq!(shape("not a == b and c"), Binary::And);
        assert_eq!(shape("a + b * c"), Binary::Add);
        assert_eq!(shape("a - b - c"), Binary::Subtract);
        assert_eq!(shape("a + 1 <= 2 * b"), Binary::LessEqual);
    }
}

//! Formulas in constraint tables: `RL - WL + tRTRS`, `max(tRTP, 4)`, over the names of a part's timing.

use std::collections::BTreeSet;

/// A formula with its names.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Formula {
    Number(f64),
    Name(String),
    Sum(Box<Formula>, Box<Formula>),
    Difference(Box<Formula>, Box<Formula>),
    Product(Box<Formula>, Box<Formula>),
    Quotient(Box<Formula>, Box<Formula>),
    Max(Box<Formula>, Box<Formula>),
    Min(Box<Formula>, Box<Formula>),
}

impl Formula {
    /// Parses a formula.
    ///
    /// # Errors
    /// A text with the found and the expected symbols.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut parser = Parser { text, at: 0 };
        let formula = parser.sum()?;
        match parser.peek() {
            None => Ok(formula),
            Some(found) => Err(parser.wrong(found, "an operator, or the end of the formula")),
        }
    }

    /// Adds every name in it.
    pub fn names(&self, into: &mut BTreeSet<String>) {
        match self {
            Formula::Number(_) => {}
            Formula::Name(name) => {
                into.insert(name.clone());
            }
            Formula::Sum(a, b)
            | Formula::Difference(a, b)
            | Formula::Product(a, b)
            | Formula::Quotient(a, b)
            | Formula::Max(a, b)
            | Formula::Min(a, b) => {
                a.names(into);
                b.names(into);
            }
        }
    }

    /// Returns its value, if each name has one.
    pub fn value(&self, of: &impl Fn(&str) -> Option<f64>) -> Option<f64> {
        let both = |a: &Formula, b: &Formula| Some((a.value(of)?, b.value(of)?));
        Some(match self {
            Formula::Number(n) => *n,
            Formula::Name(name) => of(name)?,
            Formula::Sum(a, b) => both(a, b).map(|(a, b)| a + b)?,
            Formula::Difference(a, b) => both(a, b).map(|(a, b)| a - b)?,
            Formula::Product(a, b) => both(a, b).map(|(a, b)| a * b)?,
            Formula::Quotient(a, b) => both(a, b).map(|(a, b)| a / b)?,
            Formula::Max(a, b) => both(a, b).map(|(a, b)| a.max(b))?,
            Formula::Min(a, b) => both(a, b).map(|(a, b)| a.min(b))?,
        })
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl Parser<'_> {
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
        self.text[self.at..].chars().next()
    }

    fn eat(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += if found { wanted.len_utf8() } else { 0 };
        found
    }

    fn wrong(&self, found: char, expected: &str) -> String {
        format!("formula `{}`: found `{found}`, expected {expected}", self.text)
    }

    fn sum(&mut self) -> Result<Formula, String> {
        let mut left = self.product()?;
        loop {
            left = if self.eat('+') {
                Formula::Sum(left.into(), self.product()?.into())
            } else if self.eat('-') {
                Formula::Difference(left.into(), self.product()?.into())
            } else {
                return Ok(left);
            };
        }
    }

    fn product(&mut self) -> Result<Formula, String> {
        let mut left = self.term()?;
        loop {
            left = if self.eat('*') {
                Formula::Product(left.into(), self.term()?.into())
            } else if self.eat('/') {
                Formula::Quotient(left.into(), self.term()?.into())
            } else {
                return Ok(left);
            };
        }
    }

    fn term(&mut self) -> Result<Formula, String> {
        if self.eat('(') {
            let inner = self.sum()?;
            return self.close(inner);
        }
        let first = self.peek();
        let word: String = self.text[self.at..]
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.'))
            .collect();
        self.at += word.len();
        match (word.as_str(), first) {
            ("", None) => Err(format!("formula `{}` ends early; expected a name or a number", self.text)),
            ("", Some(found)) => Err(self.wrong(found, "a name or a number")),
            ("max" | "min", _) if self.eat('(') => {
                let a = self.sum()?;
                if !self.eat(',') {
                    return Err(format!("formula `{}`: expected two values in {word}(a, b)", self.text));
                }
                let b = self.sum()?;
                let (a, b) = (a.into(), b.into());
                self.close(if word == "max" { Formula::Max(a, b) } else { Formula::Min(a, b) })
            }
            (_, Some(c)) if c.is_ascii_digit() => word
                .parse()
                .map(Formula::Number)
                .map_err(|_| format!("formula `{}`: `{word}` is not a number", self.text)),
            _ => Ok(Formula::Name(word)),
        }
    }

    fn close(&mut self, inner: Formula) -> Result<Formula, String> {
        match self.eat(')') {
            true => Ok(inner),
            false => Err(format!("formula `{}`: a `)` is missing", self.text)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Formula;

    #[track_caller]
    fn value(text: &str) -> Option<f64> {
        Formula::parse(text).unwrap().value(&|name| match name {
            "RL" => Some(2.5),
            "WL" => Some(1.0),
            "tRTRS" => Some(1.0),
            _ => None,
        })
    }

    #[test]
    fn formulas_have_the_usual_order_of_operations() {
        assert_eq!(value("RL - WL + tRTRS"), Some(2.5));
        assert_eq!(value("2 * (RL + WL) / 7"), Some(1.0));
        assert_eq!(value("max(RL - 4, 0) + min(WL, 3)"), Some(1.0));
        assert_eq!(value("1 - 2 - 3"), Some(-4.0));
        assert_eq!(value("tXYZ"), None);
    }

    #[test]
    fn a_wrong_formula_says_what_was_expected() {
        for (text, expected) in [
            ("RL -", "ends early"),
            ("RL RL", "an operator"),
            ("(RL", "`)` is missing"),
            ("max(RL)", "two values"),
            ("2.3.4", "is not a number"),
            ("#", "a name or a number"),
        ] {
            let message = Formula::parse(text).unwrap_err();
            assert!(message.contains(expected), "{text}: {message}");
        }
    }
}

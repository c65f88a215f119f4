//! Converts Python's dictionaries, strings and numbers to requests: a source from which serde reads Rust types.

use crate::errors;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PySequence, PyString};
use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{DeserializeOwned, Deserializer, Error, Expected, IntoDeserializer, Unexpected, Visitor};
use serde::forward_to_deserialize_any;
use std::fmt;

/// Reads a request.
///
/// # Errors
/// `ConfigError`, with the key whose value has the wrong type.
pub fn from_python<T: DeserializeOwned>(value: &Bound<'_, PyAny>) -> PyResult<T> {
    T::deserialize(Input { value: value.clone(), key: String::new() })
        .map_err(|Wrong { key, message }| errors::request(key, message))
}

/// A Python value and its key.
struct Input<'py> {
    value: Bound<'py, PyAny>,
    key: String,
}

/// A value that has the wrong type.
#[derive(Debug)]
struct Wrong {
    key: String,
    message: String,
}

impl std::error::Error for Wrong {}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.key, self.message)
    }
}

impl Error for Wrong {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self { key: String::new(), message: message.to_string() }
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::custom(format_args!("found {found}, expected {expected}"))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let number = match found {
            Unexpected::Signed(number) => number.to_string(),
            Unexpected::Unsigned(number) => number.to_string(),
            _ => return Self::invalid_type(found, expected),
        };
        let bits = if expected.to_string() == "u32" { 32 } else { 64 };
        Self::custom(format_args!("found {number}, expected a whole number from 0 to 2^{bits} - 1"))
    }
}

impl From<PyErr> for Wrong {
    fn from(error: PyErr) -> Self {
        Self::custom(error)
    }
}

impl<'py> Input<'py> {
    fn of(value: Bound<'py, PyAny>, key: &str) -> Self {
        Self { value, key: key.to_owned() }
    }

    fn visit<'de, V: Visitor<'de>>(&self, visitor: V) -> Result<V::Value, Wrong> {
        let value = &self.value;
        if value.is_none() {
            visitor.visit_unit()
        } else if value.is_instance_of::<PyBool>() {
            visitor.visit_bool(value.extract()?)
        } else if value.is_instance_of::<PyInt>() {
            match (value.extract::<u64>(), value.extract::<i64>()) {
                (Ok(number), _) => visitor.visit_u64(number),
                (_, Ok(number)) => visitor.visit_i64(number),
                _ => {
                    let expected = "expected a whole number from 0 to 2^64 - 1";
                    Err(Wrong::custom(format_args!("found {}, {expected}", value.str()?)))
                }
            }
        } else if value.is_instance_of::<PyFloat>() {
            visitor.visit_f64(value.extract()?)
        } else if let Ok(text) = value.cast::<PyString>() {
            visitor.visit_str(&text.to_cow()?)
        } else if let Ok(map) = value.cast::<PyDict>() {
            let fields = map.iter().map(|(key, value)| {
                let key = key.to_string();
                let input = Self::of(value, &key);
                (key, input)
            });
            visitor.visit_map(MapDeserializer::new(fields))
        } else if let Ok(items) = value.cast::<PySequence>() {
            let items = items.try_iter()?.collect::<PyResult<Vec<_>>>()?;
            visitor.visit_seq(SeqDeserializer::new(items.into_iter().map(|item| Self::of(item, &self.key))))
        } else {
            Err(Wrong::invalid_type(Unexpected::Other(&value.get_type().to_string()), &visitor))
        }
    }

    /// Adds this key to an error that has no key yet.
    fn keyed<T>(&self, result: Result<T, Wrong>) -> Result<T, Wrong> {
        result.map_err(|wrong| match wrong.key.is_empty() {
            true => Wrong { key: self.key.clone(), ..wrong },
            false => wrong,
        })
    }
}

impl<'de> Deserializer<'de> for Input<'_> {
    type Error = Wrong;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        self.keyed(self.visit(visitor))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        match self.value.is_none() {
            true => visitor.visit_none(),
            false => visitor.visit_some(self),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct newtype_struct
        seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de> IntoDeserializer<'de, Wrong> for Input<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

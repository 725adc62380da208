use std::fmt;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Number;

/// A whole number, as it is written.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Integer(Number);

impl Integer {
    /// Returns the number if it fits. `1.0` is 1.
    pub fn as_i64(&self) -> Option<i64> {
        self.0.as_i64().or_else(|| {
            let value = self.0.as_f64()?;
            (value.fract() == 0.0 && value.abs() < 9e15).then_some(value as i64)
        })
    }

    /// Returns the number as it is written.
    pub fn as_number(&self) -> &Number {
        &self.0
    }
}

impl From<i64> for Integer {
    fn from(value: i64) -> Self {
        Integer(value.into())
    }
}

impl fmt::Display for Integer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl<'de> Deserialize<'de> for Integer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = Number::deserialize(deserializer)?;
        let is_whole = number
            .as_str()
            .bytes()
            .all(|byte| byte == b'-' || byte.is_ascii_digit())
            || number.as_f64().is_some_and(|value| value.fract() == 0.0);
        if is_whole {
            Ok(Integer(number))
        } else {
            Err(D::Error::custom(format!("{number} is not a whole number")))
        }
    }
}

/// Reads a field that is there. Absent fields are read as `None`.
fn read_present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Reads a field that must be there, but may be null.
fn read_nullable<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    Option::deserialize(deserializer)
}

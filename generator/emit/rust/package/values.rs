//! JSON values with the numbers, the order of members and the texts of JavaScript.

use std::fmt::{self, Write};
use std::sync::Arc;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// A JSON value.
#[derive(Clone)]
pub enum Json {
    Null,
    Bool(bool),
    Number(f64),
    Text(Arc<str>),
    List(Arc<[Json]>),
    Object(Arc<Object>),
}

/// The members of a JSON object in the order of JavaScript: indexes first, then as they are written.
#[derive(Default)]
pub struct Object(Vec<(Arc<str>, Json)>);

impl Json {
    pub fn as_number(&self) -> Option<f64> {
        match self {
            Json::Number(number) => Some(*number),
            _ => None,
        }
    }

    pub fn as_text(&self) -> Option<&Arc<str>> {
        match self {
            Json::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns an object of machines.json.
    pub fn as_object(&self) -> &Arc<Object> {
        match self {
            Json::Object(object) => object,
            _ => panic!("there is no object"),
        }
    }

    pub fn is_scalar(&self) -> bool {
        !matches!(self, Json::List(_) | Json::Object(_))
    }
}

/// The methods with a name read a part of machines.json.
impl Object {
    pub fn members(&self) -> impl Iterator<Item = (&Arc<str>, &Json)> {
        self.0.iter().map(|(name, value)| (name, value))
    }

    pub fn get(&self, name: &str) -> Option<&Json> {
        self.0
            .iter()
            .find(|(each, _)| **each == *name)
            .map(|(_, value)| value)
    }

    pub fn value(&self, name: &str) -> Json {
        self.get(name).cloned().unwrap_or(Json::Null)
    }

    pub fn text(&self, name: &str) -> &str {
        self.get(name)
            .and_then(Json::as_text)
            .map_or("", |text| text)
    }

    pub fn flag(&self, name: &str) -> bool {
        matches!(self.get(name), Some(Json::Bool(true)))
    }

    pub fn object(&self, name: &str) -> Arc<Object> {
        self.get(name)
            .map(|value| value.as_object().clone())
            .unwrap_or_default()
    }

    pub fn list(&self, name: &str) -> Arc<[Json]> {
        match self.get(name) {
            Some(Json::List(items)) => items.clone(),
            _ => Arc::new([]),
        }
    }

    pub fn objects(&self, name: &str) -> Vec<Arc<Object>> {
        self.list(name)
            .iter()
            .map(|item| item.as_object().clone())
            .collect()
    }
}

/// The name under which serde_json hands over the digits of a number that no integer holds.
const NUMBER: &str = "$serde_json::private::Number";

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Number(value as f64))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Number(value as f64))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Json, E> {
        Ok(Json::Number(value))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Json, E> {
        Ok(Json::Text(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Json::List(list.into()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut members: Vec<(Arc<str>, Json)> = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            if name == NUMBER {
                let digits: String = map.next_value()?;
                return digits.parse().map(Json::Number).map_err(A::Error::custom);
            }
            let value = map.next_value()?;
            match members.iter_mut().find(|(each, _)| **each == *name) {
                Some(member) => member.1 = value,
                None => members.push((name.into(), value)),
            }
        }
        members.sort_by_key(|(name, _)| rank_name(name));
        Ok(Json::Object(Arc::new(Object(members))))
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(JsonVisitor)
    }
}

/// Returns the index that a name stands for; a greater number for other names.
fn rank_name(name: &str) -> u32 {
    match name.parse::<u32>() {
        Ok(index) if index.to_string() == name => index,
        _ => u32::MAX,
    }
}

/// Returns an id as text; `None` if it is neither a text nor a number.
pub fn read_id(value: &Json) -> Option<Arc<str>> {
    match value {
        Json::Text(text) => Some(text.clone()),
        Json::Number(number) => Some(format_number(*number).into()),
        _ => None,
    }
}

/// Returns whether two values are equal. With `as_sets`, the order of lists does not matter.
pub fn is_equal(one: &Json, other: &Json, as_sets: bool) -> bool {
    match (one, other) {
        (Json::Null, Json::Null) => true,
        (Json::Bool(a), Json::Bool(b)) => a == b,
        (Json::Number(a), Json::Number(b)) => a == b,
        (Json::Text(a), Json::Text(b)) => a == b,
        (Json::List(a), Json::List(b)) if as_sets => format_set(a) == format_set(b),
        (Json::List(_), Json::List(_)) | (Json::Object(_), Json::Object(_)) => {
            format_json(one, true) == format_json(other, true)
        }
        _ => false,
    }
}

fn format_set(items: &[Json]) -> Vec<String> {
    let mut texts: Vec<String> = items.iter().map(|item| format_json(item, true)).collect();
    texts.sort_unstable();
    texts
}

/// Formats a value as `JSON.stringify` of JavaScript does.
pub fn format_json(value: &Json, is_sorted: bool) -> String {
    match value {
        Json::Text(text) => format_text(text),
        Json::Number(number) if !number.is_finite() => "null".to_owned(),
        Json::List(items) => {
            let items: Vec<String> = items
                .iter()
                .map(|item| format_json(item, is_sorted))
                .collect();
            format!("[{}]", items.join(","))
        }
        Json::Object(object) => {
            let mut members: Vec<(&Arc<str>, &Json)> = object.members().collect();
            if is_sorted {
                members.sort_unstable_by_key(|(name, _)| *name);
            }
            let members: Vec<String> = members
                .into_iter()
                .map(|(name, value)| {
                    format!("{}:{}", format_text(name), format_json(value, is_sorted))
                })
                .collect();
            format!("{{{}}}", members.join(","))
        }
        _ => format_plain(Some(value)),
    }
}

fn format_text(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\u{8}' => quoted.push_str("\\b"),
            '\t' => quoted.push_str("\\t"),
            '\n' => quoted.push_str("\\n"),
            '\u{c}' => quoted.push_str("\\f"),
            '\r' => quoted.push_str("\\r"),
            '\0'..' ' => write!(quoted, "\\u{:04x}", character as u32).expect("a text can grow"),
            _ => quoted.push(character),
        }
    }
    quoted + "\""
}

/// Formats a value as `String` of JavaScript does.
pub fn format_plain(value: Option<&Json>) -> String {
    match value {
        None => "undefined".to_owned(),
        Some(Json::Null) => "null".to_owned(),
        Some(Json::Bool(value)) => value.to_string(),
        Some(Json::Number(number)) => format_number(*number),
        Some(Json::Text(text)) => text.to_string(),
        Some(Json::List(items)) => {
            let items = items.iter().map(|item| match item {
                Json::Null => String::new(),
                _ => format_plain(Some(item)),
            });
            items.collect::<Vec<String>>().join(",")
        }
        Some(Json::Object(_)) => "[object Object]".to_owned(),
    }
}

/// Formats a number as JavaScript does.
pub fn format_number(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number < 0.0 {
        return format!("-{}", format_number(-number));
    }
    if number.is_infinite() {
        return "Infinity".to_owned();
    }
    let text = format!("{:e}", number.abs());
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if !(-6..21).contains(&exponent) {
        return format!("{mantissa}e{exponent:+}");
    }
    let digits = mantissa.replace('.', "");
    match usize::try_from(exponent) {
        Err(_) => format!(
            "0.{:0>width$}{digits}",
            "",
            width = exponent.unsigned_abs() as usize - 1
        ),
        Ok(exponent) if exponent + 1 < digits.len() => {
            let (whole, fraction) = digits.split_at(exponent + 1);
            format!("{whole}.{fraction}")
        }
        Ok(exponent) => format!("{digits:0<width$}", width = exponent + 1),
    }
}

/// Formats a value for messages as JSON, shortened if it is long.
pub fn quote_value(value: Option<&Json>) -> String {
    let Some(value) = value else {
        return "nothing".to_owned();
    };
    let text = format_json(value, false);
    let units: Vec<u16> = text.encode_utf16().collect();
    if units.len() <= 80 {
        return text;
    }
    String::from_utf16_lossy(&units[..77]) + "…"
}

/// Returns the JSON pointer of a member.
pub fn join_pointer(name: &str) -> String {
    format!("/{}", name.replace('~', "~0").replace('/', "~1"))
}

pub fn split_pointer(pointer: &str) -> Vec<String> {
    let names = pointer.split('/').skip(1);
    names
        .map(|name| name.replace("~1", "/").replace("~0", "~"))
        .collect()
}

/// Returns the part of a value that the names lead to; `None` if there is none.
pub fn find_part(value: &Json, names: &[String]) -> Option<Json> {
    let mut part = value;
    for name in names {
        part = match part {
            Json::Object(object) => object.get(name)?,
            Json::List(items) => items.get(rank_name(name) as usize)?,
            _ => return None,
        };
    }
    Some(part.clone())
}

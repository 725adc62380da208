//! Checks events with the schemas of `validation.json`. Generated packages of all languages give the same verdicts.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value};

/// The reason why a text is not an event.
#[derive(Debug)]
pub enum DecodeError {
    /// The event breaks the contract at these places. There is at least one.
    Invalid(Vec<Issue>),
    /// The text is not JSON, or the types of this crate cannot hold the event.
    Unreadable(serde_json::Error),
}

impl fmt::Display for DecodeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecodeError::Invalid(issues) => {
                for (index, issue) in issues.iter().enumerate() {
                    let separator = if index == 0 { "" } else { "; " };
                    write!(formatter, "{separator}{}: {}", issue.pointer, issue.message)?;
                }
                Ok(())
            }
            DecodeError::Unreadable(error) => error.fmt(formatter),
        }
    }
}

impl std::error::Error for DecodeError {}

impl From<serde_json::Error> for DecodeError {
    fn from(error: serde_json::Error) -> Self {
        DecodeError::Unreadable(error)
    }
}

/// A part of an event that breaks the contract.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Issue {
    /// The JSON pointer of the part. It is empty for the whole event.
    pub pointer: String,
    /// The keyword of JSON Schema that refuses the part.
    pub keyword: &'static str,
    /// What is wrong.
    pub message: String,
}

/// Returns every place at which an event breaks the contract as an error.
pub(super) fn validate_event(event: &Value) -> Result<(), DecodeError> {
    let schemas = &*SCHEMAS;
    let mut report = Report::default();
    (schemas.envelope)(event, &Place::Event, &mut report, None);
    let event_type = event.get(&FILE.discriminator).and_then(Value::as_str);
    if let Some(check) = event_type.and_then(|name| schemas.events.get(name)) {
        check(event, &Place::Event, &mut report, None);
    }
    // The envelope and the body may report the same.
    let mut known = HashSet::new();
    report.issues.retain(|issue| known.insert(issue.clone()));
    if report.issues.is_empty() {
        Ok(())
    } else {
        Err(DecodeError::Invalid(report.issues))
    }
}

/// The compiled schemas of the file.
struct Schemas {
    envelope: Check,
    events: HashMap<String, Check>,
    definitions: HashMap<String, Check>,
}

static SCHEMAS: LazyLock<Schemas> = LazyLock::new(|| Schemas {
    envelope: compile(&FILE.envelope),
    events: compile_all(&FILE.events).into_iter().collect(),
    definitions: compile_all(&FILE.definitions).into_iter().collect(),
});

static FILE: LazyLock<File> = LazyLock::new(|| {
    serde_json::from_str(include_str!("validation.json")).expect("the file is sound")
});

#[derive(Deserialize)]
struct File {
    discriminator: String,
    envelope: Value,
    events: Map<String, Value>,
    definitions: Map<String, Value>,
    patterns: HashMap<String, Pattern>,
    formats: HashMap<String, Pattern>,
}

/// The conditions that a text fulfils.
type Pattern = Vec<TextTest>;

/// A condition on a text, as `generator/contain/regex/portable-pattern.ts` describes it.
#[derive(Deserialize)]
struct TextTest {
    #[serde(default)]
    negate: bool,
    min: Option<usize>,
    max: Option<usize>,
    automaton: (Vec<u32>, Vec<usize>, Vec<Vec<i32>>, Vec<u8>),
}

impl TextTest {
    fn accepts(&self, text: &str) -> bool {
        let (starts, classes, steps, accepting) = &self.automaton;
        let mut state = 0;
        for character in text.chars() {
            let index = starts.partition_point(|&start| start <= character as u32) - 1;
            match usize::try_from(steps[state][classes[index]]) {
                Ok(next) => state = next,
                Err(_) => return steps[state][classes[index]] == -1,
            }
        }
        accepting[state] == 1
    }
}

fn matches(tests: &[TextTest], text: &str) -> bool {
    tests.iter().all(|test| {
        test.accepts(text) != test.negate
            && test.min.is_none_or(|min| text.chars().count() >= min)
            && test.max.is_none_or(|max| text.chars().count() <= max)
    })
}

/// The place of a value: in the value around it, or the whole event.
enum Place<'a> {
    Event,
    Field(&'a Place<'a>, &'a str),
    Item(&'a Place<'a>, usize),
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Event => Ok(()),
            Place::Field(parent, name) => {
                write!(
                    formatter,
                    "{parent}/{}",
                    name.replace('~', "~0").replace('/', "~1")
                )
            }
            Place::Item(parent, index) => write!(formatter, "{parent}/{index}"),
        }
    }
}

#[derive(Default)]
struct Report {
    issues: Vec<Issue>,
    /// The results of definitions that are checked once, by name and pointer.
    results: HashMap<(String, String), (Vec<Issue>, Evaluated)>,
}

impl Report {
    fn add(&mut self, place: &Place, keyword: &'static str, message: impl Into<String>) {
        let (pointer, message) = (place.to_string(), message.into());
        self.issues.push(Issue {
            pointer,
            keyword,
            message,
        });
    }
}

/// What `unevaluatedProperties` and `unevaluatedItems` do not check: fields, and a number of first items.
#[derive(Default, Clone)]
struct Evaluated {
    names: BTreeSet<String>,
    has_all_names: bool,
    items: usize,
}

impl Evaluated {
    fn merge(&mut self, other: &Evaluated) {
        self.names.extend(other.names.iter().cloned());
        self.has_all_names |= other.has_all_names;
        self.items = self.items.max(other.items);
    }
}

/// Reports what a schema refuses in a value, and adds what it evaluates.
type Check = Box<dyn Fn(&Value, &Place, &mut Report, Option<&mut Evaluated>) + Send + Sync>;

/// Runs the check of a branch, and returns whether it accepts the value. Only then its evaluated parts count.
fn accepts(
    check: &Check,
    value: &Value,
    place: &Place,
    report: &mut Report,
    seen: Option<&mut Evaluated>,
) -> bool {
    let start = report.issues.len();
    let Some(seen) = seen else {
        check(value, place, report, None);
        return report.issues.len() == start;
    };
    let mut branch = Evaluated::default();
    check(value, place, report, Some(&mut branch));
    let is_accepted = report.issues.len() == start;
    if is_accepted {
        seen.merge(&branch);
    }
    is_accepted
}

fn compile(schema: &Value) -> Check {
    let Value::Object(members) = schema else {
        if *schema == Value::Bool(true) {
            return Box::new(|_, _, _, _| ());
        }
        return Box::new(|_, place, report, _| {
            report.add(place, "false schema", "is not allowed here");
        });
    };
    let checks: Vec<Check> = KEYWORDS
        .iter()
        .filter_map(|(name, make)| Some(make(name, members.get(*name)?, members)))
        .collect();
    let has_own = ["unevaluatedProperties", "unevaluatedItems"]
        .iter()
        .any(|name| members.contains_key(*name));
    Box::new(move |value, place, report, mut seen| {
        let mut own = Evaluated::default();
        for check in &checks {
            let target = if has_own {
                Some(&mut own)
            } else {
                seen.as_deref_mut()
            };
            check(value, place, report, target);
        }
        if let Some(seen) = seen {
            seen.merge(&own);
        }
    })
}

fn compile_all(schemas: &Map<String, Value>) -> BTreeMap<String, Check> {
    schemas
        .iter()
        .map(|(name, schema)| (name.clone(), compile(schema)))
        .collect()
}

fn compile_map(schemas: &Value) -> BTreeMap<String, Check> {
    schemas
        .as_object()
        .map_or_else(BTreeMap::new, |members| compile_all(members))
}

fn compile_list(schemas: &Value) -> Vec<Check> {
    list_items(schemas)
        .iter()
        .map(|schema| compile(schema))
        .collect()
}

fn list_items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Compiles a keyword: its name, its value, and the schema that has it.
type Make = fn(&'static str, &Value, &Map<String, Value>) -> Check;

/// The keywords in the order in which they are checked: those that depend on the parts that others evaluate are the last.
const KEYWORDS: &[(&str, Make)] = &[
    ("type", compile_types),
    ("const", |name, wanted, _| {
        compile_values(name, wanted, std::slice::from_ref(wanted))
    }),
    ("enum", |name, wanted, _| {
        compile_values(name, wanted, list_items(wanted))
    }),
    ("minimum", |name, wanted, _| {
        limit(name, wanted, to_number, |number, limit| number >= limit)
    }),
    ("maximum", |name, wanted, _| {
        limit(name, wanted, to_number, |number, limit| number <= limit)
    }),
    ("exclusiveMinimum", |name, wanted, _| {
        limit(name, wanted, to_number, |number, limit| number > limit)
    }),
    ("exclusiveMaximum", |name, wanted, _| {
        limit(name, wanted, to_number, |number, limit| number < limit)
    }),
    ("multipleOf", |name, wanted, _| {
        limit(name, wanted, to_number, is_multiple)
    }),
    ("minLength", |name, wanted, _| {
        limit(name, wanted, count_characters, |count, limit| {
            count >= limit
        })
    }),
    ("maxLength", |name, wanted, _| {
        limit(name, wanted, count_characters, |count, limit| {
            count <= limit
        })
    }),
    ("minItems", |name, wanted, _| {
        limit(name, wanted, count_items, |count, limit| count >= limit)
    }),
    ("maxItems", |name, wanted, _| {
        limit(name, wanted, count_items, |count, limit| count <= limit)
    }),
    ("minProperties", |name, wanted, _| {
        limit(name, wanted, count_fields, |count, limit| count >= limit)
    }),
    ("maxProperties", |name, wanted, _| {
        limit(name, wanted, count_fields, |count, limit| count <= limit)
    }),
    ("pattern", |name, wanted, _| {
        compile_text(name, wanted, &FILE.patterns)
    }),
    ("format", |name, wanted, _| {
        compile_text(name, wanted, &FILE.formats)
    }),
    ("uniqueItems", compile_unique),
    ("$ref", compile_reference),
    ("required", compile_required),
    ("properties", compile_properties),
    ("patternProperties", compile_pattern_properties),
    ("additionalProperties", compile_other_properties),
    ("propertyNames", compile_property_names),
    ("dependentRequired", compile_dependent_required),
    ("dependentSchemas", compile_dependent_schemas),
    ("prefixItems", compile_prefix_items),
    ("items", compile_items),
    ("contains", compile_contains),
    ("allOf", compile_all_of),
    ("anyOf", compile_alternatives),
    ("oneOf", compile_alternatives),
    ("not", compile_not),
    ("if", compile_condition),
    ("unevaluatedProperties", compile_other_properties),
    ("unevaluatedItems", compile_items),
];

/// Returns the check of a keyword that reports each value which does not pass a test.
fn assert(
    name: &'static str,
    wanted: &Value,
    test: impl Fn(&Value) -> bool + Send + Sync + 'static,
) -> Check {
    let message = describe(name, wanted);
    Box::new(move |value, place, report, _| {
        if !test(value) {
            report.add(place, name, message.as_str());
        }
    })
}

/// Returns the check of a keyword that limits a size. Values without this size pass.
fn limit(
    name: &'static str,
    wanted: &Value,
    measure: fn(&Value) -> Option<f64>,
    fits: fn(f64, f64) -> bool,
) -> Check {
    let limit = to_number(wanted).unwrap_or_default();
    assert(name, wanted, move |value| {
        measure(value).is_none_or(|size| fits(size, limit))
    })
}

fn describe(name: &str, wanted: &Value) -> String {
    let text = wanted.to_string();
    let short: String = text.chars().take(200).collect();
    let end = if short.len() < text.len() { "…" } else { "" };
    format!("must satisfy \"{name}\": {short}{end}")
}

/// Returns a number as JavaScript has it.
fn to_number(value: &Value) -> Option<f64> {
    value
        .as_number()?
        .as_f64()
        .filter(|number| number.is_finite())
}

fn count_characters(value: &Value) -> Option<f64> {
    value.as_str().map(|text| text.chars().count() as f64)
}

fn count_items(value: &Value) -> Option<f64> {
    value.as_array().map(|items| items.len() as f64)
}

fn count_fields(value: &Value) -> Option<f64> {
    value.as_object().map(|members| members.len() as f64)
}

fn is_multiple(number: f64, step: f64) -> bool {
    let quotient = number / step;
    quotient.abs() < 1e21 && quotient.fract() == 0.0
}

fn has_type(value: &Value, name: &str) -> bool {
    match value {
        Value::Null => name == "null",
        Value::Bool(_) => name == "boolean",
        Value::String(_) => name == "string",
        Value::Array(_) => name == "array",
        Value::Object(_) => name == "object",
        Value::Number(_) => to_number(value)
            .is_some_and(|number| name == "number" || (name == "integer" && number.fract() == 0.0)),
    }
}

fn compile_types(name: &'static str, wanted: &Value, _: &Map<String, Value>) -> Check {
    let types = match wanted {
        Value::String(_) => vec![wanted.clone()],
        _ => list_items(wanted).to_vec(),
    };
    assert(name, wanted, move |value| {
        types
            .iter()
            .any(|each| has_type(value, each.as_str().unwrap_or_default()))
    })
}

/// Returns a text that is equal for equal JSON values only.
fn freeze(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(freeze).collect();
            format!("[{}]", items.join(","))
        }
        Value::Object(members) => {
            let mut members: Vec<String> = members
                .iter()
                .map(|(name, member)| format!("{name:?}:{}", freeze(member)))
                .collect();
            members.sort();
            format!("{{{}}}", members.join(","))
        }
        Value::String(text) => format!("{text:?}"),
        // -0 is 0.
        _ => {
            to_number(value).map_or_else(|| value.to_string(), |number| (number + 0.0).to_string())
        }
    }
}

fn compile_values(name: &'static str, wanted: &Value, values: &[Value]) -> Check {
    let known: HashSet<String> = values.iter().map(freeze).collect();
    assert(name, wanted, move |value| known.contains(&freeze(value)))
}

fn compile_unique(name: &'static str, wanted: &Value, _: &Map<String, Value>) -> Check {
    let is_wanted = *wanted == Value::Bool(true);
    assert(name, wanted, move |value| {
        let items = list_items(value);
        !is_wanted || items.iter().map(freeze).collect::<HashSet<_>>().len() == items.len()
    })
}

fn compile_text(
    name: &'static str,
    wanted: &Value,
    patterns: &'static HashMap<String, Pattern>,
) -> Check {
    let pattern = patterns.get(wanted.as_str().unwrap_or_default());
    assert(name, wanted, move |value| match (value, pattern) {
        (Value::String(text), Some(tests)) => matches(tests, text),
        _ => true,
    })
}

fn compile_reference(_: &'static str, wanted: &Value, _: &Map<String, Value>) -> Check {
    let reference = wanted.as_str().unwrap_or_default();
    let name = reference
        .strip_prefix("#/$defs/")
        .unwrap_or(reference)
        .to_owned();
    let is_once = FILE
        .definitions
        .get(&name)
        .is_some_and(|schema| schema.get("x-accrete-once").is_some());
    Box::new(move |value, place, report, seen| {
        let check = &SCHEMAS.definitions[&name];
        if !is_once {
            check(value, place, report, seen);
            return;
        }
        let key = (name.clone(), place.to_string());
        if let Some((issues, _)) = report.results.get(&key) {
            report.issues.extend(issues.iter().cloned());
        } else {
            let start = report.issues.len();
            let mut own = Evaluated::default();
            check(value, place, report, Some(&mut own));
            let issues = report.issues[start..].iter().take(50).cloned().collect();
            report.results.insert(key.clone(), (issues, own));
        }
        if let Some(seen) = seen {
            seen.merge(&report.results[&key].1);
        }
    })
}

fn compile_required(name: &'static str, wanted: &Value, _: &Map<String, Value>) -> Check {
    let fields = wanted.clone();
    Box::new(move |value, place, report, _| {
        report_missing(name, value, &fields, place, report);
    })
}

/// Reports each field that an object lacks.
fn report_missing(
    keyword: &'static str,
    value: &Value,
    fields: &Value,
    place: &Place,
    report: &mut Report,
) {
    if let Value::Object(members) = value {
        for field in list_items(fields) {
            if !members.contains_key(field.as_str().unwrap_or_default()) {
                report.add(place, keyword, describe(keyword, field));
            }
        }
    }
}

fn compile_dependent_required(
    keyword: &'static str,
    wanted: &Value,
    _: &Map<String, Value>,
) -> Check {
    let dependents = wanted.as_object().cloned().unwrap_or_default();
    Box::new(move |value, place, report, _| {
        for (name, fields) in &dependents {
            if value.get(name).is_some() {
                report_missing(keyword, value, fields, place, report);
            }
        }
    })
}

fn compile_dependent_schemas(_: &'static str, wanted: &Value, _: &Map<String, Value>) -> Check {
    let checks = compile_map(wanted);
    Box::new(move |value, place, report, mut seen| {
        for (name, check) in &checks {
            if value.get(name).is_some() {
                accepts(check, value, place, report, seen.as_deref_mut());
            }
        }
    })
}

fn compile_properties(_: &'static str, wanted: &Value, _: &Map<String, Value>) -> Check {
    let checks = compile_map(wanted);
    Box::new(move |value, place, report, mut seen| {
        for (name, check) in &checks {
            if let Some(member) = value.get(name) {
                check(member, &Place::Field(place, name), report, None);
                if let Some(seen) = seen.as_deref_mut() {
                    seen.names.insert(name.clone());
                }
            }
        }
    })
}

fn compile_pattern_properties(_: &'static str, wanted: &Value, _: &Map<String, Value>) -> Check {
    let checks: Vec<(&Pattern, Check)> = compile_map(wanted)
        .into_iter()
        .map(|(source, check)| (&FILE.patterns[&source], check))
        .collect();
    Box::new(move |value, place, report, mut seen| {
        for (name, member) in value.as_object().into_iter().flatten() {
            for (pattern, check) in &checks {
                if matches(pattern, name) {
                    check(member, &Place::Field(place, name), report, None);
                    if let Some(seen) = seen.as_deref_mut() {
                        seen.names.insert(name.clone());
                    }
                }
            }
        }
    })
}

fn compile_other_properties(
    keyword: &'static str,
    wanted: &Value,
    schema: &Map<String, Value>,
) -> Check {
    let is_unevaluated = keyword == "unevaluatedProperties";
    let list = |name: &str| -> Vec<String> {
        let members = schema.get(name).and_then(Value::as_object);
        members.into_iter().flat_map(Map::keys).cloned().collect()
    };
    let declared: HashSet<String> = list("properties").into_iter().collect();
    let patterns: Vec<&Pattern> = list("patternProperties")
        .iter()
        .map(|source| &FILE.patterns[source])
        .collect();
    let check = compile(wanted);
    let is_refused = *wanted == Value::Bool(false);
    Box::new(move |value, place, report, mut seen| {
        let Value::Object(members) = value else {
            return;
        };
        for (name, member) in members {
            let is_known = match seen.as_deref() {
                Some(seen) if is_unevaluated => seen.has_all_names || seen.names.contains(name),
                _ => {
                    declared.contains(name) || patterns.iter().any(|pattern| matches(pattern, name))
                }
            };
            let field = Place::Field(place, name);
            if is_refused && !is_known {
                report.add(&field, keyword, "is not declared here");
            } else if !is_known {
                check(member, &field, report, None);
            }
        }
        if let Some(seen) = seen.as_deref_mut() {
            seen.has_all_names = true;
        }
    })
}

fn compile_property_names(keyword: &'static str, wanted: &Value, _: &Map<String, Value>) -> Check {
    let check = compile(wanted);
    Box::new(move |value, place, report, _| {
        for name in value.as_object().into_iter().flat_map(Map::keys) {
            if !accepts(&check, &Value::String(name.clone()), place, report, None) {
                report.add(
                    &Place::Field(place, name),
                    keyword,
                    "is a field whose name is not allowed",
                );
            }
        }
    })
}

fn compile_prefix_items(_: &'static str, wanted: &Value, _: &Map<String, Value>) -> Check {
    let checks = compile_list(wanted);
    Box::new(move |value, place, report, seen| {
        let Value::Array(items) = value else { return };
        for (index, (check, item)) in checks.iter().zip(items).enumerate() {
            check(item, &Place::Item(place, index), report, None);
        }
        if let Some(seen) = seen {
            seen.items = seen.items.max(checks.len());
        }
    })
}

fn compile_items(keyword: &'static str, wanted: &Value, schema: &Map<String, Value>) -> Check {
    let is_unevaluated = keyword == "unevaluatedItems";
    let prefix = schema
        .get("prefixItems")
        .map_or(0, |items| list_items(items).len());
    let is_end = *wanted == Value::Bool(false) && (is_unevaluated || prefix > 0);
    let check = compile(wanted);
    Box::new(move |value, place, report, seen| {
        let Value::Array(items) = value else { return };
        let first = match seen.as_deref() {
            Some(seen) if is_unevaluated => seen.items,
            _ => prefix,
        };
        if is_end && items.len() > first {
            report.add(place, keyword, "must not have so many items");
        } else if !is_end {
            for (index, item) in items.iter().enumerate().skip(first) {
                check(item, &Place::Item(place, index), report, None);
            }
        }
        if let Some(seen) = seen {
            seen.items = usize::MAX;
        }
    })
}

fn compile_contains(keyword: &'static str, wanted: &Value, schema: &Map<String, Value>) -> Check {
    let check = compile(wanted);
    // As in the TypeScript validators, a schema that accepts everything evaluates nothing, and another one all items.
    let evaluates = *wanted != Value::Bool(true)
        && wanted.as_object().is_none_or(|members| !members.is_empty());
    let least = schema.get("minContains").and_then(to_number).unwrap_or(1.0);
    let most = schema
        .get("maxContains")
        .and_then(to_number)
        .unwrap_or(f64::INFINITY);
    Box::new(move |value, place, report, seen| {
        let Value::Array(items) = value else { return };
        if least == 0.0 && most.is_infinite() {
            return;
        }
        let start = report.issues.len();
        let mut count = 0.0;
        if least <= most {
            if let (Some(seen), true) = (seen, evaluates) {
                seen.items = usize::MAX;
            }
            for (index, item) in items.iter().enumerate() {
                if accepts(&check, item, &Place::Item(place, index), report, None) {
                    count += 1.0;
                }
                if count > most || (most.is_infinite() && count >= least) {
                    break;
                }
            }
        }
        if least <= count && count <= most {
            report.issues.truncate(start);
        } else {
            report.add(place, keyword, "must have other items");
        }
    })
}

fn compile_all_of(_: &'static str, wanted: &Value, _: &Map<String, Value>) -> Check {
    let checks = compile_list(wanted);
    Box::new(move |value, place, report, mut seen| {
        for check in &checks {
            check(value, place, report, seen.as_deref_mut());
        }
    })
}

fn compile_alternatives(
    keyword: &'static str,
    wanted: &Value,
    schema: &Map<String, Value>,
) -> Check {
    let checks = compile_list(wanted);
    let is_any = keyword == "anyOf";
    // A value with a tag is checked with the alternative that has it.
    let tag = schema.get("x-accrete-tag").map(|tag| {
        let property = tag["property"].as_str().unwrap_or_default().to_owned();
        let values = list_items(&tag["values"]).iter().enumerate();
        let indexes: HashMap<String, usize> = values
            .flat_map(|(index, values)| {
                list_items(values)
                    .iter()
                    .map(move |value| (freeze(value), index))
            })
            .collect();
        (property, indexes)
    });
    Box::new(move |value, place, report, mut seen| {
        let selected = match &tag {
            None => &checks[..],
            Some((property, indexes)) => {
                let kind = value.get(property).map(freeze).unwrap_or_default();
                indexes
                    .get(&kind)
                    .map_or(&checks[..0], |&index| &checks[index..=index])
            }
        };
        let start = report.issues.len();
        let mut count = 0;
        for check in selected {
            if accepts(check, value, place, report, seen.as_deref_mut()) {
                count += 1;
            }
            if (!is_any && count > 1) || (is_any && count == 1 && seen.is_none()) {
                break;
            }
        }
        if count == 1 || (is_any && count > 1) {
            report.issues.truncate(start);
        } else {
            report.add(place, keyword, "must fit the alternatives of the schema");
        }
    })
}

fn compile_not(keyword: &'static str, wanted: &Value, _: &Map<String, Value>) -> Check {
    let check = compile(wanted);
    Box::new(move |value, place, report, _| {
        let start = report.issues.len();
        let fits = accepts(&check, value, place, report, None);
        report.issues.truncate(start);
        if fits {
            report.add(place, keyword, "must not fit the schema below `not`");
        }
    })
}

fn compile_condition(keyword: &'static str, wanted: &Value, schema: &Map<String, Value>) -> Check {
    let condition = compile(wanted);
    let [then, otherwise] =
        ["then", "else"].map(|name| compile(schema.get(name).unwrap_or(&Value::Bool(true))));
    Box::new(move |value, place, report, mut seen| {
        let start = report.issues.len();
        let fits = accepts(&condition, value, place, report, seen.as_deref_mut());
        report.issues.truncate(start);
        let branch = if fits { &then } else { &otherwise };
        if !accepts(branch, value, place, report, seen) {
            report.add(place, keyword, "must fit its condition");
        }
    })
}

//! Classifies the values of a feed: new events, redeliveries, gaps and late events.

use std::collections::HashMap;

use serde::de::Error;
use serde_json::Value;

use super::{decode_event, DecodeError, Event};

const KEY: Option<&[&str]> = Some(&["session_id"]);
pub(super) const SEQUENCE: Option<&str> = Some("sequence");
pub(super) const FIRST: Option<i64> = Some(1);
pub(super) const ID: Option<&str> = Some("event_id");
/// True if no two streams have an event with the same id. Otherwise, each stream has ids of its own.
const SHARES_IDS: bool = false;

const MAX_GAPS: usize = 100;

/// Skipped numbers: those between `after` and `before`, which are not missing themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gap {
    /// The highest number before the gap; `None` if the stream starts above its first number.
    pub after: Option<i64>,
    pub before: i64,
}

/// The position of an event in its stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    /// The key of the stream, as `stream_key` returns it.
    pub stream: String,
    pub sequence: Option<i64>,
}

/// The classification of one value. Show events of the kinds `New` and `Late`.
#[derive(Debug)]
pub enum Delivery {
    /// An event that arrives for the first time, with a number above all earlier ones of its stream.
    New {
        event: Event,
        position: Position,
        gap: Option<Gap>,
        /// Streams that were forgotten in favour of this one, because the limit `streams` is reached.
        evicted: Vec<String>,
    },
    /// An event with a new id whose number is not above the cursor. It may fill a gap.
    Late {
        event: Event,
        position: Position,
        /// The highest number so far.
        cursor: i64,
        /// Whether its number is so old that its id may have been forgotten.
        forgotten: bool,
    },
    /// An event that arrived before. Ignore it.
    Duplicate { event: Event, position: Position },
    /// An event with the id of an earlier event and other content: one of the two is wrong.
    Conflict { event: Event, position: Position },
    /// A value that is not an event of this protocol. It leaves the reader unchanged.
    Invalid(DecodeError),
}

#[derive(Debug)]
struct Stream {
    number: u64,
    cursor: Option<i64>,
    young_from: Option<i64>,
    old_from: Option<i64>,
    last_used: u64,
    gaps: Vec<Gap>,
}

type Ids = HashMap<(u64, String), Value>;

/// Classifies the values of a feed in the order of arrival.
#[derive(Debug)]
pub struct EventReader {
    window: usize,
    max_streams: usize,
    streams: HashMap<String, Stream>,
    young: Ids,
    old: Ids,
    clock: u64,
    stream_count: u64,
}

impl Default for EventReader {
    fn default() -> Self {
        EventReader::new(65_536, 10_000)
    }
}

impl EventReader {
    /// Creates a reader. It remembers at least `window` ids, over all streams, and at most `streams` streams. Beyond
    /// that, the streams without an event for the longest time are forgotten.
    pub fn new(window: usize, streams: usize) -> Self {
        EventReader {
            window,
            max_streams: streams.max(1),
            streams: HashMap::new(),
            young: HashMap::new(),
            old: HashMap::new(),
            clock: 0,
            stream_count: 0,
        }
    }

    /// Continues a stream after a number, as `cursor` returned it before a restart.
    pub fn resume(&mut self, stream: &str, cursor: i64) {
        self.open(stream, Some(cursor));
    }

    /// Classifies a JSON text.
    pub fn read(&mut self, text: &str) -> Delivery {
        self.read_with_id(text, None)
    }

    /// Classifies a JSON text that was sent under an id. The id identifies the event if the protocol has no field for
    /// ids.
    pub fn read_with_id(&mut self, text: &str, id: Option<&str>) -> Delivery {
        let decode = || -> Result<_, DecodeError> {
            let value: Value = serde_json::from_str(text)?;
            let event = decode_event(text)?;
            let sequence = read_sequence(&value)?;
            Ok((value, event, sequence))
        };
        match decode() {
            Ok((value, event, sequence)) => self.place(value, event, sequence, id),
            Err(error) => Delivery::Invalid(error),
        }
    }

    /// Returns the highest number of a stream so far, after which to resume.
    pub fn cursor(&self, stream: &str) -> Option<i64> {
        self.streams.get(stream)?.cursor
    }

    /// Returns the keys of the remembered streams, sorted.
    pub fn streams(&self) -> Vec<&str> {
        let mut keys: Vec<&str> = self.streams.keys().map(String::as_str).collect();
        keys.sort_unstable();
        keys
    }

    /// Returns the gaps of a stream, ascending: numbers that were skipped and did not arrive late.
    pub fn gaps(&self, stream: &str) -> &[Gap] {
        self.streams.get(stream).map_or(&[], |state| &state.gaps)
    }

    /// Forgets a stream that has ended. Its next event starts a new one.
    pub fn forget(&mut self, stream: &str) {
        self.streams.remove(stream);
    }

    fn place(
        &mut self,
        value: Value,
        event: Event,
        sequence: Option<i64>,
        id: Option<&str>,
    ) -> Delivery {
        let stream = stream_key(&value);
        let id = match ID {
            Some(field) => value.get(field).and_then(Value::as_str),
            None => id.filter(|id| !id.is_empty()),
        }
        .map(str::to_owned);
        let mut evicted = Vec::new();
        if !self.streams.contains_key(&stream) {
            evicted = self.make_room();
            self.open(&stream, None);
        }
        self.clock += 1;
        let position = Position { stream, sequence };
        let Some(state) = self.streams.get_mut(&position.stream) else {
            unreachable!("the stream was opened");
        };
        state.last_used = self.clock;
        let has_id = id.is_some();
        if let Some(id) = id {
            let key = (if SHARES_IDS { 0 } else { state.number }, id);
            if let Some(first) = self.young.get(&key).or_else(|| self.old.get(&key)) {
                return if is_same_content(first, &value) {
                    Delivery::Duplicate { event, position }
                } else {
                    Delivery::Conflict { event, position }
                };
            }
            self.young.insert(key, value);
        }
        let delivery = advance(state, event, position, evicted);
        if has_id && self.young.len() >= self.window {
            self.rotate_generation();
        }
        delivery
    }

    fn open(&mut self, stream: &str, cursor: Option<i64>) {
        let state = Stream {
            number: self.stream_count,
            cursor,
            young_from: cursor,
            old_from: cursor,
            last_used: 0,
            gaps: Vec::new(),
        };
        self.stream_count += 1;
        self.streams.insert(stream.to_owned(), state);
    }

    fn make_room(&mut self) -> Vec<String> {
        if self.streams.len() < self.max_streams {
            return Vec::new();
        }
        let mut by_use: Vec<(u64, u64, String)> = self
            .streams
            .iter()
            .map(|(key, state)| (state.last_used, state.number, key.clone()))
            .collect();
        by_use.sort_unstable();
        by_use.truncate(self.max_streams.div_ceil(8));
        let evicted: Vec<String> = by_use.into_iter().map(|(_, _, key)| key).collect();
        for key in &evicted {
            self.streams.remove(key);
        }
        evicted
    }

    fn rotate_generation(&mut self) {
        self.old = std::mem::take(&mut self.young);
        for state in self.streams.values_mut() {
            state.old_from = state.young_from;
            state.young_from = state.cursor;
        }
    }
}

/// Returns the key of the stream of an event: the value of the key field, or the values of several fields joined by `/`,
/// in which `~` and `/` are escaped as in a JSON pointer.
pub fn stream_key(event: &Value) -> String {
    let Some(fields) = KEY else {
        return String::new();
    };
    let values: Vec<String> = fields
        .iter()
        .map(|field| match event.get(field) {
            Some(Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
            None => String::new(),
        })
        .collect();
    match values.as_slice() {
        [value] => value.clone(),
        _ => values
            .iter()
            .map(|value| value.replace('~', "~0").replace('/', "~1"))
            .collect::<Vec<_>>()
            .join("/"),
    }
}

fn read_sequence(event: &Value) -> Result<Option<i64>, DecodeError> {
    let Some(Value::Number(number)) = SEQUENCE.and_then(|field| event.get(field)) else {
        return Ok(None);
    };
    let float = number
        .as_f64()
        .filter(|value| value.fract() == 0.0 && value.abs() < 9e15);
    match number.as_i64().or(float.map(|value| value as i64)) {
        Some(sequence) => Ok(Some(sequence)),
        None => Err(serde_json::Error::custom(format!("{number} cannot order events")).into()),
    }
}

fn advance(state: &mut Stream, event: Event, position: Position, evicted: Vec<String>) -> Delivery {
    let mut gap = None;
    if let Some(sequence) = position.sequence {
        if let Some(cursor) = state.cursor.filter(|cursor| sequence <= *cursor) {
            state.gaps = remove_from_gaps(&state.gaps, sequence);
            let forgotten = state.old_from.is_some_and(|from| sequence <= from);
            return Delivery::Late {
                event,
                position,
                cursor,
                forgotten,
            };
        }
        gap = find_gap(state.cursor, sequence);
        if let Some(gap) = gap {
            add_gap(&mut state.gaps, gap);
        }
        state.cursor = Some(sequence);
    }
    Delivery::New {
        event,
        position,
        gap,
        evicted,
    }
}

fn find_gap(cursor: Option<i64>, sequence: i64) -> Option<Gap> {
    let is_gap = match (cursor, FIRST) {
        (Some(cursor), _) => sequence > cursor + 1,
        (None, Some(first)) => sequence > first,
        (None, None) => false,
    };
    is_gap.then_some(Gap {
        after: cursor,
        before: sequence,
    })
}

fn add_gap(gaps: &mut Vec<Gap>, gap: Gap) {
    if gaps.len() >= MAX_GAPS {
        // The two oldest gaps become one that spans both.
        let oldest = gaps.remove(0);
        gaps[0].after = oldest.after;
    }
    gaps.push(gap);
}

fn remove_from_gaps(gaps: &[Gap], sequence: i64) -> Vec<Gap> {
    let mut left = Vec::new();
    for gap in gaps {
        let after = gap.after.unwrap_or(FIRST.unwrap_or(0) - 1);
        if sequence <= after || sequence >= gap.before {
            left.push(*gap);
            continue;
        }
        if sequence > after + 1 {
            left.push(Gap {
                before: sequence,
                ..*gap
            });
        }
        if sequence < gap.before - 1 {
            left.push(Gap {
                after: Some(sequence),
                ..*gap
            });
        }
    }
    left
}

/// Returns whether two JSON values are equal: numbers by value, objects in any order.
fn is_same_content(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same_content(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(key, a)| b.get(key).is_some_and(|b| is_same_content(a, b)))
        }
        _ => one == other,
    }
}

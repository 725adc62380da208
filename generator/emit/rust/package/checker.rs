//! Checks whether the events of a feed keep the stream rules of the contract.

use std::collections::HashMap;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use super::machine::{name_event, Context, Machine, Memory, Ordered, Step, StreamState};
use super::stream::{FIRST, ID, SEQUENCE};
use super::values::{join_pointer, Json, Object};
use super::{stream_key, DecodeError, Delivery, EventReader, Gap, Position, DISCRIMINATOR};

/// The number of ended streams that are remembered, because more events may arrive for them.
const MAX_FINISHED: usize = 1000;

/// The reading of the contract whose rules are checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// What a consumer may rely on.
    Reader,
    /// What a producer has to do. It includes rules that readers may not rely on.
    Writer,
}

/// A violation of a stream rule of the contract.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The id of the finding, such as `sequence-gap`.
    pub rule: String,
    /// `error`, `warning` or `note`.
    pub severity: String,
    /// One sentence. It may quote text from events.
    pub message: String,
    /// What to do.
    pub hint: String,
    /// A JSON pointer into the event; empty for the whole event.
    pub pointer: String,
    /// The number of the call of `check` that passed the event, from 0 on.
    pub index: usize,
}

/// Checks whether the events of a feed keep the stream rules of the contract. It gives the findings of `accrete validate`.
pub struct StreamChecker {
    reader: EventReader,
    machines: Vec<Machine>,
    types: HashMap<Arc<str>, TypePlan>,
    undeclared: TypePlan,
    after_terminal: Vec<Check>,
    refused: Vec<Check>,
    ends: Vec<Check>,
    shared: Vec<Option<Memory>>,
    live: Ordered<Stream>,
    finished: Ordered<Stream>,
    gaps: u64,
    /// The number of streams that were forgotten, and the index of the event that came when the first of them were.
    forgotten: usize,
    first_forgotten: usize,
    index: usize,
    context: Context,
    /// True if numbers show which events are missing.
    is_numbered: bool,
    /// The fields of the key of streams.
    key: Arc<[Json]>,
}

/// The number of a machine, and that of one of its clauses.
type Check = (usize, usize);

/// The checks of the events of one type, and the meaning of the type for its stream.
#[derive(Default, Clone)]
struct TypePlan {
    checks: Vec<Check>,
    carrier: Option<Arc<str>>,
    is_opening: bool,
    is_terminal: bool,
    is_gap_marker: bool,
}

/// A stream that is open, or that has ended and is remembered.
struct Stream {
    state: StreamState,
    gaps: u64,
    /// True if an event of the stream was refused since its last one.
    has_refusal: bool,
    /// The memories of the machines that had an event of the stream. That of a shared machine stays empty.
    memories: HashMap<usize, Memory>,
}

impl StreamChecker {
    /// Creates a checker of the rules for a profile.
    pub fn new(profile: Profile) -> Self {
        StreamChecker::with_reader(profile, EventReader::default())
    }

    /// Creates a checker with a reader that places the events in their streams: one with other limits, or with streams
    /// to resume.
    pub fn with_reader(profile: Profile, reader: EventReader) -> Self {
        let contract: Json =
            serde_json::from_str(include_str!("machines.json")).expect("the file is JSON");
        let contract = contract.as_object();
        let profile = match profile {
            Profile::Reader => "reader",
            Profile::Writer => "writer",
        };
        let mut context = Context::default();
        for (rule, kind) in contract.object("findings").members() {
            let kind = kind.as_object();
            if kind.text(profile) != "off" {
                let texts = (kind.text(profile).to_owned(), kind.text("hint").to_owned());
                context.kinds.insert(rule.to_string(), texts);
            }
        }
        let sources = contract.objects("machines").into_iter();
        let machines: Vec<Machine> = sources
            .filter(|source| source.get("profile").is_none() || source.text("profile") == profile)
            .map(|source| Machine::compile(&source, &mut context))
            .collect();
        let mut checker = StreamChecker {
            reader,
            types: plan_types(contract),
            undeclared: TypePlan::default(),
            after_terminal: Vec::new(),
            refused: Vec::new(),
            is_numbered: contract.flag("numbered"),
            key: contract.object("stream").list("key"),
            ends: Vec::new(),
            shared: machines.iter().map(|_| None).collect(),
            machines,
            live: Ordered::default(),
            finished: Ordered::default(),
            gaps: 0,
            forgotten: 0,
            first_forgotten: 0,
            index: 0,
            context,
        };
        checker.plan_checks();
        checker
    }

    fn plan_checks(&mut self) {
        for (slot, machine) in self.machines.iter().enumerate() {
            for (clause, (on, _)) in machine.clauses.iter().enumerate() {
                let check = (slot, clause);
                match on {
                    Json::List(types) => {
                        for name in types.iter().filter_map(Json::as_text) {
                            self.types
                                .entry(name.clone())
                                .and_modify(|plan| plan.checks.push(check));
                        }
                    }
                    Json::Text(on) if **on == *"every" => {
                        self.types
                            .values_mut()
                            .for_each(|plan| plan.checks.push(check));
                        self.undeclared.checks.push(check);
                    }
                    Json::Text(on) if **on == *"end" => self.ends.push(check),
                    Json::Text(on) if **on == *"refused" => self.refused.push(check),
                    _ => self.after_terminal.push(check),
                }
            }
        }
    }

    /// Checks the next event of the feed. An error means that the text is not an event. The number of an invalid event is
    /// not missing, but what it said is.
    pub fn check(&mut self, text: &str) -> Result<Vec<Finding>, DecodeError> {
        let index = self.index;
        self.index += 1;
        let delivery = self.reader.read(text);
        if let Delivery::Invalid(error) = delivery {
            self.refuse(text);
            return Err(error);
        }
        let event: Json = serde_json::from_str(text)?;
        let event = event.as_object();
        let event_type = event
            .get(DISCRIMINATOR)
            .and_then(Json::as_text)
            .cloned()
            .unwrap_or_default();
        match delivery {
            Delivery::New {
                position,
                gap,
                evicted,
                ..
            } => {
                if self.forgotten == 0 {
                    self.first_forgotten = index;
                }
                self.forgotten += self.evict(&evicted);
                self.accept(event.clone(), event_type, position, gap, index);
            }
            other => self.report_placement(&event_type, other, index),
        }
        Ok(self.take())
    }

    /// Tells the checker that events of any stream may be missing here.
    pub fn mark_gap(&mut self) {
        self.gaps += 1;
    }

    /// Takes note of a text that is not an event, as far as its stream and its number can be read.
    fn refuse(&mut self, text: &str) {
        let Some(key) = self.read_key(text) else {
            if !self.is_numbered {
                self.mark_gap();
            }
            return;
        };
        let key: Arc<str> = key.into();
        let event: Option<Json> = serde_json::from_str(text).ok();
        let number = SEQUENCE
            .and_then(|field| event.as_ref()?.as_object().get(field)?.as_number())
            .filter(|number| number.fract() == 0.0 && number.abs() < 9_007_199_254_740_992.0);
        if number.is_some() {
            self.open(&key, None);
        }
        let Some(stream) = self.live.get_mut(&key).or(self.finished.get_mut(&key)) else {
            return;
        };
        stream.has_refusal |= number.is_some() || !self.is_numbered;
        if number.is_none() {
            return;
        }
        self.context.step = Step {
            sequence: number,
            stream: stream.state.clone(),
            ..Step::default()
        };
        for check in &self.refused {
            run_check(
                &self.machines,
                *check,
                &mut self.shared,
                &mut stream.memories,
                &mut self.context,
            );
        }
    }

    /// Returns the stream of a text that is not an event; `None` if it cannot be read.
    fn read_key(&self, text: &str) -> Option<String> {
        let value: Value = serde_json::from_str(text).ok()?;
        let mut fields = self.key.iter().filter_map(Json::as_text);
        let has_key = fields.all(|field| value.get(&**field).is_some_and(Value::is_string));
        (value.is_object() && has_key).then(|| stream_key(&value))
    }

    /// Creates the state of a stream, if it has none.
    fn open(&mut self, key: &Arc<str>, sequence: Option<i64>) {
        let is_first = FIRST.is_some() && sequence == FIRST;
        if !self.live.has(key) && !self.finished.has(key) {
            let state = StreamState {
                epoch: u64::from(!is_first),
                ..StreamState::default()
            };
            self.live.add(
                key,
                Stream {
                    state,
                    gaps: self.gaps,
                    has_refusal: false,
                    memories: HashMap::new(),
                },
            );
        }
    }

    /// Ends the input, and with it every stream. Returns the findings about incomplete streams.
    pub fn end(&mut self) -> Vec<Finding> {
        while let Some(stream) = self
            .finished
            .remove_oldest()
            .or_else(|| self.live.remove_oldest())
        {
            self.close(stream);
        }
        if self.forgotten > 0 {
            let message = format!(
                "Too many streams are open: {} of them were forgotten.",
                self.forgotten
            );
            self.context.report(
                "stream-limit-reached",
                message,
                String::new(),
                self.first_forgotten,
            );
            self.forgotten = 0;
        }
        self.take()
    }

    fn accept(
        &mut self,
        event: Arc<Object>,
        event_type: Arc<str>,
        position: Position,
        gap: Option<Gap>,
        index: usize,
    ) {
        let plan = self
            .types
            .get(&event_type)
            .unwrap_or(&self.undeclared)
            .clone();
        let key: Arc<str> = position.stream.as_str().into();
        self.open(&key, position.sequence);
        if plan.is_opening {
            if let Some(stream) = self.finished.remove(&key) {
                self.live.add(&key, stream);
            }
        }
        let Some(stream) = self.live.get_mut(&key).or(self.finished.get_mut(&key)) else {
            unreachable!("the stream was added");
        };
        let state = &mut stream.state;
        state.index = index;
        if stream.gaps != self.gaps || stream.has_refusal || gap.is_some() || plan.is_gap_marker {
            state.epoch += 1;
        }
        stream.has_refusal = false;
        stream.gaps = self.gaps;
        if plan.is_opening {
            state.has_ended = false;
            if SEQUENCE.is_none() {
                // Without numbers, an opening event shows that nothing is missing from here on.
                state.complete_epoch = state.epoch;
            }
        }
        let payload = match plan.carrier.as_ref().map(|carrier| event.value(carrier)) {
            Some(Json::Object(payload)) => payload,
            _ => event.clone(),
        };
        self.context.step = Step {
            event,
            payload,
            event_type,
            carrier: plan.carrier.clone(),
            sequence: position.sequence.map(|number| number as f64),
            gap_after: gap.and_then(|gap| gap.after).map(|number| number as f64),
            gap_before: gap.map(|gap| gap.before as f64),
            stream: state.clone(),
        };
        let after_terminal: &[Check] = if state.has_ended {
            &self.after_terminal
        } else {
            &[]
        };
        for check in after_terminal.iter().chain(&plan.checks) {
            run_check(
                &self.machines,
                *check,
                &mut self.shared,
                &mut stream.memories,
                &mut self.context,
            );
        }
        stream.state.is_limit_reported = self.context.step.stream.is_limit_reported;
        if plan.is_terminal {
            stream.state.has_ended = true;
            self.finish(&key);
        }
    }

    /// Remembers an ended stream. It is forgotten once enough other streams have ended after it.
    fn finish(&mut self, key: &Arc<str>) {
        if let Some(stream) = self.live.remove(key) {
            self.finished.add(key, stream);
        }
        if self.finished.len() > MAX_FINISHED {
            if let Some(stream) = self.finished.remove_oldest() {
                self.close(stream);
            }
        }
    }

    /// Forgets streams. Returns how many of them had not ended.
    fn evict(&mut self, keys: &[String]) -> usize {
        let open = self.live.len();
        for key in keys {
            // The rest of an open stream may still come.
            if self.live.remove(key).is_none() {
                if let Some(stream) = self.finished.remove(key) {
                    self.close(stream);
                }
            }
        }
        open - self.live.len()
    }

    fn close(&mut self, mut stream: Stream) {
        self.context.step.stream = stream.state;
        for check in self
            .ends
            .iter()
            .filter(|(slot, _)| stream.memories.contains_key(slot))
            .copied()
            .collect::<Vec<_>>()
        {
            run_check(
                &self.machines,
                check,
                &mut self.shared,
                &mut stream.memories,
                &mut self.context,
            );
        }
    }

    /// Reports the place of an event that is not new in its stream.
    fn report_placement(&mut self, event_type: &str, delivery: Delivery, index: usize) {
        let name = |position: &Position| {
            name_event(event_type, position.sequence.map(|number| number as f64))
        };
        let (rule, message, field) = match &delivery {
            Delivery::Duplicate { position, .. } => {
                let message = format!(
                    "{} was delivered before, with the same content.",
                    name(position)
                );
                ("event-repeated", message, ID)
            }
            Delivery::Conflict { position, .. } => {
                let message = format!(
                    "{} has the id of an event with other content.",
                    name(position)
                );
                ("event-conflict", message, ID)
            }
            Delivery::Late {
                position,
                cursor,
                forgotten,
                ..
            } => {
                let message = format!("{} comes after #{cursor}.", name(position));
                if *forgotten {
                    let message =
                        message + " It may be a redelivery: its id may have been forgotten.";
                    ("sequence-uncertain", message, SEQUENCE)
                } else {
                    ("sequence-late", message, SEQUENCE)
                }
            }
            _ => return,
        };
        self.context.report(
            rule,
            message,
            join_pointer(field.unwrap_or_default()),
            index,
        );
    }

    fn take(&mut self) -> Vec<Finding> {
        std::mem::take(&mut self.context.findings)
    }
}

fn plan_types(contract: &Object) -> HashMap<Arc<str>, TypePlan> {
    let has = |list: &str, name: &Arc<str>| {
        contract
            .list(list)
            .iter()
            .any(|each| each.as_text() == Some(name))
    };
    let payloads = contract.object("payloads");
    let plans = payloads.members().map(|(name, carrier)| {
        let plan = TypePlan {
            checks: Vec::new(),
            carrier: carrier.as_text().cloned(),
            is_opening: has("opening", name),
            is_terminal: has("terminal", name),
            is_gap_marker: has("gapMarkers", name),
        };
        (name.clone(), plan)
    });
    plans.collect()
}

/// Runs a clause with the memory of its machine: that of the stream, or the one that all streams share.
fn run_check(
    machines: &[Machine],
    (slot, clause): Check,
    shared: &mut [Option<Memory>],
    memories: &mut HashMap<usize, Memory>,
    context: &mut Context,
) {
    let machine = &machines[slot];
    let own = memories.entry(slot).or_insert_with(|| {
        if machine.is_shared {
            Memory::new()
        } else {
            machine.start()
        }
    });
    let memory = if machine.is_shared {
        shared[slot].get_or_insert_with(|| machine.start())
    } else {
        own
    };
    std::mem::swap(memory, &mut context.memory);
    (machine.clauses[clause].1)(context);
    std::mem::swap(memory, &mut context.memory);
}

#[cfg(test)]
mod tests {
    use super::super::values::format_json;
    use super::*;

    /// The vectors that `accrete generate --emit vectors` writes beside this crate.
    const VECTORS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../stream-vectors.jsonl");

    #[test]
    fn every_vector_has_the_findings_of_both_profiles() {
        let Ok(text) = std::fs::read_to_string(VECTORS) else {
            eprintln!("{VECTORS} is absent: generate it with --emit vectors");
            return;
        };
        for line in text.lines().skip(1) {
            let vector: Json = serde_json::from_str(line).unwrap();
            let vector = vector.as_object();
            for (name, profile) in [("reader", Profile::Reader), ("writer", Profile::Writer)] {
                let mut checker = StreamChecker::new(profile);
                let events = vector.list("events");
                let check = |event: &Json| checker.check(&format_json(event, false)).unwrap();
                let mut found: Vec<Finding> = events.iter().flat_map(check).collect();
                found.extend(checker.end());
                let describe = |finding: &Finding| {
                    assert_ne!(finding.hint, "");
                    let Finding {
                        rule,
                        severity,
                        message,
                        pointer,
                        index,
                        ..
                    } = finding;
                    format!("{index} {severity} {rule} {pointer} {message}")
                };
                let expected = vector.objects(name).into_iter().map(|finding| {
                    let index = finding.get("index").and_then(Json::as_number).unwrap();
                    let [severity, rule, pointer, message] =
                        ["severity", "rule", "pointer", "message"].map(|name| finding.text(name));
                    format!("{index} {severity} {rule} {pointer} {message}")
                });
                let found: Vec<String> = found.iter().map(describe).collect();
                assert_eq!(
                    found,
                    expected.collect::<Vec<_>>(),
                    "{} ({name})",
                    vector.text("id")
                );
            }
        }
    }
}

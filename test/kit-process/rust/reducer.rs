//! A correct consumer of hecate events: the reducer of test/kit/consumers in Rust. The environment variable BUG names the
//! bug of test/kit/bugs.ts that it has.

mod sse;

use std::collections::{HashMap, HashSet};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::SystemTime;

use serde_json::{json, Map, Value};
use sse::SseParser;

static BUG: LazyLock<String> = LazyLock::new(|| std::env::var("BUG").unwrap_or_default());

/// The payload fields of each event type, with the values of those that are open lists.
static FIELDS: LazyLock<Value> = LazyLock::new(|| {
    let file = std::env::var("PROTOCOL").expect("PROTOCOL names a file");
    let text = std::fs::read_to_string(file).expect("the protocol can be read");
    let protocol: Value = serde_json::from_str(&text).expect("the protocol is JSON");
    protocol["fields"].clone()
});

const ICONS: [(&str, &str); 14] = [
    ("shell", "$"),
    ("mcp", "⇄"),
    ("file", "✎"),
    ("file_read", "→"),
    ("file_write", "✎"),
    ("edit", "✎"),
    ("multi_edit", "✎"),
    ("glob", "?"),
    ("grep", "?"),
    ("http", "⇄"),
    ("web_fetch", "⇄"),
    ("web_search", "?"),
    ("todo_write", "☐"),
    ("git", "±"),
];

fn has_bug(name: &str) -> bool {
    *BUG == name
}

fn find_icon(kind: &Value) -> Option<&'static str> {
    let row = ICONS.iter().find(|(name, _)| kind == name)?;
    Some(row.1)
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

/// Returns true if a writer may send the event: no unknown fields, no unknown values of open lists.
fn is_strict(event: &Value) -> bool {
    let fields = &FIELDS[text(event, "type")];
    let payload = event["data"].as_object().cloned().unwrap_or_default();
    payload.iter().all(|(name, value)| match fields.get(name) {
        None => false,
        Some(Value::Array(values)) => values.contains(value),
        Some(_) => true,
    })
}

/// Recognises redeliveries and gaps.
#[derive(Default)]
struct Reader {
    ids: HashSet<(String, String)>,
    cursors: HashMap<String, i64>,
    gaps: HashMap<String, Vec<(i64, i64)>>,
}

impl Reader {
    /// Returns true if the event is a redelivery.
    fn read(&mut self, stream: &str, event: &Value) -> bool {
        let id = text(event, "event_id").to_owned();
        if !self.ids.insert((stream.to_owned(), id)) {
            return true;
        }
        let number = event["sequence"].as_i64().unwrap_or_default();
        let cursor = self.cursors.entry(stream.to_owned()).or_insert(-1);
        let gaps = self.gaps.entry(stream.to_owned()).or_default();
        gaps.push((*cursor, number.max(*cursor)));
        *cursor = number.max(*cursor);
        let divide = |&(after, before): &(i64, i64)| {
            if after < number && number < before {
                vec![(after, number), (number, before)]
            } else {
                vec![(after, before)]
            }
        };
        let parts = gaps.iter().flat_map(divide);
        *gaps = parts.filter(|(after, before)| before - after > 1).collect();
        false
    }

    fn gaps(&self, stream: &str) -> &[(i64, i64)] {
        self.gaps.get(stream).map_or(&[], Vec::as_slice)
    }
}

#[derive(Default)]
struct Item {
    shown: String,
    text: String,
    done: bool,
    output: Map<String, Value>,
    details: Vec<Value>,
}

#[derive(Default)]
struct Run {
    items: Vec<Item>,
    boxes: HashMap<String, usize>,
    epoch: u32,
    status: String,
    cost: Map<String, Value>,
    last_call: Option<String>,
    asked: Option<String>,
    is_opened: bool,
}

impl Run {
    fn find_item(&mut self, name: &str, id: &str) -> &mut Item {
        let number = id.parse::<i64>().ok();
        let id = match number {
            Some(number) if has_bug("converts ids that look like numbers") => number.to_string(),
            _ => id.to_owned(),
        };
        let next = self.items.len();
        let place = *self.boxes.entry(format!("{name} {id}")).or_insert(next);
        if place == next {
            self.items.push(Item {
                shown: name.to_owned(),
                details: vec![json!(id)],
                ..Item::default()
            });
        }
        &mut self.items[place]
    }

    fn note(&mut self, event: &Value) {
        let first = event["data"]
            .as_object()
            .and_then(|fields| fields.keys().next());
        let text = first.filter(|_| has_bug("uses the first field as the title"));
        self.items.push(Item {
            shown: text_of_type(event),
            text: text.cloned().unwrap_or_default(),
            details: vec![event["data"].clone()],
            ..Item::default()
        });
    }

    fn push_text(&mut self, event: &Value, name: &str, is_whole: bool) {
        let data = &event["data"];
        let turn = &data["turn_index"];
        let index = match has_bug("uses one text for all blocks of a turn") {
            true => String::new(),
            false => data["block_index"].to_string(),
        };
        let id = format!("{} {turn} {index}", self.epoch);
        if is_whole {
            let block = self.find_item(name, &id);
            let whole = text(data, "text");
            if has_bug("appends the complete text to its pieces") {
                block.text.push_str(whole);
            } else if !has_bug("ignores the complete text when there were pieces")
                || block.text.is_empty()
            {
                block.text = whole.to_owned();
            }
            block.done = true;
            return;
        }
        let delta = match text(data, "delta") {
            delta if has_bug("drops the blank before a piece of text") => {
                delta.strip_prefix(' ').unwrap_or(delta)
            }
            delta => delta,
        };
        let is_long = has_bug("drops long pieces") && delta.len() >= 65_536;
        if self.find_item(name, &id).done || is_long {
            return;
        }
        if has_bug("uses one text for all blocks") {
            self.status.push_str(delta);
            return;
        }
        let last = self
            .items
            .iter_mut()
            .rev()
            .find(|item| item.shown == "assistant.text");
        match last {
            Some(last) if has_bug("appends text to the block that started last") => {
                last.text.push_str(delta);
            }
            _ => self.find_item(name, &id).text.push_str(delta),
        }
    }

    fn push_cost(&mut self, event: &Value) {
        let mut cost = event["data"].as_object().cloned().unwrap_or_default();
        if has_bug("adds up costs that are totals") {
            for (name, value) in &mut cost {
                let before = self.cost.get(name).and_then(Value::as_f64);
                if let Some(number) = value.as_f64() {
                    *value = json!(number + before.unwrap_or_default());
                }
            }
        }
        self.cost = cost;
    }

    fn push_call(&mut self, event: &Value, id: &str) -> Result<(), String> {
        let mut id = id.to_owned();
        if has_bug("assigns tool output to the call that started last") {
            if event["type"] == "tool.invoked" {
                self.last_call = Some(id.clone());
            }
            id = self.last_call.clone().unwrap_or(id);
        }
        let kind = &event["data"]["kind"];
        let icon = find_icon(kind);
        if icon.is_none() && !kind.is_null() && has_bug("has no icon for a new kind of tool") {
            return Err(format!("no icon for {kind}"));
        }
        let detail = json!([icon.unwrap_or("•"), event["type"], event["data"]]);
        self.find_item("tool", &id).details.push(detail);
        Ok(())
    }

    fn show(&mut self, key: &str) -> Value {
        let show = |item: &Item| json!({ "shown": item.shown, "text": item.text, "output": item.output, "details": item.details });
        let first = match has_bug("shows only the last hundred items") {
            true => self.items.len().saturating_sub(100),
            false => 0,
        };
        let items: Vec<Value> = self.items.iter().skip(first).map(show).collect();
        if has_bug("empties the list of new items when it draws") {
            self.items.clear();
            self.boxes.clear();
        }
        json!({ "run": key, "items": items, "status": self.status, "cost": self.cost })
    }
}

fn text_of_type(event: &Value) -> String {
    text(event, "type").to_owned()
}

/// Runs by their key, and the keys in the order of their first event.
#[derive(Default)]
struct RunTable {
    keys: Vec<String>,
    runs: HashMap<String, Run>,
}

/// The runs of all consumers, for a bug.
static SHARED: LazyLock<Mutex<RunTable>> = LazyLock::new(Mutex::default);

/// The consumer.
#[derive(Default)]
pub struct Timeline {
    reader: Reader,
    table: RunTable,
    parser: SseParser,
    /// The run in which the id of a call occurred first.
    owners: HashMap<String, String>,
    unknown: Vec<Value>,
    later: Vec<(String, Value)>,
    drawn: Option<Value>,
    is_again: bool,
    numbers: HashMap<i64, String>,
}

impl Timeline {
    /// Exchanges the runs with those of all consumers, if that is the bug.
    fn exchange_runs(&mut self) {
        if has_bug("shares its runs with other consumers") {
            let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::swap(&mut self.table, &mut shared);
        }
    }

    /// Returns the run that shows an event.
    fn find_owner(&mut self, key: &str, event: &Value) -> String {
        let call = event["data"]["tool_call_id"].as_str();
        match call {
            Some(call) if has_bug("merges calls with the same id in two runs") => {
                let first = self.owners.entry(call.to_owned());
                first.or_insert(key.to_owned()).clone()
            }
            _ => key.to_owned(),
        }
    }

    fn find_run(&mut self, key: &str) -> &mut Run {
        if !self.table.runs.contains_key(key) {
            self.table.keys.push(key.to_owned());
        }
        let run = self.table.runs.entry(key.to_owned()).or_default();
        if run.status.is_empty() && has_bug("includes the time of day in the snapshot") {
            run.status = format!("{:?}", SystemTime::now());
        }
        run
    }

    fn reduce(&mut self, key: &str, event: &Value) -> Result<(), String> {
        let data = &event["data"];
        let kind = text(event, "type");
        let run = self.find_run(key);
        match (kind, data["tool_call_id"].as_str()) {
            ("assistant.text_delta", _) => run.push_text(event, "assistant.text", false),
            ("assistant.thinking_delta", _) => run.push_text(event, "assistant.thinking", false),
            ("assistant.text_complete", _) => run.push_text(event, "assistant.text", true),
            ("assistant.thinking_complete", _) => run.push_text(event, "assistant.thinking", true),
            ("cost.tick", _) => run.push_cost(event),
            _ if kind.starts_with("approval.") => {
                let mut id = text(data, "approval_id").to_owned();
                if has_bug("gives an answer to the question that was asked last") {
                    if kind != "approval.requested" {
                        id = run.asked.clone().unwrap_or(id);
                    }
                    run.asked = Some(id.clone());
                }
                let approval = run.find_item("approval", &id);
                if approval.details.len() < 2 || !has_bug("shows an approval as open for ever") {
                    approval.details.push(json!([kind, data]));
                }
            }
            ("tool.shell.output_chunk", Some(call)) => {
                let chunk = text(data, "data");
                if has_bug("uses one output for all calls") {
                    run.status.push_str(chunk);
                } else {
                    let output = &mut run.find_item("tool", call).output;
                    let before = output.entry(text(data, "stream")).or_insert(json!(""));
                    *before = json!(before.as_str().unwrap_or_default().to_owned() + chunk);
                }
            }
            ("tool.cancelled", Some(call))
                if has_bug("drops the end of a tool whose start was lost")
                    && !run.boxes.contains_key(&format!("tool {call}")) => {}
            (_, Some(call)) => run.push_call(event, call)?,
            _ => self.push_other(key, event)?,
        }
        Ok(())
    }

    fn push_other(&mut self, key: &str, event: &Value) -> Result<(), String> {
        let kind = text(event, "type");
        let run = self.find_run(key);
        match kind {
            "turn.started" | "turn.failed" | "error.upstream" => run.epoch += 1,
            "run.started" if has_bug("reads an optional field as if it were always there") => {
                let worker = event["data"]["worker_id"].as_str();
                run.status = worker.ok_or("there is no worker_id")?.to_uppercase();
            }
            "run.started" if has_bug("shows a failed run as running") => {
                "running".clone_into(&mut run.status);
            }
            "run.failed" if has_bug("shows a failed run as running") => {}
            "run.finished" | "run.failed" | "run.cancelled" => kind.clone_into(&mut run.status),
            _ => {}
        }
        if has_bug("shows events other than those of tools and texts in a microtask") {
            self.later.push((key.to_owned(), event.clone()));
        } else {
            run.note(event);
        }
        Ok(())
    }

    /// Returns true if the bug hides the event.
    fn is_hidden(&mut self, stream: &str, event: &Value) -> bool {
        let kind = text(event, "type");
        let data = &event["data"];
        let gaps = self.reader.gaps(stream).to_owned();
        let number = event["sequence"].as_i64().unwrap_or_default();
        let run = self.table.runs.entry(stream.to_owned()).or_default();
        match BUG.as_str() {
            "waits for the first number" => gaps.iter().any(|gap| gap.0 < 0),
            "waits until a gap is filled" => gaps.iter().any(|gap| gap.0 >= 0),
            "stops at a gap marker" => run
                .items
                .iter()
                .any(|item| item.shown == "gap.run_disconnected"),
            "ignores everything after the end of a run" => !run.status.is_empty(),
            "waits for the event that opens a run" => {
                run.is_opened |= ["run.created", "run.queued", "run.started"].contains(&kind);
                !run.is_opened
            }
            "ignores that a tool call timed out" => kind == "tool.timed_out",
            "shows only tool events of known kinds" => data
                .get("kind")
                .is_some_and(|kind| find_icon(kind).is_none()),
            "shows the result of a tool only if it has the newest field" => {
                kind == "tool.completed" && data.get("summary").is_none()
            }
            "shows a finished tool only if it has an artifact" => {
                let names = ["result_artifact_id", "patch_artifact_id", "artifact_id"];
                let ends = ["completed", "edit", "patch", "applied"];
                ends.iter().any(|end| kind.contains(end))
                    && names.iter().all(|name| data.get(name).is_none())
            }
            "drops an event whose number occurred in another run" => {
                let first = self.numbers.entry(number).or_insert(stream.to_owned());
                first != stream
            }
            _ => false,
        }
    }

    /// Returns true if the event is not shown again.
    fn is_redelivery(&mut self, stream: &str, event: &Value) -> bool {
        let is_known = self.reader.read(stream, event);
        match BUG.as_str() {
            "appends redeliveries" => false,
            "counts redelivered pieces of text" => {
                is_known && event["type"] != "assistant.text_delta"
            }
            "counts redelivered output of a shell" => {
                is_known && event["type"] != "tool.shell.output_chunk"
            }
            "expects only one redelivery at a time" => {
                self.is_again = is_known && !self.is_again;
                self.is_again
            }
            _ => is_known,
        }
    }

    /// Takes the next event of a feed.
    pub fn push(&mut self, line: &str) -> Result<(), String> {
        self.exchange_runs();
        let result = self.push_event(line);
        self.exchange_runs();
        result
    }

    /// Takes the next bytes of a feed of server-sent events.
    pub fn ingest(&mut self, more: &[u8]) -> Result<(), String> {
        for event in self.parser.push(more)? {
            self.push(&event)?;
        }
        Ok(())
    }

    fn push_event(&mut self, line: &str) -> Result<(), String> {
        let event: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let is_known = FIELDS.get(text(&event, "type")).is_some();
        if has_bug("validates as strictly as a writer") && is_known && !is_strict(&event) {
            return Ok(());
        }
        let stream = text(&event, "run_id").to_owned();
        if self.is_redelivery(&stream, &event) {
            return Ok(());
        }
        let key = if has_bug("merges all runs") {
            ""
        } else {
            &stream
        };
        let number = event["sequence"].as_i64().unwrap_or_default();
        let is_negative = number & 0x8000_0000 != 0;
        if is_negative && has_bug("takes numbers above 31 bits for negative ones") {
            return Ok(());
        }
        self.find_run(key);
        if !is_known {
            return self.push_unknown(key, event);
        }
        if self.is_hidden(&stream, &event) {
            return Ok(());
        }
        let owner = self.find_owner(key, &event);
        self.reduce(&owner, &event)
    }

    fn push_unknown(&mut self, key: &str, event: Value) -> Result<(), String> {
        let call = format!("tool {}", text(&event["data"], "tool_call_id"));
        let run = self.find_run(key);
        match BUG.as_str() {
            "throws at an unknown type" => return Err("unknown event".to_owned()),
            "drops unknown types" => return Ok(()),
            "ignores the call that an event of an unknown type refers to"
                if run.boxes.contains_key(&call) =>
            {
                return Err("not of a call".to_owned());
            }
            _ => {}
        }
        run.note(&event);
        self.unknown.push(match BUG.as_str() {
            "shows only the payload of unknown types" => event["data"].clone(),
            _ => event,
        });
        Ok(())
    }

    /// Returns what the user sees.
    pub fn snapshot(&mut self) -> Value {
        if let Some(drawn) = &self.drawn {
            return drawn.clone();
        }
        self.exchange_runs();
        let keys = self.table.keys.clone();
        let shown: Value = keys
            .iter()
            .map(|key| self.find_run(key).show(key))
            .collect();
        if has_bug("draws once and never again") {
            self.drawn = Some(shown.clone());
        }
        for (key, event) in std::mem::take(&mut self.later) {
            self.find_run(&key).note(&event);
        }
        self.exchange_runs();
        shown
    }

    /// Returns what the user sees of one run.
    pub fn view_run(&mut self, key: &str) -> Value {
        let is_wrong =
            has_bug("shows another run's events in the view of one") && self.table.keys.len() > 1;
        let shown = if is_wrong {
            self.table.keys[0].clone()
        } else {
            key.to_owned()
        };
        self.find_run(&shown).show(key)
    }

    /// Returns the events of unknown types.
    pub fn opaque(&self) -> Value {
        let mut unknown = self.unknown.clone();
        if has_bug("shows unknown types newest first") {
            unknown.reverse();
        }
        json!(unknown)
    }

    /// Returns the numbers of all runs that are missing.
    pub fn gaps(&self) -> Value {
        let forgotten = usize::from(has_bug("forgets gaps"));
        let shift = i64::from(has_bug("reports a gap one number too early"));
        let keys = &self.table.keys;
        let gaps = keys
            .iter()
            .flat_map(|key| self.reader.gaps(key).iter().skip(forgotten));
        gaps.map(|&(after, before)| match after {
            -1 => json!({ "before": before - shift }),
            _ => json!({ "after": after, "before": before - shift }),
        })
        .collect()
    }

    /// Returns the highest number of a run.
    pub fn cursor(&mut self, key: &str) -> Option<i64> {
        match BUG.as_str() {
            "returns the cursor of the newest stream" => {
                self.reader.cursors.get(self.table.keys.last()?).copied()
            }
            "counts shown events to get the cursor" => {
                i64::try_from(self.find_run(key).items.len()).ok()
            }
            _ => self.reader.cursors.get(key).copied(),
        }
    }

    /// Is called when the connection was lost.
    pub fn reconnect(&mut self) {
        self.parser = SseParser::default(); // A new connection begins with a new frame.
        match BUG.as_str() {
            "forgets what was shown when the connection breaks" => {
                self.table.runs.clear();
                self.table.keys.clear();
            }
            "starts with a new list of ids when the connection breaks" => {
                self.reader = Reader::default();
            }
            _ => {}
        }
    }
}

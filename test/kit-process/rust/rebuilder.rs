//! A correct consumer for any protocol: the rebuilder of test/kit/consumers in Rust. The environment variable BUG names the
//! bug of test/kit/bugs.ts that it has.

mod sse;

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use serde_json::{json, Value};
use sse::SseParser;

static BUG: LazyLock<String> = LazyLock::new(|| std::env::var("BUG").unwrap_or_default());

/// Says where the parts of an event are, and which events belong together.
static PROTOCOL: LazyLock<Value> = LazyLock::new(|| {
    let file = std::env::var("PROTOCOL").expect("PROTOCOL names a file");
    let text = std::fs::read_to_string(file).expect("the protocol can be read");
    serde_json::from_str(&text).expect("the protocol is JSON")
});

fn has_bug(name: &str) -> bool {
    *BUG == name
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn list_texts(value: &Value) -> impl Iterator<Item = &str> {
    list(value).filter_map(Value::as_str)
}

fn find_stream(event: &Value) -> String {
    let names: Vec<String> = list_texts(&PROTOCOL["stream"]["key"])
        .map(|field| match &event[field] {
            _ if has_bug("merges all sessions") => field.to_owned(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        })
        .collect();
    names.join("/")
}

fn find_type(event: &Value) -> &str {
    text(event, text(&PROTOCOL, "discriminator"))
}

fn is_known(event: &Value) -> bool {
    PROTOCOL["fields"].get(find_type(event)).is_some()
}

fn find_payload(event: &Value) -> &Value {
    let property = PROTOCOL["properties"].get(find_type(event));
    match property.unwrap_or(&PROTOCOL["property"]).as_str() {
        Some(name) => &event[name],
        None => event,
    }
}

#[derive(Default)]
struct Stream {
    events: Vec<Value>,
    ids: HashSet<String>,
    last_id: String,
}

impl Stream {
    /// Returns true if the event is not added again.
    fn is_redelivery(&mut self, event: &Value) -> bool {
        let Some(field) = PROTOCOL["stream"]["id"].as_str() else {
            return false;
        };
        let id = text(event, field).to_owned();
        let is_repeated = self.last_id == id;
        self.last_id.clone_from(&id);
        let is_known = !self.ids.insert(id);
        match BUG.as_str() {
            "remembers only the last id" => is_repeated,
            "counts redelivered starts of tools" => is_known && find_type(event) != "tool_started",
            _ => is_known,
        }
    }
}

#[derive(Default)]
struct Block {
    is_whole: bool,
    text: String,
}

/// What the user sees of one stream.
#[derive(Default)]
struct View {
    texts: Vec<Block>,
    blocks: HashMap<String, usize>,
    calls: Vec<Vec<Value>>,
    places: HashMap<String, usize>,
    rest: Vec<(String, Value)>,
    epoch: u32,
}

impl View {
    fn find_block(&mut self, name: String) -> &mut Block {
        let next = self.texts.len();
        let place = *self.blocks.entry(name).or_insert(next);
        if place == next {
            self.texts.push(Block::default());
        }
        &mut self.texts[place]
    }

    fn push_text(&mut self, rule: &Value, kind: &str, payload: &Value) {
        let fields = list_texts(&rule["key"]).map(|field| payload[field].to_string());
        let id: Vec<String> = fields.collect();
        let name = format!("{} {} {}", rule["whole"], self.epoch, id.join(" "));
        let block = self.find_block(name);
        if rule["whole"] == kind {
            block.is_whole = true;
            block.text = text(payload, text(rule, "text")).to_owned();
        } else if !block.is_whole {
            block.text.push_str(text(payload, text(rule, "part")));
        }
    }

    fn push_call(&mut self, kind: &str, payload: &Value, id: String, shown: Value) {
        let is_joined = match BUG.as_str() {
            "joins the outputs of parallel tools" => payload["chunk"].is_string(),
            "joins the errors of parallel tools" => kind == "tool_stderr",
            _ => false,
        };
        if is_joined {
            let chunk = text(payload, "chunk");
            self.find_block("chunks".to_owned()).text.push_str(chunk);
            return;
        }
        let next = self.calls.len();
        let place = *self.places.entry(id).or_insert(next);
        if place == next {
            self.calls.push(Vec::new());
        }
        self.calls[place].push(shown);
    }

    fn push(&mut self, event: &Value) -> Result<(), String> {
        let (kind, payload) = (find_type(event), find_payload(event));
        check_payload(kind, payload)?;
        let shown = if is_known(event) {
            json!({ "type": kind, "payload": payload })
        } else {
            event.clone()
        };
        let texts = &PROTOCOL["texts"];
        let restarts = |rule: &Value| list_texts(&rule["restart"]).any(|each| each == kind);
        self.epoch += u32::from(list(texts).any(restarts));
        let rule = list(texts).find(|rule| rule["delta"] == kind || rule["whole"] == kind);
        let call = find_call(payload).filter(|_| is_known(event));
        let is_hidden = match BUG.as_str() {
            "ignores that a tool failed" => kind == "tool_failed",
            "ignores results of tools" => kind == "tool_use_result",
            _ => false,
        };
        if let Some(rule) = rule {
            self.push_text(rule, kind, payload);
        } else if is_hidden {
        } else if let Some(call) = call {
            self.push_call(kind, payload, call, shown);
        } else if kind == "usage" && has_bug("adds up token counts that are totals") {
            let tokens = payload["Cumulative"]["InputTokens"].as_f64();
            let block = self.find_block("tokens".to_owned());
            let sum: f64 = block.text.parse().unwrap_or_default();
            block.text = (sum + tokens.unwrap_or_default()).to_string();
        } else {
            let time = text(event, text(&PROTOCOL["stream"], "time")).to_owned();
            self.rest.push((time, shown));
        }
        Ok(())
    }

    fn show(mut self) -> Value {
        if has_bug("sorts events other than texts and calls by time") {
            self.rest.sort_by(|a, b| a.0.cmp(&b.0));
        }
        let show = |block: &Block| json!({ "whole": block.is_whole, "text": block.text });
        let texts: Vec<Value> = self.texts.iter().map(show).collect();
        let rest: Vec<Value> = self.rest.into_iter().map(|(_, shown)| shown).collect();
        json!({ "texts": texts, "calls": self.calls, "rest": rest })
    }
}

/// Fails where the bug expects an optional value.
fn check_payload(kind: &str, payload: &Value) -> Result<(), String> {
    let field = match (BUG.as_str(), kind) {
        ("expects optional references of artifacts", "tool_ended") => "artifact_refs",
        ("expects a list where null is allowed", "tool_use_result") => "ContentBlocks",
        _ => return Ok(()),
    };
    let values = payload[field].as_array();
    values
        .map(|_| ())
        .ok_or(format!("there is no list {field}"))
}

fn find_call(payload: &Value) -> Option<String> {
    list(&PROTOCOL["lifecycles"]).find_map(|rule| {
        let id = payload[text(rule, "key")].as_str()?;
        Some(format!("{} {id}", rule["key"]))
    })
}

/// The consumer.
#[derive(Default)]
pub struct Timeline {
    keys: Vec<String>,
    streams: HashMap<String, Stream>,
    parser: SseParser,
}

impl Timeline {
    /// Takes the next event of a feed.
    pub fn push(&mut self, line: &str) -> Result<(), String> {
        let event: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let key = find_stream(&event);
        if !self.streams.contains_key(&key) {
            self.keys.push(key.clone());
        }
        let stream = self.streams.entry(key).or_default();
        if !stream.is_redelivery(&event) {
            stream.events.push(event);
        }
        Ok(())
    }

    /// Takes the next bytes of a feed of server-sent events.
    pub fn ingest(&mut self, more: &[u8]) -> Result<(), String> {
        for event in self.parser.push(more)? {
            self.push(&event)?;
        }
        Ok(())
    }

    fn sort(&self, key: &str) -> Vec<&Value> {
        let stream = self.streams.get(key);
        let mut events: Vec<&Value> = stream.iter().flat_map(|each| &each.events).collect();
        if let Some(field) = PROTOCOL["stream"]["sequence"].as_str() {
            events.sort_by_key(|event| event[field].as_i64());
        }
        let is_started = events
            .iter()
            .any(|event| find_type(event) == "session_started");
        if has_bug("waits for the start of a session") && !is_started {
            return Vec::new();
        }
        events
    }

    /// Returns what the user sees of one stream.
    pub fn view_run(&self, key: &str) -> Value {
        let mut view = View::default();
        for event in self.sort(key) {
            view.push(event).expect("the view can show the event");
        }
        view.show()
    }

    /// Returns what the user sees.
    pub fn snapshot(&self) -> Value {
        let views = self
            .keys
            .iter()
            .map(|key| (key.clone(), self.view_run(key)));
        Value::Object(views.collect())
    }

    /// Returns the events of unknown types.
    pub fn opaque(&self) -> Value {
        let events = self.keys.iter().flat_map(|key| self.sort(key));
        events.filter(|event| !is_known(event)).cloned().collect()
    }
}

use std::collections::HashMap;

use hecate_v1::{Delivery, Event, EventReader, Integer};
use serde::Serialize;
use serde_json::{json, Value};

/// A small consumer of hecate events: it shows texts in full, and a line for every other event.
#[derive(Default)]
pub struct Timeline {
    reader: EventReader,
    keys: Vec<String>,
    runs: HashMap<String, Run>,
    unknown: Vec<Value>,
}

#[derive(Default)]
struct Run {
    items: Vec<Item>,
    /// The places of texts in `items`. The numbers of blocks begin again with each epoch.
    blocks: HashMap<(u32, Integer, Integer), usize>,
    epoch: u32,
}

#[derive(Default, Serialize)]
struct Item {
    #[serde(rename = "type")]
    kind: String,
    text: String,
    done: bool,
    ids: Vec<Value>,
}

impl Run {
    fn block(&mut self, turn: &Integer, block: &Integer) -> &mut Item {
        let next = self.items.len();
        let key = (self.epoch, turn.clone(), block.clone());
        let place = *self.blocks.entry(key).or_insert(next);
        if place == next {
            self.items.push(Item::default());
        }
        &mut self.items[place]
    }
}

impl Timeline {
    /// Takes the next event of a feed.
    pub fn push(&mut self, line: &str) -> Result<(), String> {
        let (event, stream) = match self.reader.read(line) {
            Delivery::New {
                event, position, ..
            }
            | Delivery::Late {
                event, position, ..
            } => (event, position.stream),
            Delivery::Duplicate { .. } | Delivery::Conflict { .. } => return Ok(()),
            Delivery::Invalid(error) => return Err(error.to_string()),
        };
        if !self.runs.contains_key(&stream) {
            self.keys.push(stream.clone());
        }
        let run = self.runs.entry(stream).or_default();
        let value = serde_json::to_value(&event).map_err(|error| error.to_string())?;
        match event {
            Event::AssistantTextDelta(event) => {
                let data = &event.data;
                let item = run.block(&data.turn_index, &data.block_index);
                if !item.done {
                    item.text.push_str(&data.delta);
                }
                return Ok(());
            }
            Event::AssistantTextComplete(event) => {
                let data = &event.data;
                let item = run.block(&data.turn_index, &data.block_index);
                item.text.clone_from(&data.text);
                item.done = true;
                return Ok(());
            }
            Event::TurnStarted(_) | Event::TurnFailed(_) | Event::ErrorUpstream(_) => run.epoch += 1,
            Event::Unknown(_) => self.unknown.push(value.clone()),
            _ => {}
        }
        let names = ["tool_call_id", "approval_id", "artifact_id"];
        run.items.push(Item {
            kind: value["type"].as_str().unwrap_or_default().to_owned(),
            ids: names.map(|name| value["data"][name].clone()).into(),
            ..Item::default()
        });
        Ok(())
    }

    /// Returns what the user sees.
    pub fn snapshot(&self) -> Value {
        self.keys.iter().map(|key| self.view_run(key)).collect()
    }

    /// Returns what the user sees of one run.
    pub fn view_run(&self, key: &str) -> Value {
        let items = self.runs.get(key).map(|run| &run.items);
        json!({ "run": key, "items": items })
    }

    /// Returns the events of unknown types.
    pub fn opaque(&self) -> Value {
        json!(self.unknown)
    }

    /// Returns the numbers of all runs that are missing.
    pub fn gaps(&self) -> Value {
        let gaps = self.keys.iter().flat_map(|key| self.reader.gaps(key));
        gaps.map(|gap| match gap.after {
            Some(after) => json!({ "after": after, "before": gap.before }),
            None => json!({ "before": gap.before }),
        })
        .collect()
    }

    /// Returns the highest number of a run.
    pub fn cursor(&self, key: &str) -> Option<i64> {
        self.reader.cursor(key)
    }

    /// Is called when the connection was lost. Nothing that is shown changes.
    pub fn reconnect(&mut self) {}
}

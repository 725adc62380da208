//! Reads server-sent events from bytes that are cut anywhere.

use serde_json::Value;

use super::has_bug;

#[derive(Default)]
pub struct SseParser {
    rest: Vec<u8>,
    name: String,
    data: Vec<String>,
}

impl SseParser {
    /// Returns the events of the frames that the bytes complete.
    pub fn push(&mut self, more: &[u8]) -> Result<Vec<String>, String> {
        if has_bug("decodes each chunk of bytes separately") {
            let text = String::from_utf8_lossy(more);
            self.rest.extend(text.as_bytes());
        } else {
            self.rest.extend(more);
        }
        let mut events = Vec::new();
        while let Some(end) = self.rest.iter().position(|&byte| byte == b'\n') {
            let bytes: Vec<u8> = self.rest.drain(..=end).collect();
            let text = String::from_utf8_lossy(&bytes[..end]);
            let line = match text.strip_suffix('\r') {
                Some(line) if !has_bug("splits lines at line feeds only") => line,
                _ => &text,
            };
            if line.is_empty() {
                events.extend(self.end_frame()?);
            } else {
                self.push_line(line);
            }
        }
        Ok(events)
    }

    fn push_line(&mut self, line: &str) {
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => value.clone_into(&mut self.name),
            "data" => self.data.push(value.to_owned()),
            _ => {}
        }
    }

    /// Returns the event of the frame, if there is one.
    fn end_frame(&mut self) -> Result<Option<String>, String> {
        let name = std::mem::take(&mut self.name);
        let data = std::mem::take(&mut self.data);
        let is_ignored = has_bug("listens to unnamed events only") && !name.is_empty();
        let Some(last) = data.last().filter(|_| !is_ignored) else {
            return Ok(None);
        };
        if has_bug("uses only the last data line of a frame") {
            return unwrap(last).map(Some);
        }
        unwrap(&data.join("\n")).map(Some)
    }
}

/// Returns the event in a wrapper, or the value itself.
fn unwrap(text: &str) -> Result<String, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let is_wrapped = value["object"] == "event" && !has_bug("treats the wrapper as an event");
    let event = if is_wrapped { &value["data"] } else { &value };
    Ok(event.to_string())
}

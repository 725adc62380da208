//! Checks streams with generated crates: one request in JSON a line in, the findings a line out.

use std::io::BufRead;

use serde_json::{json, Value};

macro_rules! answer {
    ($package:ident, $request:expr) => {{
        let size = |name: &str| $request[name].as_u64().unwrap() as usize;
        let reader = $package::EventReader::new(size("window"), size("streams"));
        let profile = match $request["profile"].as_str() {
            Some("reader") => $package::Profile::Reader,
            _ => $package::Profile::Writer,
        };
        let mut checker = $package::StreamChecker::with_reader(profile, reader);
        let mut found = Vec::new();
        for event in $request["events"].as_array().unwrap() {
            // An error is a text that is not an event.
            found.extend(checker.check(event.as_str().unwrap()).unwrap_or_default());
        }
        found.extend(checker.end());
        json!(found)
    }};
}

fn main() {
    for line in std::io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let found = match request["package"].as_str().unwrap() {
            // PACKAGES
            name => panic!("there is no {name}"),
        };
        println!("{found}");
    }
}

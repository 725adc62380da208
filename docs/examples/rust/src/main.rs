//! Lets `accrete kit` test a consumer: answers JSON-RPC 2.0 requests, one JSON object a line.

mod timeline;

use std::collections::HashMap;
use std::io::{self, BufRead, Write};

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{json, Value};

use timeline::Timeline; // The consumer under test.

#[derive(Deserialize)]
struct Request {
    id: u64,
    method: String,
    params: Params,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Params {
    consumer: String,
    events: Vec<Box<RawValue>>,
    stream: String,
}

fn call(
    consumers: &mut HashMap<String, Timeline>,
    method: &str,
    params: Params,
) -> Result<Value, String> {
    if method == "hello" {
        return Ok(json!({ "hooks": ["opaque", "gaps", "cursor", "viewRun", "reconnect"] }));
    }
    if method == "create" {
        consumers.insert(params.consumer, Timeline::default());
        return Ok(Value::Null);
    }
    let Some(consumer) = consumers.get_mut(&params.consumer) else {
        return Err(format!("there is no consumer {}", params.consumer));
    };
    match method {
        "push" => {
            for event in params.events {
                consumer.push(event.get())?;
            }
        }
        "snapshot" => return Ok(consumer.snapshot()),
        "opaque" => return Ok(consumer.opaque()),
        "gaps" => return Ok(consumer.gaps()),
        "cursor" => return Ok(json!(consumer.cursor(&params.stream))),
        "viewRun" => return Ok(consumer.view_run(&params.stream)),
        "reconnect" => consumer.reconnect(),
        "drop" => {
            consumers.remove(&params.consumer);
        }
        _ => return Err(format!("there is no method {method}")),
    }
    Ok(Value::Null)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut consumers = HashMap::new();
    for line in io::stdin().lock().lines() {
        let request: Request = serde_json::from_str(&line?)?;
        let mut answer = json!({ "jsonrpc": "2.0", "id": request.id });
        match call(&mut consumers, &request.method, request.params) {
            Ok(result) => answer["result"] = result,
            Err(message) => answer["error"] = json!({ "code": -32000, "message": message }),
        }
        writeln!(io::stdout(), "{answer}")?;
    }
    Ok(())
}

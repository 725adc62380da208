//! Lets `accrete kit` test a consumer: answers JSON-RPC 2.0 requests, one JSON object a line.

mod timeline;

use std::collections::HashMap;

use serde_json::{json, Value};
use timeline::Timeline; // The consumer under test.

/// The optional methods of `Timeline`.
const HOOKS: &[&str] = &["opaque", "gaps", "cursor", "viewRun", "reconnect"];

fn call(
    consumers: &mut HashMap<String, Timeline>,
    method: &str,
    params: &Value,
) -> Result<Value, String> {
    let text = |name: &str| params[name].as_str().unwrap_or_default();
    let name = text("consumer");
    match method {
        "hello" => return Ok(json!({ "hooks": HOOKS })),
        "create" => {
            consumers.insert(name.to_owned(), Timeline::default());
            return Ok(Value::Null);
        }
        _ => {}
    }
    let consumer = consumers.get_mut(name).ok_or("no such consumer")?;
    match method {
        "drop" => drop(consumers.remove(name)),
        "push" => {
            for event in params["events"].as_array().into_iter().flatten() {
                consumer.push(&event.to_string())?;
            }
        }
        "snapshot" => return Ok(consumer.snapshot()),
        "opaque" => return Ok(consumer.opaque()),
        "gaps" => return Ok(consumer.gaps()),
        "cursor" => return Ok(json!(consumer.cursor(text("stream")))),
        "viewRun" => return Ok(consumer.view_run(text("stream"))),
        "reconnect" => consumer.reconnect(),
        _ => return Err(format!("there is no method {method}")),
    }
    Ok(Value::Null)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut consumers = HashMap::new();
    for line in std::io::stdin().lines() {
        let request: Value = serde_json::from_str(&line?)?;
        let method = request["method"].as_str().unwrap_or_default();
        let mut answer = json!({ "jsonrpc": "2.0", "id": request["id"] });
        match call(&mut consumers, method, &request["params"]) {
            Ok(result) => answer["result"] = result,
            Err(message) => answer["error"] = json!({ "code": -32000, "message": message }),
        }
        println!("{answer}");
    }
    Ok(())
}

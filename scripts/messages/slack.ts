/** Messages of Slack: those that the tests of the Go module slack-go have, which its authors took from Slack and its documentation. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { isObject, type Json, type JsonObject } from "../../generator/json.js";

/** The type of requests with an event. */
export const SLACK_TYPES = `import type { SlackEvent } from "@slack/types";
export interface Message {
  type: "event_callback";
  token: string;
  team_id: string;
  api_app_id: string;
  event: SlackEvent;
  [other: string]: unknown;
}
`;

/** Returns requests, and events that stand alone; undefined if Go or the module is absent. */
export function listSlackMessages(folder: string): readonly JsonObject[] | undefined {
  let module: string;
  try {
    const argv = ["mod", "download", "-json", "github.com/slack-go/slack@v0.35.0"];
    const output = execFileSync("go", argv, { cwd: folder, encoding: "utf8", stdio: "pipe" });
    module = (JSON.parse(output) as { Dir: string }).Dir;
  } catch {
    return undefined;
  }
  const events = path.join(module, "slackevents");
  const texts = readdirSync(events)
    .filter((file) => file.endsWith("_test.go"))
    .flatMap((file) => [...readFileSync(path.join(events, file), "utf8").matchAll(/`(\s*\{[^`]*\})\s*`/g)])
    .map(([, text]) => text ?? "");
  return texts.flatMap((text) => {
    const message = parse(text);
    const isRequest = isObject(message?.event) && message.type === "event_callback";
    return message && (isRequest || message.event_ts !== undefined) ? [message] : [];
  });
}

/** Returns the object in a text; undefined if the text is not JSON. */
function parse(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the request that holds an event that stands alone. */
export function toRequest(message: Json): Json {
  const isRequest = isObject(message) && message.type === "event_callback";
  return isRequest
    ? message
    : { type: "event_callback", token: "", team_id: "", api_app_id: "", event: message };
}

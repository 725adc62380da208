/** If this fails, `accrete explain` does not say what an event type or a field is, or where a statement comes from. */
import { expect, it } from "vitest";
import { createTemporaryFolder, createTinySchemas } from "../folders.js";
import { runAccrete } from "./run-in-process.js";

/** Command lines, and texts that the answer has, in this order. */
const CASES: readonly (readonly [line: string, ...texts: string[]])[] = [
  ["turn.completed", "hecate/v1\n", "### `turn.completed`", "RFC: Turns, turn.completed", "never decrease"],
  [
    "turn.completed/tool_calls",
    "`tool_calls`: integer",
    "Source: REF: turn.completed",
    "`tool_calls` of `turn.completed`",
  ],
  ["tool.todo_write.updated/todos[].status", "`todos[].status`: string", "RFC: Todo list"],
  [
    "store_update/Op",
    "evva/v0\n",
    '"added"',
    "Source: GO: KindStoreUpdate · evva v0.2.0: internal/tools/meta/agent.go.",
  ],
  [
    "envelope/sequence --protocol hecate/v1",
    "hecate/v1\n",
    "Place of the event in its run",
    "RFC: Envelope, sequence",
  ],
  ["envelope --protocol frames/v2", "frames/v2\n", "`stream_kind`: string", "Source: FRM: Phase 2"],
  ["session_ended", "frames/v1\n", "FRM: Invariants", "frames/v2\n"],
  [
    "event-blocked --protocol hecate/v1",
    "event-blocked: ",
    "hecate/v1 declares:",
    "After `turn.started` there is no `cost.tick`",
  ],
];

it.each(CASES)("accrete explain %s", async (line, ...texts) => {
  const { exitCode, stdout } = await runAccrete(["explain", ...line.split(" ")]);
  expect(exitCode).toBe(0);
  let rest = stdout;
  for (const text of texts) {
    expect(rest).toContain(text);
    rest = rest.slice(rest.indexOf(text) + text.length);
  }
});

it("explains the parts of any protocol", async () => {
  const files = createTinySchemas("tea");
  const place = "tea/v1/events/tea.served.schema.json";
  files[place] = (files[place] ?? "").replace(
    '"type": "object"',
    '"x-source": ["Manual, <b>2</b>"], "type": "object"',
  );
  const schemas = createTemporaryFolder(files);
  const { stdout } = await runAccrete(["explain", "tea.served/cups", "--schemas", schemas]);
  expect(stdout).toBe(
    "tea/v1\n\n`cups`: integer; ≥ 0. How many cups.\n\nRequired: yes\n\nOf tea.served. Source: Manual, <b>2</b>.\n",
  );
});

it.each([
  ["tool.invokd", 'There is no rule and no event type "tool.invokd"; did you mean "tool.invoked"?'],
  ["turn.completed/tool_call", 'turn.completed has no field "tool_call"; did you mean "tool_calls"?'],
  ["field-renamd", 'did you mean "field-renamed"?'],
])("suggests a name for %s", async (name, message) => {
  const { exitCode, stderr } = await runAccrete(["explain", name]);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
});

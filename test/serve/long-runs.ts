/** Long runs of hecate, for tests and benchmarks of the page. */

/** An event of hecate. */
interface HecateEvent {
  readonly sequence: number;
  readonly type: string;
}

/** Creates the events of a run: turns of a text, a tool call with output, and its cost. */
export function createLongRun(count: number): HecateEvent[] {
  const events: HecateEvent[] = [];
  const add = (type: string, data: object): void =>
    void events.push(createEvent(events.length, 20, type, data));
  add("run.created", {});
  add("user.message", { turn_index: 0, text: "Do a lot of work." });
  for (let turn = 1; events.length < count - 1; turn++) addTurn(turn, add);
  events.length = count - 1;
  add("run.finished", { final_status: "completed", turns: 1, cost_micros_usd: 1000 });
  return events;
}

function addTurn(turn: number, add: (type: string, data: object) => void): void {
  const call = `call_${turn}`;
  add("turn.started", { turn_index: turn, model: "claude-sonnet-4-5" });
  for (let piece = 0; piece < 8; piece++)
    add("assistant.text_delta", {
      turn_index: turn,
      block_index: 0,
      delta: `piece ${piece} of turn ${turn}. `,
    });
  add("tool.invoked", { tool_call_id: call, tool_name: "shell_exec", kind: "shell" });
  for (let piece = 0; piece < 6; piece++)
    add("tool.shell.output_chunk", {
      tool_call_id: call,
      stream: "stdout",
      byte_offset: piece * 5,
      data: `l. ${piece}\n`,
    });
  add("tool.completed", { tool_call_id: call, tool_name: "shell_exec", duration_ms: 140 });
  add("turn.completed", { turn_index: turn, cost_micros_usd: 100, duration_ms: 300 });
}

/** Creates the events of a run with one text in many pieces, one every `interval` milliseconds. */
export function createLongText({
  pieces,
  interval,
}: {
  readonly pieces: number;
  readonly interval: number;
}): HecateEvent[] {
  const words = ["The", " budget", " is **kept**", ",", " as", " `tests`", " show", ".", "\n\n", "- again"];
  const deltas = Array.from({ length: pieces }, (_, index) => ({
    turn_index: 0,
    block_index: 0,
    delta: words[index % words.length],
  }));
  return [
    createEvent(0, interval, "run.created", {}),
    createEvent(1, interval, "turn.started", { turn_index: 0 }),
    ...deltas.map((data, index) => createEvent(index + 2, interval, "assistant.text_delta", data)),
    createEvent(pieces + 2, interval, "run.finished", { final_status: "completed", turns: 1 }),
  ];
}

function createEvent(sequence: number, ms: number, type: string, data: object): HecateEvent {
  const occurredAt = new Date(Date.UTC(2026, 0, 1) + sequence * ms).toISOString();
  const ids = { event_id: `evt_${sequence}`, run_id: "run_bench" };
  return { schema_version: "1", ...ids, sequence, occurred_at: occurredAt, type, data } as HecateEvent;
}

/**
 * A correct consumer of hecate events, as a web page would have it: a reducer over `accrete-client/stream`. It draws texts, boxes
 * of tool calls and approvals, costs and gaps, and everything else as it is.
 */
import type { Adapter, KitProtocol } from "../../../generator/kit/index.js";
import { createReader, createSseParser, unwrap } from "../../../generator/stream/index.js";

interface HecateEvent {
  readonly event_id: string;
  readonly sequence: number;
  readonly type: string;
  readonly data: { readonly [field: string]: unknown };
}

interface Item {
  readonly shown: string;
  text: string;
  done: boolean;
  readonly output: { [stream: string]: string };
  readonly details: unknown[];
}

interface Run {
  readonly items: Item[];
  readonly boxes: Map<unknown, Item>;
  epoch: number;
  status: string;
  cost: unknown;
}

const ICONS: { readonly [kind: string]: string } = {
  shell: "$",
  mcp: "⇄",
  file: "✎",
  file_read: "→",
  file_write: "✎",
  edit: "✎",
  multi_edit: "✎",
  glob: "?",
  grep: "?",
  http: "⇄",
  web_fetch: "⇄",
  web_search: "?",
  todo_write: "☐",
  git: "±",
};

function iconOf(kind: unknown): string {
  return ICONS[String(kind)] ?? "•";
}

const ENDS = ["run.finished", "run.failed", "run.cancelled"];

export function reducerAdapter(protocol: KitProtocol): Adapter {
  return { create: () => createConsumer(protocol) };
}

function createConsumer(protocol: KitProtocol) {
  const reader = createReader(protocol);
  const runs = new Map<string, Run>();
  const opaque: HecateEvent[] = [];
  let parser = createSseParser();

  function runOf(key: string): Run {
    const run = runs.get(key) ?? { items: [], boxes: new Map(), epoch: 0, status: "", cost: null };
    runs.set(key, run);
    return run;
  }

  function itemOf(run: Run, name: string, id: unknown): Item {
    const key = JSON.stringify([name, id]);
    const item = run.boxes.get(key) ?? { shown: `${name}`, text: "", done: false, output: {}, details: [id] };
    if (!run.boxes.has(key)) run.items.push(item);
    run.boxes.set(key, item);
    return item;
  }

  function note(run: Run, event: HecateEvent): void {
    run.items.push({ shown: event.type, text: "", done: true, output: {}, details: [event.data] });
  }

  function reduce(run: Run, event: HecateEvent): void {
    const { type, data } = event;
    if (type === "assistant.text_delta" || type === "assistant.thinking_delta") {
      const block = itemOf(run, type.slice(0, -6), [run.epoch, data.turn_index, data.block_index]);
      if (!block.done) block.text += String(data.delta);
    } else if (type === "assistant.text_complete" || type === "assistant.thinking_complete") {
      const block = itemOf(run, type.slice(0, -9), [run.epoch, data.turn_index, data.block_index]);
      block.text = String(data.text);
      block.done = true;
    } else if (type === "cost.tick") {
      run.cost = data;
    } else if (type.startsWith("approval.")) {
      itemOf(run, "approval", data.approval_id).details.push([type, data]);
    } else if (type === "tool.shell.output_chunk") {
      const { output } = itemOf(run, "tool", data.tool_call_id);
      const stream = String(data.stream);
      output[stream] = (output[stream] ?? "") + String(data.data);
    } else if (typeof data.tool_call_id === "string") {
      itemOf(run, "tool", data.tool_call_id).details.push([iconOf(data.kind), type, data]);
    } else {
      if (type === "turn.started" || type === "turn.failed" || type === "error.upstream") run.epoch++;
      if (ENDS.includes(type)) run.status = type;
      note(run, event);
    }
  }

  function push(value: unknown): void {
    const delivery = reader.read(value);
    if (delivery.kind === "invalid") return;
    if (delivery.kind === "duplicate" || delivery.kind === "conflict") return;
    const event = delivery.event as HecateEvent;
    const { stream } = delivery;
    const run = runOf(stream);
    if (!delivery.known) {
      opaque.push(event);
      note(run, event);
      return;
    }
    reduce(run, event);
  }

  function show({ items, status, cost }: Run) {
    return {
      items: items.map(({ shown, text, output, details }) => ({ shown, text, output, details })),
      status,
      cost,
    };
  }

  return {
    push,
    snapshot: () => [...runs].map(([key, run]) => ({ run: key, ...show(run) })),
    opaque: () => opaque,
    gaps: () => reader.streams().flatMap((stream) => reader.gaps(stream)),
    cursor: (stream: string) => reader.cursor(stream),
    viewRun: (stream: string) => show(runOf(stream)),
    reconnect() {
      // A new connection begins with a new frame.
      parser = createSseParser();
    },
    ingest(bytes: Uint8Array) {
      for (const frame of parser.push(bytes))
        for (const { value } of unwrap(JSON.parse(frame.data))) push(value);
    },
  };
}

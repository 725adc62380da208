/**
 * Consumers of hecate that show parts of its events, each in another way. They do not keep the laws of the kit: they are small,
 * so that what each of them reads is plain to see.
 */
import { protocol as hecate } from "../../generated/hecate/v1/index.js";
import type { Json } from "../../generator/json.js";
import type { Adapter, KitProtocol } from "../../generator/kit/index.js";
import { createReader } from "../../generator/stream/index.js";
import { VIEWS } from "./frontend-views.js";

interface HecateEvent {
  readonly event_id: string;
  readonly run_id: string;
  readonly occurred_at: string;
  readonly type: string;
  readonly sequence: number;
  readonly data: { readonly [field: string]: unknown };
}

/** Shows an event as a line, or not at all. */
type Draw = (event: HecateEvent) => unknown;

function createLineAdapter(draw: Draw): Adapter {
  return {
    create() {
      const lines: unknown[] = [];
      return {
        push(event: never) {
          const line = draw(event);
          if (line !== undefined) lines.push(line);
        },
        snapshot: () => structuredClone(lines),
      };
    },
  };
}

const ICONS = new Map([
  ["shell", "$"],
  ["file", "✎"],
  ["file_write", "✎"],
  ["mcp", "⇄"],
]);

/** What each consumer shows of an event. */
const DRAWINGS: { readonly [name: string]: Draw } = {
  "types only": ({ type, run_id }) => `${run_id} ${type}`,
  "tool icons": ({ type, data }) =>
    type.startsWith("tool.") ? [data.tool_call_id, ICONS.get(String(data.kind)) ?? "•"] : undefined,
  "costs only": ({ type, data }) =>
    type === "cost.tick" ? Number(data.cumulative_cost_micros_usd) / 1e6 : undefined,
  "errors of failed tools": ({ type, data }) =>
    type === "tool.failed" && data.kind === "shell" ? (data.error ?? "failed") : undefined,
  "whole approvals": ({ type, data }) => (type.startsWith("approval.") ? JSON.stringify(data) : undefined),
  "numbers of fields": ({ type, data }) =>
    type.startsWith("run.") ? [type, Object.keys(data).length] : undefined,
  "presence of texts": ({ type, data }) => [type, "summary" in data, "error" in data],
  "spread without noise": ({ type, data }) => {
    if (!type.startsWith("artifact.")) return undefined;
    const { redacted_keys: _keys, redacted_paths: _paths, summary: _summary, ...rest } = data;
    return rest;
  },
  "stderr in red": ({ type, data }) => {
    if (type !== "tool.shell.output_chunk") return undefined;
    return data.stream === "stderr" ? { red: data.data } : data.stream;
  },
  "errors of failed shells after a minute": ({ type, data }) =>
    type === "tool.failed" && data.kind === "shell" && Number(data.duration_ms) > 60_000
      ? data.error
      : undefined,
  "kinds without a summary": ({ type, data }) =>
    type.startsWith("tool.") && data.summary === undefined ? data.kind : undefined,
  "first redacted path": ({ data }) => (data.redacted_paths as string[] | undefined)?.[0],
  "redacted and large": ({ type, data }) =>
    Array.isArray(data.redacted_keys) && data.redacted_keys.length > 1 ? type : undefined,
  "long texts shortened": ({ type, data }) =>
    type === "assistant.text_complete" ? String(data.text).slice(0, 20) : undefined,
};

/** Shows the tools of events that the generated validators accept. */
function createValidatingAdapter(protocol: KitProtocol): Adapter {
  return createLineAdapter((event) => {
    const decoded = protocol.decodeEvent(event);
    if (decoded.kind !== "known") return undefined;
    return [event.type, event.data.tool_name ?? null];
  });
}

/** Joins the pieces of texts, with the reader of `accrete-client/stream`. */
function createTextAdapter(protocol: KitProtocol): Adapter {
  return {
    create() {
      const reader = createReader(protocol);
      const texts = new Map<string, string>();
      return {
        push(value: never) {
          const delivery = reader.read(value);
          if (delivery.kind !== "new" && delivery.kind !== "late") return;
          const { type, data } = delivery.event as unknown as HecateEvent;
          const key = `${delivery.stream} ${String(data.turn_index)} ${String(data.block_index)}`;
          if (type === "assistant.text_delta") texts.set(key, (texts.get(key) ?? "") + String(data.delta));
          if (type === "assistant.text_complete") texts.set(key, String(data.text));
        },
        snapshot: () => [...texts],
      };
    },
  };
}

type Show = (events: readonly HecateEvent[]) => unknown;

/** Shows all events together. */
function createListAdapter(show: Show): Adapter {
  return {
    create() {
      const events: HecateEvent[] = [];
      return {
        push: (event: never) => void events.push(event),
        snapshot: () => structuredClone(show(events) ?? null) as Json,
      };
    },
  };
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** What consumers show that compare events with each other. */
const LISTS: { readonly [name: string]: Show } = {
  "sorted by time": (events) =>
    events
      .toSorted((a, b) => compareTexts(String(a.occurred_at), String(b.occurred_at)))
      .map(({ event_id }) => event_id),
  "numbers of kinds": (events) => {
    const kinds = events.filter(({ type }) => type === "tool.failed").map(({ data }) => String(data.kind));
    return [...new Set(kinds)].sort().map((kind) => [kind, kinds.filter((each) => each === kind).length]);
  },
  "same kind as before": (events) =>
    events.filter(
      (event, index) => event.data.kind !== undefined && event.data.kind === events[index - 1]?.data.kind,
    ).length,
};

/** The consumers in JavaScript, by their names. */
export const CONSUMERS: ReadonlyMap<string, Adapter> = new Map([
  ...Object.entries(DRAWINGS).map(([name, draw]): [string, Adapter] => [name, createLineAdapter(draw)]),
  ...Object.entries({ ...LISTS, ...VIEWS }).map(([name, show]): [string, Adapter] => [
    name,
    createListAdapter(show),
  ]),
  ["tools of valid events", createValidatingAdapter(hecate as unknown as KitProtocol)],
  ["texts alone", createTextAdapter(hecate as unknown as KitProtocol)],
]);

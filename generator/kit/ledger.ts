/**
 * What a stream has said so far, and how the next payload has to look so that the declared rules hold. It only helps the
 * generator to make rich streams; whether one is sound is for the stream checker to say.
 */
import { utf8Length } from "../conform/utf8-length.js";
import { isObject, type Json, type JsonObject } from "../json.js";
import type { StreamRules } from "../protocol/stream-rules.js";
import type { Random } from "../random.js";

type Payload = { [name: string]: Json };

/** The memory of one stream. */
export interface Ledger {
  /** Brings `payload` into line with the rules. */
  settle(type: string, payload: Payload, random: Random): void;
  /** Notes an event that was sent. */
  commit(type: string, payload: JsonObject): void;
}

/** The ledger of a stream with nothing in it. */
export function ledger(rules: StreamRules): Ledger {
  const pages = PAGES.map((page) => page(rules));
  return {
    settle: (type, payload, random) => {
      for (const page of pages) page.settle(type, payload, random);
    },
    commit: (type, payload) => {
      for (const page of pages) page.commit?.(type, payload);
    },
  };
}

interface Page {
  settle(type: string, payload: Payload, random: Random): void;
  commit?(type: string, payload: JsonObject): void;
}

function bytesPage({ offsets = [] }: StreamRules): Page {
  const sent = new Map<string, number>();
  const keyOf = (index: number, source: Json | undefined, output: Json | undefined): string =>
    JSON.stringify([index, source, output]);
  return {
    settle(type, payload) {
      for (const [index, rule] of offsets.entries()) {
        const [source, output] = rule.key;
        if (type === rule.type)
          payload[rule.offset] = sent.get(keyOf(index, payload[source], payload[output])) ?? 0;
        if (type !== rule.end) continue;
        if (rule.unless !== undefined && Object.hasOwn(payload, rule.unless)) payload[rule.unless] = false;
        for (const [name, field] of Object.entries(rule.totals ?? {}))
          if (Object.hasOwn(payload, field))
            payload[field] = sent.get(keyOf(index, payload[source], name)) ?? 0;
      }
    },
    commit(type, payload) {
      for (const [index, { key, type: piece, data, start = [] }] of offsets.entries()) {
        const [source, output] = key;
        if (start.includes(type))
          for (const name of [...sent.keys()])
            if (name.startsWith(`[${index},${JSON.stringify(payload[source])},`)) sent.delete(name);
        const text = payload[data];
        if (type !== piece || typeof text !== "string") continue;
        const name = keyOf(index, payload[source], payload[output]);
        sent.set(name, (sent.get(name) ?? 0) + utf8Length(text));
      }
    },
  };
}

/** The greater of two figures, or of the members of two objects of figures. */
function risen(before: Json | undefined, now: Json): Json {
  if (typeof before === "number" && typeof now === "number") return Math.max(before, now);
  if (!isObject(before) || !isObject(now)) return now;
  return Object.fromEntries(Object.entries(now).map(([name, value]) => [name, risen(before[name], value)]));
}

function figuresPage({ rising = [], ordered = [], sums = [] }: StreamRules): Page {
  const totals = new Map<string, Json>();
  return {
    settle(type, payload) {
      for (const { type: of, fields } of rising)
        for (const field of of === type ? fields : [])
          if (payload[field] !== undefined)
            payload[field] = risen(totals.get(`${type}\n${field}`), payload[field]);
      for (const { type: of, fields } of ordered) {
        let part: Json | undefined;
        for (const field of of === type ? fields : []) {
          if (payload[field] === undefined) continue;
          payload[field] = risen(part, payload[field]);
          part = payload[field];
        }
      }
      for (const { type: of, sum, of: parts } of sums) {
        const values = parts.map((field) => payload[field]);
        if (of === type && payload[sum] !== undefined && values.every((value) => typeof value === "number"))
          payload[sum] = values.reduce((total, value) => total + value, 0);
      }
    },
    commit(type, payload) {
      for (const { type: of, fields } of rising)
        for (const field of of === type ? fields : [])
          if (payload[field] !== undefined) totals.set(`${type}\n${field}`, payload[field]);
    },
  };
}

function statesPage({ transitions = [] }: StreamRules): Page {
  const states = new Map<string, string>();
  const idOf = (value: Json | undefined): string => JSON.stringify(Array.isArray(value) ? value[0] : value);
  return {
    settle(type, payload, random) {
      for (const { moves, events } of transitions)
        for (const { type: of, key, from, to, when = {} } of events) {
          if (of !== type) continue;
          Object.assign(payload, when);
          const state = states.get(idOf(payload[key]));
          const next = state === undefined ? [] : (moves[state] ?? []);
          if (from !== undefined && state !== undefined) payload[from] = state;
          if (to !== undefined && next.length > 0) payload[to] = next[random.below(next.length)] as string;
        }
    },
    commit(type, payload) {
      for (const { events } of transitions)
        for (const { type: of, key, to, state } of events) {
          const now = to === undefined ? state : payload[to];
          if (of === type && typeof now === "string") states.set(idOf(payload[key]), now);
        }
    },
  };
}

function pathsPage({ relativePaths = [] }: StreamRules): Page {
  return {
    settle(type, payload) {
      for (const { type: of, field } of relativePaths) {
        const value = payload[field];
        if (of !== type || value === undefined) continue;
        if (typeof value === "string") payload[field] = "src/main.ts";
        else if (Array.isArray(value)) payload[field] = value.map((_, index) => `src/file-${index}.ts`);
      }
    },
  };
}

const PAGES: readonly ((rules: StreamRules) => Page)[] = [bytesPage, figuresPage, statesPage, pathsPage];

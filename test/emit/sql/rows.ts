/** Reads the rows of views in a form that does not depend on the engine. */
import { planViews } from "../../../generator/emit/sql/columns.js";
import type { Protocol } from "../../../generator/protocol/protocol.js";
import type { Views } from "./engine.js";

/** Returns the names of the views of single events and of things that begin and end. */
export function listViews(protocol: Protocol): readonly string[] {
  const { views, spans } = planViews(protocol);
  return [...views.map(({ name }) => name), ...spans.map(({ view }) => view), "events", "deliveries"];
}

/** Returns the rows of a view in an order and a form that do not depend on the engine. */
export async function readRows({ schema, quote, query }: Views, view: string): Promise<readonly string[]> {
  const rows = await query(`SELECT * FROM ${schema}.${quote(view)}`);
  return rows.map((row) => JSON.stringify(formatValue(row))).sort();
}

/** Returns the object, the list or the text of a JSON text; undefined for other texts. */
function parseJson(text: string): unknown {
  try {
    return /^[[{"]/.test(text) ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a value in a form that does not depend on the engine: JSON as values, times as those of JavaScript, numbers as texts. */
function formatValue(value: unknown): unknown {
  // Some engines show the null of JSON as a text.
  if (value === null || value === "null") return null;
  if (typeof value === "boolean") return value;
  if (Array.isArray(value)) return value.map(formatValue);
  if (typeof value === "object")
    return Object.fromEntries(
      Object.entries(value)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, item]) => [name, formatValue(item)]),
    );
  const text = String(value);
  const json = parseJson(text);
  if (json !== undefined) return typeof json === "string" ? json : formatValue(json);
  const time = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d[\d.]*)Z?$/.exec(text);
  return time ? new Date(`${time[1]}T${time[2]}Z`).toISOString() : text;
}

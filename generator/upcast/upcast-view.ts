/**
 * Writes the steps of a plan as a view for DuckDB. It stands in the place of the table of raw events of the later version,
 * so all views of that version show the events of the earlier one.
 */
import { FIXED_VIEWS, planViews } from "../emit/sql/columns.js";
import { DIALECTS } from "../emit/sql/dialects.js";
import { isObject, type Json, joinPointer, splitPointer } from "../json.js";
import type { OutputFile, Protocol } from "../protocol/protocol.js";
import {
  enterList,
  MEMBERS,
  type MoveStep,
  type NestedStep,
  type SplitStep,
  type UpcastStep,
} from "../protocol/upcast.js";
import { createBanner, sanitizeLine } from "../text.js";
import type { UpcastQuestion } from "./certify-plan.js";
import { nameUpcast } from "./emit-upcast.js";
import { readDecimal } from "./upcast-event.js";

/** The view as a file, or the reason why SQL cannot say what the plan does. */
type UpcastView =
  | { readonly kind: "file"; readonly file: OutputFile }
  | { readonly kind: "impossible"; readonly reason: string };

const { quoteName, quoteText } = DIALECTS.duckdb;

/** Thrown if a step cannot be written. */
class InexpressibleStep extends Error {}

/** Writes the view of a plan. */
export function emitUpcastView(question: UpcastQuestion): UpcastView {
  const { from, to, steps } = question;
  if (from.major === to.major)
    return { kind: "impossible", reason: "two releases of one major version have the same views" };
  try {
    const head = [
      `-- ${createBanner()}`,
      sanitizeLine(
        `-- Shows events of ${from.id} ${from.version} as events of ${to.id} ${to.version} in DuckDB.`,
      ),
      "-- Create the raw events of the earlier version first, and the views of the later version afterwards.",
      "-- The event is null if it cannot be carried over.",
    ];
    const content = `${head.join("\n")}\n\nCREATE SCHEMA IF NOT EXISTS ${quoteName(planViews(to).schema)};\nCREATE OR REPLACE VIEW ${formatRawEvents(to)} AS\n${formatQuery(from, steps)};\n`;
    return { kind: "file", file: { path: `${nameUpcast(question)}.duckdb.sql`, content } };
  } catch (error) {
    if (error instanceof InexpressibleStep) return { kind: "impossible", reason: error.message };
    throw error;
  }
}

function formatRawEvents(protocol: Protocol): string {
  return `${quoteName(planViews(protocol).schema)}.${quoteName(FIXED_VIEWS.rawEvents)}`;
}

/** Returns the query, which is a chain of tables: each one changes the events of the one before. */
function formatQuery(from: Protocol, steps: readonly UpcastStep[]): string {
  const { discriminator } = from.envelope;
  const keys = (from.stream?.key ?? []).map((name) => `coalesce(${find("object", [name])}, 'null')`);
  const flags = steps.flatMap((step, index) =>
    (["streamsWith", "streamsWithout"] as const).flatMap((condition) => {
      const names = step[condition];
      const partition = keys.length === 0 ? "" : `PARTITION BY ${keys.join(", ")}`;
      if (names === undefined) return [];
      return [
        { name: `${condition}_${index}`, value: `bool_or(${matches("type", names)}) OVER (${partition})` },
      ];
    }),
  );
  const columns = ["file", "position", "type", ...flags.map(({ name }) => name)].join(", ");
  const tables = [
    `SELECT file, position, TRY_CAST(event AS JSON) AS object FROM ${formatRawEvents(from)}`,
    `SELECT *, ${findText("object", [discriminator])} AS type FROM step_0`,
    `SELECT file, position, type, object AS event${flags.map(({ name, value }) => `, ${value} AS ${name}`).join("")} FROM step_1`,
  ];
  const add = (query: string) => tables.push(`${query} FROM step_${tables.length - 1}`);
  for (const [index, step] of steps.entries()) {
    const { isActive, value = "NULL", changes } = formatStep(enterList(step), discriminator);
    const conditions = [
      "json_type(event) = 'OBJECT'",
      ...(step.types === undefined ? [] : [matches("type", step.types)]),
      ...(step.streamsWith === undefined ? [] : [`streamsWith_${index}`]),
      ...(step.streamsWithout === undefined ? [] : [`NOT streamsWithout_${index}`]),
      ...Object.entries(step.when ?? {}).map(([pointer, values]) =>
        isOneOf(find("event", splitPointer(pointer)), values),
      ),
    ];
    add(`SELECT ${columns}, event, ${value} AS value, ${conditions.join(" AND ")} AS selected`);
    add(`SELECT ${columns}, event, value, coalesce(selected AND ${isActive}, false) AS active`);
    for (const change of changes)
      add(
        `SELECT ${columns}, CASE WHEN active AND event IS NOT NULL THEN ${change} ELSE event END AS event, value, active`,
      );
  }
  const chain = tables.map((query, index) => `step_${index} AS (\n  ${query}\n)`).join(",\n");
  return `WITH ${chain}\nSELECT CAST(event AS VARCHAR) AS event, file, position FROM step_${tables.length - 1}`;
}

/** A step: which events it changes, a value that is read before, and the expressions that change the event one after the other. */
interface StepExpressions {
  readonly isActive: string;
  readonly value?: string;
  readonly changes: readonly string[];
}

function formatStep(step: NestedStep, discriminator: string): StepExpressions {
  switch (step.step) {
    case "rename-type":
      return { isActive: "true", changes: [setValue([discriminator], formatJson(step.to))] };
    case "move":
      return formatMove(step);
    case "split":
      return formatSplit(step);
    case "constant": {
      const to = splitPointer(step.to);
      const added = addValue(to, formatJson(step.value));
      if (step.replaces === undefined) return { isActive: "true", changes: [added] };
      const replaced = `CASE WHEN ${isOneOf("value", [step.replaces])} THEN ${setValue(to, formatJson(step.value))} ELSE ${added} END`;
      return { isActive: "true", value: find("event", to), changes: [replaced] };
    }
    case "default": {
      const to = splitPointer(step.to);
      return {
        isActive: "value IS NULL",
        value: find("event", to),
        changes: [addValue(to, formatJson(step.value))],
      };
    }
    case "map": {
      const at = splitPointer(step.at);
      const cases = Object.entries(step.values).map(
        ([key, mapped]) => `WHEN ${isOneOf("value", [key])} THEN ${formatJson(mapped)}`,
      );
      return {
        isActive: isOneOf("value", Object.keys(step.values)),
        value: find("event", at),
        changes: [setValue(at, `CASE ${cases.join(" ")} END`)],
      };
    }
    case "scale": {
      const at = splitPointer(step.at);
      return {
        isActive: `${find("event", at)} IS NOT NULL`,
        value: scale(find("event", at), step.by),
        changes: [`CASE WHEN isfinite(value) THEN ${setValue(at, formatNumber("value"))} END`],
      };
    }
    case "each":
      throw new InexpressibleStep(
        `a step changes ${step.selector === MEMBERS ? "the values of the map" : "the items of"} ${step.list}`,
      );
    case "deep":
      throw new InexpressibleStep(`a step changes values at every depth of ${step.list}`);
  }
}

function formatMove({ from, to, alias = false }: MoveStep): StepExpressions {
  const [source, target] = [splitPointer(from), splitPointer(to)];
  const isPresent = `${find("event", source)} IS NOT NULL`;
  const changes = [
    removeValue(source),
    `CASE WHEN value IS NULL THEN event ELSE ${addValue(target, "value")} END`,
  ];
  // If both names are there, the value at the old one is left out.
  const isFree = `${find("event", target)} IS NULL`;
  const value = alias ? `CASE WHEN ${isFree} THEN ${find("event", source)} END` : find("event", source);
  return { isActive: isPresent, value, changes };
}

function formatSplit({ from, separator, to }: SplitStep): StepExpressions {
  const source = splitPointer(from);
  const parts = `string_split(${text("value")}, ${quoteText(separator)})`;
  const isPossible = `json_type(value) = 'VARCHAR' AND len(${parts}) >= ${to.length}`;
  return {
    isActive: "value IS NOT NULL",
    value: find("event", source),
    changes: [
      `CASE WHEN ${isPossible} THEN ${removeValue(source)} END`,
      ...to.map((pointer, index) => {
        const end = index === to.length - 1 ? `len(${parts})` : String(index + 1);
        const part = `array_to_string(list_slice(${parts}, ${index + 1}, ${end}), ${quoteText(separator)})`;
        return addValue(splitPointer(pointer), `to_json(${part})`);
      }),
    ],
  };
}

/** Returns the value at a place, which may be the null of JSON; the null of SQL if there is none. */
function find(object: string, path: readonly string[]): string {
  const number = path.find((name) => /^(?:\d+|-)$/.test(name));
  if (number !== undefined)
    throw new InexpressibleStep(`a field has the name ${number}, which may also be an item of a list`);
  return `json_extract(${object}, ${quoteText(joinPointer("", ...path))})`;
}

function findText(object: string, path: readonly string[]): string {
  return text(find(object, path));
}

function text(value: string): string {
  return `json_extract_string(${value}, '$')`;
}

/** Returns the members of an object except one, as a list of structures. It is empty for other values. */
function listOthers(object: string, name: string): string {
  const members = `map_entries(CASE WHEN json_type(${object}) = 'OBJECT' THEN CAST(${object} AS MAP(VARCHAR, JSON)) ELSE MAP {} END)`;
  return `[member FOR member IN ${members} IF member.key <> ${quoteText(name)}]`;
}

/** Returns the event with another value at a place. */
function setValue(path: readonly string[], value: string, parents: readonly string[] = []): string {
  const [name = "", ...rest] = path;
  const object = parents.length === 0 ? "event" : find("event", parents);
  const member = rest.length === 0 ? value : setValue(rest, value, [...parents, name]);
  return `to_json(map_from_entries(list_append(${listOthers(object, name)}, {'key': ${quoteText(name)}, 'value': CAST(${member} AS JSON)})))`;
}

/** Returns the event without the value at a place, which is there. */
function removeValue(path: readonly string[]): string {
  const [name = "", ...reversedParents] = [...path].reverse();
  const parents = reversedParents.reverse();
  const object = parents.length === 0 ? "event" : find("event", parents);
  const removed = `to_json(map_from_entries(${listOthers(object, name)}))`;
  return parents.length === 0 ? removed : setValue(parents, removed);
}

/** Returns the event with a value where there is none; null if there is one, or if an ancestor is not an object. */
function addValue(path: readonly string[], value: string): string {
  const blockages = path.map((_, index) => {
    const type = `json_type(${find("event", path.slice(0, index + 1))})`;
    return index === path.length - 1 ? `${type} IS NOT NULL` : `coalesce(${type} <> 'OBJECT', false)`;
  });
  return `CASE WHEN ${blockages.join(" OR ")} THEN NULL ELSE ${setValue(path, value)} END`;
}

/** Returns the product as decimal digits, rounded once, to the nearest number; null for a value that is not a number. */
function scale(value: string, by: number): string {
  const { digits, exponent } = readDecimal(by);
  const number = `CAST(CASE WHEN ${isNumber(value)} THEN CAST(${value} AS DOUBLE) END AS VARCHAR)`;
  const mantissa = `regexp_extract(${number}, '^[^e]*')`;
  const power = `coalesce(TRY_CAST(regexp_extract(${number}, 'e(.*)', 1) AS INTEGER), 0)`;
  const product = `CAST(replace(${mantissa}, '.', '') AS HUGEINT) * ${digits}`;
  return `TRY_CAST((${product}) || 'e' || (${power} - length(regexp_extract(${mantissa}, '\\.(.*)', 1)) + ${exponent}) AS DOUBLE)`;
}

/** Returns a number as JSON, without a point if it is an integer. */
function formatNumber(number: string): string {
  return `CASE WHEN abs(${number}) < 1e15 AND ${number} = trunc(${number}) THEN to_json(CAST(${number} AS BIGINT)) ELSE to_json(${number}) END`;
}

function isNumber(value: string): string {
  return `json_type(${value}) NOT IN ('VARCHAR', 'BOOLEAN', 'NULL', 'OBJECT', 'ARRAY')`;
}

/** Returns the condition that a value is one of these. */
function isOneOf(value: string, wanted: readonly Json[]): string {
  const conditions = wanted.map((each) => {
    if (typeof each === "string")
      return `json_type(${value}) = 'VARCHAR' AND ${text(value)} = ${quoteText(each)}`;
    if (typeof each === "number") return `${isNumber(value)} AND TRY_CAST(${value} AS DOUBLE) = ${each}`;
    if (each === null) return `json_type(${value}) = 'NULL'`;
    if (typeof each === "boolean")
      return `json_type(${value}) = 'BOOLEAN' AND CAST(${value} AS VARCHAR) = '${each}'`;
    throw new InexpressibleStep(`a value is compared with ${isObject(each) ? "an object" : "a list"}`);
  });
  return `coalesce(${conditions.map((each) => `(${each})`).join(" OR ") || "false"}, false)`;
}

/** Returns the condition that an event type has one of these names, or belongs to a family among them. */
function matches(type: string, names: readonly string[]): string {
  const conditions = names.map((name) =>
    name.endsWith("*")
      ? `starts_with(${type}, ${quoteText(name.slice(0, -1))})`
      : `${type} = ${quoteText(name)}`,
  );
  return `coalesce(${conditions.join(" OR ")}, false)`;
}

function formatJson(value: Json): string {
  return `CAST(${quoteText(JSON.stringify(value))} AS JSON)`;
}

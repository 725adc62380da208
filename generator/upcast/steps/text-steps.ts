/** Steps between one text and several fields. */
import { describeTexts, pullBackJoined, pullBackPart } from "../../contain/preimage/pull-back-parts.js";
import { areEqual, splitPointer } from "../../json.js";
import { readTemplate } from "../../protocol/step-places.js";
import type { ParseStep, SplitStep, TemplateStep, UpcastStep } from "../../protocol/upcast.js";
import { describeReplacement } from "./place-effects.js";
import { describeScalar, moveShape } from "./place-shapes.js";
import { findField, type PlacedSource, type StepBehaviour } from "./step-kind.js";

/** Splits a text into fields, at the first occurrences of a separator. */
export function readSplit({ from, separator, to }: SplitStep): StepBehaviour {
  const literals = ["", ...to.slice(1).map(() => separator), ""];
  const message = `The value has no ${to.length} parts separated by ${JSON.stringify(separator)}.`;
  const text = to.map((place) => `{${place}}`).join(separator);
  const isTemplate = areEqual(readTemplate(text).places, to);
  const inverse: Division["inverse"] = isTemplate
    ? [{ step: "template", at: from, text }]
    : "the separator or a name has braces.";
  return readDivision({ from, literals, to, message, inverse });
}

/** Reads a text into the fields of a template. */
export function readParse({ at, text }: ParseStep): StepBehaviour {
  const { places, literals } = readTemplate(text);
  const message = `The value does not fit the text ${JSON.stringify(text)}.`;
  const inverse: readonly UpcastStep[] = [{ step: "template", at, text }];
  return readDivision({ from: at, literals, to: places, message, inverse });
}

/** The division of a text into fields. */
interface Division {
  readonly from: string;
  /** The fixed texts before, between and behind the parts. */
  readonly literals: readonly string[];
  readonly to: readonly string[];
  /** The reason for which texts are refused. */
  readonly message: string;
  readonly inverse: readonly UpcastStep[] | string;
}

function readDivision({ from, literals, to, message, inverse }: Division): StepBehaviour {
  const path = splitPointer(from);
  const targets = to.map(splitPointer);
  return {
    changeShape: (shape) => moveShape(shape, [path], targets, describeScalar),
    change: (event) => {
      const value = findField(event, from);
      if (value === undefined) return undefined;
      const parts = typeof value === "string" ? splitText(value, literals) : undefined;
      if (parts === undefined) return { kind: "refused", place: from, message };
      return {
        kind: "changed",
        removed: [from],
        targets: to.map((pointer, index) => ({ to: pointer, value: parts[index] ?? "" })),
      };
    },
    describeEffect: (places) => {
      const changes = targets.map(
        (target, index): PlacedSource => ({
          path: target,
          source: {
            kind: "computed",
            path,
            pull: (schema, context) => pullBackPart(schema, { literals, index }, context),
          },
        }),
      );
      const schema = { type: "string", pattern: describeTexts(literals) };
      return describeReplacement({ paths: [path], schema }, changes, places);
    },
    follow: (findMatch) => {
      const found = findMatch(from);
      return found && { fate: to.length === 1 ? "mapped" : "split", found, move: { from, to } };
    },
    formatCall: () => ["parse", path, literals, targets],
    formatSql: (sql) => {
      const { isPossible, parts } = sql.split("value", literals);
      return {
        isActive: "value IS NOT NULL",
        value: sql.find("event", path),
        changes: [
          `CASE WHEN ${isPossible} THEN ${sql.removeValue(path)} END`,
          ...targets.map((target, index) => sql.addValue(target, parts[index] ?? "NULL")),
        ],
      };
    },
    invert: () => inverse,
  };
}

/** Returns the parts of a text between fixed texts. Each but the last ends where the text behind it occurs first. */
function splitText(text: string, [first = "", ...separators]: readonly string[]): string[] | undefined {
  if (!text.startsWith(first)) return undefined;
  let rest = text.slice(first.length);
  const parts: string[] = [];
  for (const separator of separators.slice(0, -1)) {
    const end = rest.indexOf(separator);
    if (end === -1) return undefined;
    parts.push(rest.slice(0, end));
    rest = rest.slice(end + separator.length);
  }
  const end = separators.at(-1) ?? "";
  return rest.endsWith(end) ? [...parts, rest.slice(0, rest.length - end.length)] : undefined;
}

/** Writes fields into one text. */
export function readTemplateStep({ at, text }: TemplateStep): StepBehaviour {
  const { places: sources, literals } = readTemplate(text);
  const paths = sources.map(splitPointer);
  const target = splitPointer(at);
  const fate = sources.length === 1 ? "mapped" : "joined";
  return {
    changeShape: (shape) => moveShape(shape, paths, [target], describeScalar),
    change: (event) => {
      const values = sources.map((place) => findField(event, place));
      if (values.every((value) => value === undefined)) return undefined;
      const wrong = values.findIndex((value) => typeof value !== "string");
      if (wrong !== -1) {
        const place = sources[wrong] ?? "";
        const state = values[wrong] === undefined ? "absent, and others are there" : "not a text";
        return { kind: "refused", place, message: `The value at ${place} is ${state}.` };
      }
      const value = literals.map((literal, index) => literal + (values[index] ?? "")).join("");
      return { kind: "changed", removed: sources, targets: [{ to: at, value }] };
    },
    describeEffect: (places) =>
      describeReplacement(
        { paths, schema: { type: "string" } },
        [
          {
            path: target,
            source: {
              kind: "joined",
              paths,
              pull: (schema, context) => pullBackJoined(schema, { literals, paths }, context),
            },
          },
        ],
        places,
      ),
    follow: (findMatch) => {
      for (const from of sources) {
        const found = findMatch(from);
        if (found !== undefined) return { fate, found, move: { from, to: [at] } };
      }
      const blocked = findMatch(at);
      return blocked && { fate: "in the way", found: blocked };
    },
    formatCall: () => ["template", paths, literals, target],
    formatSql: (sql) => {
      const values = paths.map((path) => sql.find("event", path));
      const texts = literals.flatMap((literal, index) => {
        const value = values[index];
        return [sql.quoteText(literal), ...(value === undefined ? [] : [sql.readText(value)])];
      });
      const isPossible = values.map((value) => `coalesce(${sql.isText(value)}, false)`).join(" AND ");
      const written = sql.writeText(texts.join(" || "));
      const removals = paths.map(
        (path) => `CASE WHEN ${sql.find("event", path)} IS NULL THEN event ELSE ${sql.removeValue(path)} END`,
      );
      return {
        isActive: values.map((value) => `${value} IS NOT NULL`).join(" OR "),
        value: `CASE WHEN ${isPossible} THEN ${written} END`,
        changes: [...removals, `CASE WHEN value IS NOT NULL THEN ${sql.addValue(target, "value")} END`],
      };
    },
    invert: () => [{ step: "parse", at, text }],
  };
}

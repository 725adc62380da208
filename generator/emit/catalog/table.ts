/** The field table of a schema, and under it what is too long for a cell and the rules between fields. */
import { isObject, type Json, type JsonObject, own } from "../../json.js";
import { ANY_FIELD, ANY_OTHER_FIELD, constraints } from "./constraints.js";
import { fieldsOf, type Row } from "./fields.js";
import { table } from "./markdown.js";
import { BRIEF, branches, makePen, type Pen, type Sections, WHOLE } from "./renderer.js";
import { typeWords } from "./type-names.js";

const HEADER = ["Field", "Type", "Required", "Constraints", "Meaning"];

/** Blocks that tell the fields of `schema`, an object, and the rules for it as a whole; `none` if there is no field. */
export function fieldBlocks(schema: Json, sections: Sections, none: string): string[] {
  const overall = constraints(schema, makePen(sections, "text", WHOLE));
  const others = overall.filter(isOpen).map((words) => [words, "any value", "no", "", ""]);
  const rules = overall.filter((words) => !isOpen(words)).map((words) => `- All together: ${words}.`);
  const [fields, notes] = tableBlocks(schema, sections, others);
  return [fields === "" ? none : fields, [notes, ...rules].filter((lines) => lines !== "").join("\n")];
}

/** The table of the fields of `schema` with `more` rows, and the notes under it; each empty if there is none. */
export function tableBlocks(
  schema: Json,
  sections: Sections,
  more: readonly (readonly string[])[] = [],
): readonly [string, string] {
  const text = makePen(sections, "text", WHOLE);
  const brief = makePen(sections, "cell", BRIEF);
  const whole = makePen(sections, "cell", WHOLE);
  const { rows, rules } = fieldsOf(schema, text);
  const shown = rows.map((row) => ({ row, line: cells(row, brief) }));
  const long = shown.filter(({ row, line }) => String(line) !== String(cells(row, whole)));
  const lines = [...shown.map(({ line }) => line), ...more];
  const notes = [
    ...long.map(({ row }) => inFull(row, text)),
    ...rules.map(({ path, words }) =>
      path === "" ? `- ${words}` : `- In ${text.code(path)}: ${lower(words)}`,
    ),
  ];
  return [lines.length === 0 ? "" : table(HEADER, lines), notes.join("\n")];
}

function isOpen(words: string): boolean {
  return words === ANY_FIELD || words === ANY_OTHER_FIELD;
}

function lower(words: string): string {
  return words.charAt(0).toLowerCase() + words.slice(1);
}

function cells(row: Row, pen: Pen): string[] {
  return [
    pen.code(row.path),
    typeWords(row.schema, pen),
    row.required ?? "",
    demands(row, pen).join("; "),
    meaning(row.schema, pen).join(" "),
  ];
}

function demands(row: Row, pen: Pen): string[] {
  const names = row.names === undefined ? [] : [`field name matches ${pen.code(row.names)}`];
  return [...names, ...constraints(row.schema, pen)];
}

/** What a shortened row says, as a list item. */
function inFull(row: Row, pen: Pen): string {
  const said = [typeWords(row.schema, pen), ...demands(row, pen)].join("; ");
  return `- ${pen.code(row.path)} in full: ${[`${said}.`, ...meaning(row.schema, pen)].join(" ")}`;
}

/** Deprecation, description and the other annotations of a field, a sentence each. */
export function meaning(schema: Json, pen: Pen): string[] {
  if (!isObject(schema)) return [];
  const text = (keyword: string): string | undefined => {
    const value = annotation(schema, keyword);
    return typeof value === "string" ? value : undefined;
  };
  const say = (keyword: string, words: (value: string) => string): string[] => {
    const value = text(keyword);
    return value === undefined ? [] : [words(value)];
  };
  return [
    ...(annotation(schema, "deprecated") === true
      ? [`${deprecation(text("x-deprecated-since"), replacement(schema, pen), pen)}.`]
      : []),
    ...[describe(schema, pen)].filter((words) => words !== ""),
    ...say("x-requires", (value) => `Waits on ${pen.code(value)}.`),
    ...say("x-stability", (value) => `Stability: ${pen.prose(value)}.`),
    ...say("x-since", (value) => `Since ${pen.prose(value)}.`),
    ...say("x-renamed-from", (value) => `Was ${pen.code(value)}.`),
  ];
}

function replacement(schema: JsonObject, pen: Pen): string | null | undefined {
  const name = annotation(schema, "x-replaced-by");
  if (name === null) return null;
  return typeof name === "string" ? pen.code(name) : undefined;
}

/** "**Deprecated** since 1.1, use `x`", for a field or an event; `replacement` is Markdown, null says that there is none. */
export function deprecation(
  since: string | undefined,
  replacement: string | null | undefined,
  pen: Pen,
): string {
  const from = since === undefined ? "" : ` since ${pen.prose(since)}`;
  const instead = replacement === null ? ", nothing replaces it" : replacement && `, use ${replacement}`;
  return `**Deprecated**${from}${instead ?? ""}`;
}

/** The description of `schema`, or that of the first part or definition that has one. */
function describe(schema: JsonObject, pen: Pen, seen: ReadonlySet<Json> = new Set()): string {
  const said = own(schema, "description");
  if (typeof said === "string") return pen.prose(said);
  const within = new Set([...seen, schema]);
  return (
    [pen.definition(schema)?.schema ?? true, ...partsOf(schema)]
      .filter((part) => isObject(part) && !within.has(part))
      .map((part) => (isObject(part) ? describe(part, pen, within) : ""))
      .find((words) => words !== "") ?? ""
  );
}

/** An annotation of `schema` or the first of its parts that has it. */
function annotation(schema: JsonObject, keyword: string): Json | undefined {
  return [schema, ...partsOf(schema)].map((part) => own(part, keyword)).find((value) => value !== undefined);
}

function partsOf(schema: JsonObject): readonly JsonObject[] {
  return [...branches(schema, "allOf"), ...branches(schema, "anyOf"), ...branches(schema, "oneOf")];
}

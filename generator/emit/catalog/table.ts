/** Formats the table of the fields of a schema, and below it the texts that are too long for a cell and the rules between fields. */
import type { Json } from "../../json.js";
import { BRANCHES, listStatements } from "../../schema/describe.js";
import { type AnnotationName, readAnnotation } from "../../schema/merge.js";
import { ANY_FIELD, ANY_OTHER_FIELD, listConstraints } from "./constraints.js";
import { collectFields, type FieldRow } from "./fields.js";
import { formatType } from "./format-type.js";
import { formatTable } from "./markdown.js";
import { BRIEF, createRenderer, type Renderer, type Sections, UNLIMITED } from "./renderer.js";
import { formatClause, lowerFirst } from "./rules.js";

const HEADER = ["Field", "Type", "Required", "Constraints", "Meaning"];

/** Returns the table of the fields of an object, and the rules for the whole object. `emptyText` replaces an empty table. */
export function formatFieldBlocks(schema: Json, sections: Sections, emptyText: string): string[] {
  const constraints = listConstraints(schema, createRenderer(sections, "text", UNLIMITED));
  const otherFields = constraints.filter(allowsOtherFields);
  const rules = constraints.filter((words) => !allowsOtherFields(words));
  const otherRows = otherFields.map((words) => [words, "any value", "no", "", ""]);
  const [table, notes] = formatTableBlocks(schema, sections, otherRows);
  const lines = [notes, ...rules.map((words) => `- All together: ${words}.`)];
  return [table === "" ? emptyText : table, lines.filter((line) => line !== "").join("\n")];
}

/** Returns the table of the fields of `schema`, with `otherRows` at its end, and the notes below it. Each text may be empty. */
export function formatTableBlocks(
  schema: Json,
  sections: Sections,
  otherRows: readonly (readonly string[])[] = [],
): readonly [table: string, notes: string] {
  const textRenderer = createRenderer(sections, "text", UNLIMITED);
  const fullCellRenderer = createRenderer(sections, "cell", UNLIMITED);
  const { rows, rules } = collectFields(schema, textRenderer);
  const formattedRows = rows.map((row) => {
    let isShortened = false;
    const renderer = createRenderer(sections, "cell", BRIEF, () => {
      isShortened = true;
    });
    return { row, cells: formatCells(row, renderer), isShortened };
  });
  const shortenedRows = formattedRows.filter(
    ({ row, cells, isShortened }) =>
      isShortened && cells.join() !== formatCells(row, fullCellRenderer).join(),
  );
  const tableRows = [...formattedRows.map(({ cells }) => cells), ...otherRows];
  const notes = [
    ...shortenedRows.map(({ row }) => formatInFull(row, textRenderer)),
    ...rules.flatMap(({ path, clause }) =>
      formatClause(
        path === ""
          ? clause
          : { ...clause, words: `In ${textRenderer.code(path)}, ${lowerFirst(clause.words)}` },
      ),
    ),
  ];
  return [tableRows.length === 0 ? "" : formatTable(HEADER, tableRows), notes.join("\n")];
}

function allowsOtherFields(words: string): boolean {
  return words === ANY_FIELD || words === ANY_OTHER_FIELD;
}

function formatCells(row: FieldRow, renderer: Renderer): string[] {
  return [
    renderer.code(row.path),
    formatType(row.schema, renderer),
    row.required ?? "",
    listDemands(row, renderer).join("; "),
    describeMeaning(row.schema, renderer).join(" "),
  ];
}

function listDemands(row: FieldRow, renderer: Renderer): string[] {
  const names = row.names === undefined ? [] : [`field name matches ${renderer.code(row.names)}`];
  return [...names, ...listConstraints(row.schema, renderer)];
}

/** Returns a shortened row in full, as a list item. */
function formatInFull(row: FieldRow, renderer: Renderer): string {
  return `- ${renderer.code(row.path)} in full: ${formatWords(row, renderer)}`;
}

/** Returns a row as a paragraph. */
export function formatFieldRow(row: FieldRow, renderer: Renderer): string {
  const required = row.required === undefined ? "" : `\n\nRequired: ${row.required}`;
  return `${renderer.code(row.path)}: ${formatWords(row, renderer)}${required}`;
}

function formatWords(row: FieldRow, renderer: Renderer): string {
  const words = [formatType(row.schema, renderer), ...listDemands(row, renderer)].join("; ");
  return [`${words}.`, ...describeMeaning(row.schema, renderer)].join(" ");
}

/** Returns the deprecation, the description and the other annotations of a field, a text for each. */
export function describeMeaning(schema: Json, renderer: Renderer): string[] {
  // The annotations of a definition are shown in its own section, except the description.
  const fieldAlone = renderer.describe(schema, (edge, part, count) =>
    edge === "$ref" ? "skip" : BRANCHES(edge, part, count),
  );
  const readTexts = (keyword: AnnotationName): string[] => {
    const value = readAnnotation(fieldAlone, keyword);
    return typeof value === "string" ? [value] : [];
  };
  const description = listStatements(renderer.describe(schema, BRANCHES), "description")
    .map(({ value }) => (typeof value === "string" ? renderer.prose(value) : ""))
    .find((text) => text !== "");
  const knownValues = readAnnotation(fieldAlone, "x-known-values");
  const replacedBy = readAnnotation(fieldAlone, "x-replaced-by");
  // The value null states that nothing replaces the field.
  let replacement: string | null | undefined = replacedBy === null ? null : undefined;
  if (typeof replacedBy === "string") replacement = renderer.code(replacedBy);
  return [
    ...(readAnnotation(fieldAlone, "deprecated") === true
      ? [`${formatDeprecation(readTexts("x-deprecated-since")[0], replacement, renderer)}.`]
      : []),
    ...(description === undefined ? [] : [description]),
    ...(Array.isArray(knownValues)
      ? [`Known values: ${renderer.list(knownValues.map(renderer.json), "and")}.`]
      : []),
    ...(readAnnotation(fieldAlone, "x-sensitive") === true
      ? ["Sensitive: it is removed from recordings."]
      : []),
    ...(readAnnotation(fieldAlone, "x-replaces") === true ? ["Replaces the list before it."] : []),
    ...formatSources(readAnnotation(fieldAlone, "x-source"), renderer),
    ...readTexts("x-requires").map((value) => `Requires ${renderer.code(value)}.`),
    ...readTexts("x-stability").map((value) => `Stability: ${renderer.prose(value)}.`),
    ...readTexts("x-since").map((value) => `Since ${renderer.prose(value)}.`),
    ...readTexts("x-renamed-from").map((value) => `Was ${renderer.code(value)}.`),
  ];
}

/** Formats where statements come from: "Source: RFC, section 2." Returns nothing if it is not declared. */
export function formatSources(sources: unknown, { prose }: Renderer): string[] {
  const texts = Array.isArray(sources) ? sources.map((source) => prose(String(source))) : [];
  return texts.length === 0 ? [] : [`Source: ${texts.join(" · ")}.`];
}

/** Formats "**Deprecated** since 1.1, use `x`" for a field or an event. `replacement` is Markdown; null says that nothing replaces it. */
export function formatDeprecation(
  since: string | undefined,
  replacement: string | null | undefined,
  renderer: Renderer,
): string {
  const start = since === undefined ? "" : ` since ${renderer.prose(since)}`;
  const advice = replacement === null ? ", nothing replaces it" : replacement && `, use ${replacement}`;
  return `**Deprecated**${start}${advice ?? ""}`;
}

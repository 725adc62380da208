/**
 * Writes the steps of a plan as views for DuckDB, PostgreSQL and Spark. Each one stands in the place of the table of raw events of the later version,
 * so all views of that version show the events of the earlier one.
 */
import { FIXED_VIEWS, planViews } from "../emit/sql/columns.js";
import { DIALECTS, type DialectName } from "../emit/sql/dialects.js";
import { splitPointer } from "../json.js";
import { enterList, type NestedStep } from "../protocol/nested-steps.js";
import type { OutputFile, Protocol } from "../protocol/protocol.js";
import { MEMBERS } from "../protocol/step-places.js";
import type { UpcastStep } from "../protocol/upcast.js";
import { createBanner, sanitizeLine } from "../text.js";
import type { UpcastQuestion } from "./certify-plan.js";
import { DUCKDB_FORMS } from "./duckdb-forms.js";
import { nameUpcast } from "./emit-upcast.js";
import { POSTGRESQL_FORMS } from "./postgresql-forms.js";
import { SPARK_FORMS } from "./spark-forms.js";
import { InexpressibleStep, type SqlForms } from "./sql-forms.js";
import type { StepExpressions } from "./steps/step-kind.js";
import { readStep } from "./steps/step-kinds.js";

/** The view as a file, or the reason why SQL cannot say what the plan does. */
type UpcastView =
  | { readonly kind: "file"; readonly file: OutputFile }
  | {
      readonly kind: "impossible";
      /** The dialect. */
      readonly title: string;
      readonly reason: string;
    };

/** The dialects of views. */
const FORMS: { readonly [dialect in DialectName]: SqlForms } = {
  duckdb: DUCKDB_FORMS,
  postgresql: POSTGRESQL_FORMS,
  spark: SPARK_FORMS,
};

/** Returns the views of a plan, one for each dialect. */
export function emitUpcastViews(question: UpcastQuestion): UpcastView[] {
  return (["duckdb", "postgresql", "spark"] as const).map((dialect) => emitUpcastView(question, dialect));
}

/** Writes the view of a plan. */
export function emitUpcastView(question: UpcastQuestion, dialect: DialectName = "duckdb"): UpcastView {
  const forms = FORMS[dialect];
  const { title } = DIALECTS[dialect];
  const { from, to, steps } = question;
  if (from.major > to.major)
    return { kind: "impossible", title, reason: "the views of the earlier version show its own raw events" };
  if (from.major === to.major)
    return { kind: "impossible", title, reason: "two releases of one major version have the same views" };
  try {
    const head = [
      `-- ${createBanner()}`,
      sanitizeLine(
        `-- Shows events of ${from.id} ${from.version} as events of ${to.id} ${to.version} in ${title}.`,
      ),
      "-- Create the raw events of the earlier version first, and the views of the later version afterwards.",
      "-- The event is null if it cannot be carried over.",
    ];
    const content = `${head.join("\n")}\n\nCREATE SCHEMA IF NOT EXISTS ${forms.quoteName(planViews(to).schema)};\nCREATE OR REPLACE VIEW ${formatRawEvents(to, forms)} AS\n${formatQuery(from, steps, forms)};\n`;
    return { kind: "file", file: { path: `${nameUpcast(question)}.${dialect}.sql`, content } };
  } catch (error) {
    if (error instanceof InexpressibleStep) return { kind: "impossible", title, reason: error.message };
    throw error;
  }
}

function formatRawEvents(protocol: Protocol, { quoteName }: SqlForms): string {
  return `${quoteName(planViews(protocol).schema)}.${quoteName(FIXED_VIEWS.rawEvents)}`;
}

/** Returns the query, which is a chain of tables: each one changes the events of the one before. */
function formatQuery(from: Protocol, steps: readonly UpcastStep[], forms: SqlForms): string {
  const { discriminator } = from.envelope;
  const { find, readText, isOneOf } = forms;
  const keys = (from.stream?.key ?? []).map((name) => forms.getGroup(find("object", [name])));
  const flags = steps.flatMap((step, index) =>
    (["streamsWith", "streamsWithout"] as const).flatMap((condition) => {
      const names = step[condition];
      const partition = keys.length === 0 ? "" : `PARTITION BY ${keys.join(", ")}`;
      if (names === undefined) return [];
      return [
        {
          name: `${condition}_${index}`,
          value: `bool_or(${matches("type", names, forms)}) OVER (${partition})`,
        },
      ];
    }),
  );
  const columns = ["file", "position", "type", ...flags.map(({ name }) => name)].join(", ");
  const tables = [
    `SELECT file, position, ${forms.parse("event")} AS object FROM ${formatRawEvents(from, forms)}`,
    `SELECT *, ${readText(find("object", [discriminator]))} AS type FROM step_0`,
    `SELECT file, position, type, object AS event${flags.map(({ name, value }) => `, ${value} AS ${name}`).join("")} FROM step_1`,
  ];
  const add = (query: string) => tables.push(`${query} FROM step_${tables.length - 1}`);
  for (const [index, step] of steps.entries()) {
    const { isActive, value = "NULL", newValue, changes } = formatStep(enterList(step), discriminator, forms);
    const conditions = [
      forms.isObject("event"),
      ...(step.types === undefined ? [] : [matches("type", step.types, forms)]),
      ...(step.streamsWith === undefined ? [] : [`streamsWith_${index}`]),
      ...(step.streamsWithout === undefined ? [] : [`NOT streamsWithout_${index}`]),
      ...Object.entries(step.when ?? {}).map(([pointer, values]) =>
        isOneOf(find("event", splitPointer(pointer)), values),
      ),
    ];
    add(`SELECT ${columns}, event, ${value} AS value, ${conditions.join(" AND ")} AS selected`);
    add(`SELECT ${columns}, event, value, coalesce(selected AND ${isActive}, false) AS active`);
    if (newValue !== undefined)
      add(`SELECT ${columns}, event, CASE WHEN active THEN ${newValue} END AS value, active`);
    for (const change of changes)
      add(
        `SELECT ${columns}, CASE WHEN active AND event IS NOT NULL THEN ${change} ELSE event END AS event, value, active`,
      );
  }
  const { formatStep: compute = (query: string) => query } = forms;
  const chain = tables.map((query, index) => `step_${index} AS (\n  ${compute(query)}\n)`).join(",\n");
  return `WITH ${chain}\nSELECT ${forms.write("event")} AS event, file, position FROM step_${tables.length - 1}`;
}

function formatStep(step: NestedStep, discriminator: string, forms: SqlForms): StepExpressions {
  if (step.step === "deep")
    throw new InexpressibleStep(`a step changes values at every depth of ${step.list}`);
  if (step.step !== "each") return readStep(step).formatSql(forms, discriminator);
  const values = step.selector === MEMBERS ? "the values of the map" : "the items of";
  throw new InexpressibleStep(`a step changes ${values} ${step.list}`);
}

/** Returns the condition that an event type has one of these names, or belongs to a family among them. */
function matches(type: string, names: readonly string[], forms: SqlForms): string {
  const conditions = names.map((name) =>
    name.endsWith("*") ? forms.startsWith(type, name.slice(0, -1)) : `${type} = ${forms.quoteText(name)}`,
  );
  return `coalesce(${conditions.join(" OR ")}, false)`;
}

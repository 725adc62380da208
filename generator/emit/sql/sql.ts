/** Emits SQL: views over the raw events of a protocol, in one file for each dialect. */
import type { OutputFile, Protocol } from "../../protocol/protocol.js";
import { createBanner, sanitizeLine } from "../../text.js";
import { FIXED_VIEWS, planViews } from "./columns.js";
import { DIALECTS, type DialectName } from "./dialects.js";
import { createEventsView, createTypedView, formatViewName, type SqlContext } from "./event-views.js";
import { createSpanView } from "./span-views.js";
import { createDeliveriesView, createStreamsView } from "./stream-views.js";
import { createViolationsView } from "./violations.js";

/** `sql/duckdb.sql`, `sql/postgresql.sql` and `sql/spark.sql`: statements that create a view for each event type, and views of streams. */
export function emitSql(protocol: Protocol): OutputFile[] {
  return Object.entries(DIALECTS).map(([name, dialect]) => {
    const context = { protocol, plan: planViews(protocol), dialect };
    const statements = listViewStatements(context).map((statement) => `${statement};\n`);
    return {
      path: `${protocol.id}/sql/${name}.sql`,
      content: `${formatHead(context)}\n${statements.join("\n")}`,
    };
  });
}

/** Returns the name of the schema that holds the views of a protocol, and the statements that create it and its views. */
export function createViewStatements(
  protocol: Protocol,
  dialect: DialectName,
): { readonly schema: string; readonly rawEvents: string; readonly statements: readonly string[] } {
  const context = { protocol, plan: planViews(protocol), dialect: DIALECTS[dialect] };
  return {
    schema: context.plan.schema,
    rawEvents: formatViewName(context, FIXED_VIEWS.rawEvents),
    statements: listViewStatements(context),
  };
}

function listViewStatements(context: SqlContext): readonly string[] {
  const views = [
    createEventsView(context),
    ...context.plan.views.map((view) => createTypedView(context, view)),
    createDeliveriesView(context),
    createStreamsView(context),
    ...context.plan.spans.map((span) => createSpanView(context, span)),
    createViolationsView(context),
  ];
  const { createView, prepareViews } = context.dialect;
  const prepared = prepareViews?.(views.map(({ name }) => name)) ?? [];
  return [...prepared, ...views.flatMap((view) => createView(view))];
}

/** Returns the comment at the beginning of a file, which says how to bind the views to files. */
function formatHead(context: SqlContext): string {
  const { protocol, plan, dialect } = context;
  const schema = `CREATE SCHEMA IF NOT EXISTS ${dialect.quoteName(plan.schema)};`;
  const binding = dialect.createBinding(formatViewName(context, FIXED_VIEWS.rawEvents));
  const lines = [
    createBanner(),
    "Change the schemas and run `accrete generate`.",
    "",
    sanitizeLine(
      `Views over the events of ${protocol.id}, version ${protocol.version}, for ${dialect.title}.`,
    ),
    `They read a table or view with the columns event (${dialect.eventColumn}), file, and position (a number that`,
    "grows within the file). Create it before you run this file, for example:",
    "",
    ...[schema, binding].join("\n").split("\n"),
    "",
    "Every statement ends with a semicolon at the end of its line.",
  ];
  return lines
    .map((line) => `-- ${line}`.trimEnd())
    .join("\n")
    .concat("\n");
}

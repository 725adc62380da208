import pc from "picocolors";
import { listKeys } from "../json.js";
import { formatCount, sanitizeText } from "../text.js";
import {
  countTotals,
  type FamilyState,
  MISSING_REQUIREMENTS,
  type Promotion,
  type PromotionRow,
} from "./promotion.js";

const HEADER = ["Event type", "Stability", "Types", "Fixtures", "Sent by", "Frontends", "Requires"];

/**
 * Returns the rows of a protocol as a table for a terminal, and the number of event types that lack each requirement. Colours
 * only repeat what the text says.
 */
export function renderStatus(
  { protocol, version, rows, families, unmetConditions, unread }: Promotion,
  color: boolean,
): string {
  const colors = pc.createColors(color);
  const cells = rows.map(formatCells);
  const widths = HEADER.map((title, column) =>
    Math.max(title.length, ...cells.map((row) => (row[column] ?? "").length)),
  );
  const formatLine = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  const table = cells.map((row, index) => {
    const isComplete = rows[index]?.lacks.length === 0;
    return `${isComplete ? colors.green("✓") : " "} ${formatLine(row)}`;
  });
  const title = `${sanitizeText(protocol)} ${sanitizeText(version)}: ${formatCount(rows.length, "event type")}`;
  const lines = [colors.bold(title), "", `  ${colors.dim(formatLine(HEADER))}`, ...table, ""];
  for (const stability of ["stable", "candidate", "experimental"] as const)
    lines.push(...summarizeStability(rows, stability));
  if (families.length > 0) lines.push("", "Tool families:", ...families.flatMap(renderFamily));
  if (unmetConditions.length > 0) {
    lines.push("", "Before the candidate event types can become stable:");
    for (const condition of unmetConditions) lines.push(`  - ${sanitizeText(condition)}`);
  }
  if (unread !== undefined) lines.push(...renderUnread(unread));
  return [...lines, ""].join("\n");
}

/** Returns lines about event types and fields that make no difference to any recorded frontend. */
function renderUnread({ types, fields }: NonNullable<Promotion["unread"]>): string[] {
  const formatPath = (path: string): string => sanitizeText(path.slice(1).replaceAll("/", "."));
  const lines = fields.map(
    ({ type, paths }) =>
      `  ${type === "*" ? "every event" : sanitizeText(type)}: ${paths.map(formatPath).join(", ")}`,
  );
  return [
    ...(types.length === 0 ? [] : ["", `Used by no recorded frontend: ${sanitizeText(types.join(", "))}`]),
    ...(lines.length === 0 ? [] : ["", "Read by no recorded frontend:", ...lines]),
  ];
}

/** Returns a line about a family, and a line for each of its event types that lacks something. */
function renderFamily({ name, types, complete, missing }: FamilyState): string[] {
  const total = formatCount(types.length, "event type");
  const state = complete ? `complete, ${total}` : `${types.length - missing.length} of ${total} complete`;
  return [`  ${sanitizeText(name)}: ${state}`, ...missing.map(renderMissing)];
}

function renderMissing({ type, stability, lacks, missingKinds }: FamilyState["missing"][number]): string {
  const reasons = [
    ...(stability === "experimental" ? ["it is experimental"] : []),
    ...lacks.map((lack) => MISSING_REQUIREMENTS[lack]),
    ...missingKinds.map((kind) => `no frontend of the kind ${kind} is tested with it`),
  ];
  return `    ${sanitizeText(type)}: ${sanitizeText(reasons.join("; "))}`;
}

function formatCells(row: PromotionRow): string[] {
  const { valid, invalid, streams, emittedBy } = row;
  return [
    sanitizeText(row.type),
    row.deprecated ? `${row.stability}, deprecated` : row.stability,
    row.types ? "yes" : "stale",
    `${valid} valid, ${invalid} invalid, ${formatCount(streams, "stream")}`,
    sanitizeText(emittedBy.join(", ")) || "-",
    sanitizeText(formatConsumers(row)) || "-",
    sanitizeText(row.waitsOn ?? "") || "-",
  ];
}

/** Returns the frontends, and their kinds in brackets. */
function formatConsumers({ consumers, consumerKinds }: PromotionRow): string {
  const names = consumers.join(", ");
  return consumerKinds.length === 0 ? names : `${names} (${consumerKinds.join(", ")})`;
}

/** Returns "all", "none", or the count as a number. */
function nameCount(count: number, total: number): string {
  if (count === total) return "all";
  return count === 0 ? "none" : String(count);
}

/** Returns a line such as "44 candidate, none complete", and a line for each requirement that some event types lack. */
function summarizeStability(rows: readonly PromotionRow[], stability: PromotionRow["stability"]): string[] {
  const { types, complete, lacks } = countTotals(rows.filter((row) => row.stability === stability));
  if (types === 0) return [];
  return [
    `${types} ${stability}, ${nameCount(complete, types)} complete`,
    ...listKeys(MISSING_REQUIREMENTS).flatMap((lack) =>
      lacks[lack] === 0 ? [] : [`  ${String(lacks[lack]).padStart(3)}: ${MISSING_REQUIREMENTS[lack]}`],
    ),
  ];
}

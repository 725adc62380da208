/** Writes the one comment on a pull request that says what its change of the contract breaks. */
import { formatCode, formatProse, formatTable, shorten } from "../emit/catalog/markdown.js";
import { type Finding, SEVERITIES } from "../finding.js";
import { getMembers, type Json, listItems, mapValues, parseJson } from "../json.js";
import { formatItem, MARKS } from "../report/markdown.js";
import { escapeXml, formatCount, sanitizeLine } from "../text.js";

/** The beginning of each comment. The findings of the comment follow it, for the next run. */
const MARKER = "<!-- accrete ";

/** A line of the table: a finding, as the next run remembers it. */
interface Row {
  /** Identifies the finding in later runs. */
  readonly key: string;
  readonly rule: string;
  readonly file: string;
  readonly message: string;
}

/** The largest number of lines of the table, of each kind. */
const MAX_ROWS = 30;

/** The largest number of characters of a text in the table. */
const MAX_TEXT = 300;

/** The largest number of characters of a comment. GitHub takes 65,536. */
const MAX_COMMENT = 60_000;

/** Returns whether a text is a comment that `renderComment` wrote. */
export function isContractComment(text: string): boolean {
  return text.startsWith(MARKER);
}

/**
 * Returns the text of the comment: a table of the findings, and their events folded below. What `before`, the text of the
 * comment until now, lists and the findings do not is crossed out. Returns undefined if there is nothing to say: no comment
 * and no finding above a note.
 */
export function renderComment(findings: readonly Finding[], before: string | undefined): string | undefined {
  if (before === undefined && !findings.some(({ severity }) => severity !== "note")) return undefined;
  const current = findings.map(createRow);
  const keys = new Set(current.map(({ key }) => key));
  const resolved = readRows(before ?? "").filter(({ key }) => !keys.has(key));
  const head = [
    `${MARKER}${encodeRows([...current.slice(0, MAX_ROWS), ...resolved.slice(0, MAX_ROWS)])} -->`,
    `### Event contract: ${summarize(findings)}`,
    formatRows(findings, resolved.slice(0, MAX_ROWS)),
  ].filter((part) => part !== "");
  return appendDetails(head.join("\n\n"), findings);
}

/** Returns the counts of findings: "1 error, 2 notes". */
function summarize(findings: readonly Finding[]): string {
  const counts = SEVERITIES.flatMap((severity) => {
    const count = findings.filter((finding) => finding.severity === severity).length;
    return count === 0 ? [] : [formatCount(count, severity)];
  });
  return counts.length === 0 ? "everything is resolved" : counts.join(", ");
}

function createRow({ rule, at, message, fingerprint }: Finding): Row {
  const key = fingerprint ?? `${rule} ${at.file} ${at.pointer}`;
  const row = { key, rule, file: at.file, message };
  return mapValues(row, (text) => shorten(text, MAX_TEXT)) as typeof row;
}

/** Returns the table of findings; an empty text if there is nothing in it. */
function formatRows(findings: readonly Finding[], resolved: readonly Row[]): string {
  const shown = findings.slice(0, MAX_ROWS);
  const rows = [
    ...shown.map((finding) => [MARKS[finding.severity], ...formatCells(createRow(finding), finding.at.line)]),
    ...resolved.map((row) => ["✅", ...formatCells(row, undefined).map((cell) => `~~${cell}~~`)]),
  ];
  if (rows.length === 0) return "";
  const rest = findings.length - shown.length;
  const note = rest > 0 ? `\n\n${formatCount(rest, "more finding")} in the log of the job.` : "";
  return formatTable(["", "place", "rule", "finding"], rows) + note;
}

function formatCells({ file, rule, message }: Row, line: number | undefined): string[] {
  const place = line === undefined ? file : `${file}:${line}`;
  return [formatCode(place, "cell"), formatCode(rule, "cell"), formatProse(message, "cell")];
}

/** Appends the details of the findings, folded, as long as the comment has room. */
function appendDetails(head: string, findings: readonly Finding[]): string {
  let text = head;
  for (const finding of findings.slice(0, MAX_ROWS)) {
    const { severity, rule, at } = finding;
    // GitHub makes no links and mentions of the text of `code`.
    const title = `${MARKS[severity]} <code>${escapeXml(sanitizeLine(`${rule} in ${at.file}`))}</code>`;
    const details = `<details><summary>${title}</summary>\n\n${formatItem(finding)}\n\n</details>`;
    if (text.length + details.length > MAX_COMMENT) return `${text}\n\nThe log of the job has all events.\n`;
    text += `\n\n${details}`;
  }
  return `${text}\n`;
}

function encodeRows(rows: readonly Row[]): string {
  return Buffer.from(JSON.stringify(rows)).toString("base64");
}

/** Reads the lines of an earlier comment. Somebody may have changed it, so that anything else is ignored. */
function readRows(comment: string): Row[] {
  const code = comment.slice(MARKER.length, comment.indexOf(" -->"));
  const rows = listItems(parseJson(Buffer.from(code, "base64").toString()));
  return rows.slice(0, 2 * MAX_ROWS).map((row) => {
    const { key, rule, file, message } = getMembers(row);
    const read = (value: Json | undefined): string =>
      shorten(typeof value === "string" ? value : "", MAX_TEXT);
    return { key: read(key), rule: read(rule), file: read(file), message: read(message) };
  });
}

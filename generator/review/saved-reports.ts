/** Reads the reports that `--format json` of commands wrote. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { UsageError } from "../failure.js";
import { type Finding, formatLocatedMessage } from "../finding.js";
import { toForwardSlashes } from "../io.js";
import { createDocumentCheck } from "../load/document-check.js";
import { readJsonFile } from "../load/read-bytes.js";
import { moveFindingsBelow } from "../report/move-findings.js";
import { compareTexts } from "../text.js";

const checkReport = createDocumentCheck<{ readonly findings: readonly Finding[] }>(
  JSON.parse(readFileSync(new URL("../report/report.schema.json", import.meta.url), "utf8")),
);

/**
 * Returns the findings of reports: files, or all JSON files below folders. The path of a report below such a folder is that
 * of the package that it is about, so the places of its findings are made relative to the repository. Throws a UsageError
 * for a file that is not a report.
 */
export function readReports(operands: readonly string[]): Finding[] {
  return operands.flatMap((operand) => {
    if (!statSync(operand).isDirectory()) return readReport(operand, "");
    const files = readdirSync(operand, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(".json"))
      .map((entry) => path.join(entry.parentPath, entry.name))
      .sort(compareTexts);
    if (files.length === 0) throw new UsageError(`${operand} holds no report.`);
    return files.flatMap((file) =>
      readReport(file, toForwardSlashes(path.dirname(path.relative(operand, file)))),
    );
  });
}

function readReport(file: string, folder: string): readonly Finding[] {
  const source = readJsonFile(file);
  const { value: report, errors } = checkReport(source.document);
  if (report === undefined) {
    const [{ instancePath, message }] = errors;
    const text = `This is no report of --format json: ${instancePath || "the document"} ${message}.`;
    throw new UsageError(formatLocatedMessage({ at: source.locate(instancePath), message: text }));
  }
  return moveFindingsBelow(folder, report.findings);
}

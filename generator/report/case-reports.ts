/** Formats the results of named cases as TAP or JUnit. */
import { escapeXml, sanitizeLine, sanitizeText } from "../text.js";
import { formatAttribute } from "./junit.js";

/** A case with its result. */
export interface CheckedCase {
  readonly name: string;
  /** The reason why the case failed, in one or more lines. */
  readonly failure?: string;
  /** The reason why the case was not run, or does not count. */
  readonly skipped?: string;
}

/** Formats cases in the Test Anything Protocol, version 14. */
export function formatTapReport(cases: readonly CheckedCase[]): string {
  const lines = cases.map(({ name, failure, skipped }, index) => {
    const skip = skipped === undefined ? "" : ` # SKIP ${escapeTap(skipped)}`;
    const line = `${failure === undefined ? "ok" : "not ok"} ${index + 1} - ${escapeTap(name)}${skip}`;
    if (failure === undefined) return line;
    const details = sanitizeText(failure).trimEnd().split("\n");
    return [line, "  ---", "  message: |", ...details.map((each) => `    ${each}`.trimEnd()), "  ..."].join(
      "\n",
    );
  });
  return ["TAP version 14", `1..${cases.length}`, ...lines, ""].join("\n");
}

/** Escapes the characters that begin a directive in a line of a test. */
function escapeTap(text: string): string {
  return sanitizeLine(text).replace(/[\\#]/g, "\\$&");
}

/** Formats cases as a JUnit report. */
export function formatCasesAsJunit(suite: string, cases: readonly CheckedCase[]): string {
  const failures = cases.filter(({ failure }) => failure !== undefined).length;
  const skipped = cases.filter((each) => each.skipped !== undefined).length;
  const counts = `tests="${cases.length}" failures="${failures}" skipped="${skipped}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="accrete" tests="${cases.length}" failures="${failures}">`,
    `  <testsuite name="${formatAttribute(suite)}" ${counts}>`,
    ...cases.map((each) => formatJunitCase(suite, each)),
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

function formatJunitCase(suite: string, { name, failure, skipped }: CheckedCase): string {
  const head = `    <testcase classname="${formatAttribute(suite)}" name="${formatAttribute(name)}"`;
  if (skipped !== undefined)
    return `${head}>\n      <skipped message="${formatAttribute(skipped)}"/>\n    </testcase>`;
  if (failure === undefined) return `${head}/>`;
  const [first = ""] = failure.split("\n");
  const text = escapeXml(sanitizeText(failure));
  return `${head}>\n      <failure message="${formatAttribute(first)}">${text}</failure>\n    </testcase>`;
}

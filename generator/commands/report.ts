import { Option } from "commander";
import { countSeverities } from "../finding.js";
import { EXIT, type ExitCode, type Io } from "../io.js";
import { REPORTERS } from "../report/report.js";
import { openForge } from "../review/forge.js";
import { readReports } from "../review/saved-reports.js";
import { updateComment } from "../review/update-comment.js";
import { formatCount } from "../text.js";
import type { CommandEntry } from "./command.js";
import { formatOption, readFormat } from "./options.js";

/** Keeps the comment of the pull request of this CI job up to date, and says what was done. */
async function comment(reports: readonly string[], io: Io): Promise<ExitCode> {
  const findings = readReports(reports);
  const forge = await openForge(io.environment ?? {}, fetch);
  const done =
    forge === undefined
      ? "this job belongs to no open pull request"
      : `the comment was ${await updateComment(forge, findings)}`;
  io.stderr(`accrete: ${done}\n`);
  return EXIT.ok;
}

/** The command `accrete report`. */
export const reportCommand: CommandEntry = {
  name: "report",
  summary: "print saved JSON reports in another format, or as a comment on a pull request",
  operands: {
    syntax: "<report...>",
    description:
      "files that --format json wrote, or folders of them; the path below a folder is that of the package in the repository",
  },
  options: [
    new Option(
      "--comment",
      "keep one comment on the pull request of this job of GitHub Actions or GitLab CI up to date",
    ),
    formatOption,
  ],
  examples: [
    ["report accrete.json --format github", "the findings as annotations"],
    ["report reports --comment", "one comment about all packages of a repository"],
  ],
  exits: "0 printed, 2 wrong usage, or an answer of the forge that is not expected.",
  run: async (reports, options, io) => {
    if (options.comment === true) return comment(reports, io);
    const findings = readReports(reports);
    const { errors, warnings } = countSeverities(findings);
    const counts = { errors, warnings, notes: findings.length - errors - warnings };
    const text = [
      formatCount(errors, "error"),
      formatCount(warnings, "warning"),
      formatCount(counts.notes, "note"),
    ].join(", ");
    // The places of saved reports begin at the root of the repository already.
    const summary = { text, data: counts };
    io.stdout(REPORTERS[readFormat(options)](findings, { color: io.colors, summary }));
    return EXIT.ok;
  },
};

import type { Proposal } from "../agents/propose-schemas.js";
import { startTimeLimit } from "../compat/proof/time-limit.js";
import { EXIT, type ExitCode, type Io } from "../io.js";
import { loadValidProtocols } from "../load/load-protocols.js";
import { formatTextReport } from "../report/text.js";
import type { Profile } from "../schema/readings.js";
import { validate } from "../validate/validate.js";
import type { CommandEntry, Outcome } from "./command.js";
import { compareProtocols } from "./compat.js";
import { findExplanations } from "./explain.js";
import { lintProtocols } from "./lint.js";
import {
  consumersOption,
  fixturesOption,
  type RawOptions,
  readConsumersFile,
  readText,
  schemasOrBundledOption,
} from "./options.js";

/** The seconds after which a comparison answers with what is known. Clients wait for about a minute. */
const TIME_LIMIT = 40;

/** The maximum number of findings of a validation in an answer. */
const MAX_FINDINGS = 50;

/** The folders and files that the answers are about. */
interface Folders {
  readonly schemas: string;
  readonly fixtures: string;
  readonly consumers: string;
}

/** Compares the schemas with `against` or, if it is undefined, with their releases. */
function compare(folders: Folders, protocols: readonly string[], io: Io, against?: string): Promise<Outcome> {
  const timeLimit = startTimeLimit(TIME_LIMIT);
  const options = { ...folders, protocols, against, hasDifferences: false, timeLimit };
  return compareProtocols({ ...options, failOn: "error" }, io);
}

/** Lints the schemas. If they have no errors, compares them with their releases. */
async function checkSchemas(folders: Folders, protocols: readonly string[], io: Io): Promise<Outcome> {
  const linted = await lintProtocols({ ...folders, protocols }, false);
  return linted.exitCode === EXIT.ok ? compare(folders, protocols, io) : linted;
}

/** Returns whether a comparison had a release to compare with. */
function hasRelease({ summary }: Outcome): boolean {
  const { protocols } = summary.data;
  return Array.isArray(protocols) && protocols.some(({ against }) => against?.length > 0);
}

function describeFindings({ findings, summary }: Outcome): string {
  return formatTextReport(findings, { summary });
}

/** Answers whether the schemas may be as they are on the disk, or as a proposal changes them. */
async function checkChange(
  folders: Folders,
  proposal: Proposal,
  protocols: readonly string[],
  io: Io,
): Promise<string> {
  const { schemas } = folders;
  const ask = async (asked: Folders): Promise<string> => {
    const outcome = await checkSchemas(asked, protocols, io);
    if (outcome.exitCode !== EXIT.ok) return `No, not in this way.\n${describeFindings(outcome)}`;
    if (hasRelease(outcome)) return `Yes, this may be done.\n${describeFindings(outcome)}`;
    const yes = "Yes: nothing of this is released yet, so everything may change.";
    if (asked.schemas === schemas) return yes;
    const differences = await compare(asked, protocols, io, `dir:${schemas}`);
    return `${yes} Compared with the files on the disk:\n${describeFindings(differences)}`;
  };
  if (Object.keys(proposal).length === 0) return ask(folders);
  const { withProposal } = await import("../agents/propose-schemas.js");
  return withProposal(schemas, proposal, async (copy) => {
    const answer = await ask({ ...folders, schemas: copy });
    return answer.replaceAll(copy, schemas);
  });
}

/** Validates events as `accrete validate` does, and returns what it prints. */
async function validateEvents(
  events: readonly unknown[],
  options: { readonly schemas: string; readonly profile: Profile; readonly protocol: string | undefined },
  io: Io,
): Promise<string> {
  const printed: string[] = [];
  const print = (text: string): void => void printed.push(text);
  const lines = events.map((event) => `${JSON.stringify(event)}\n`);
  const stdin = (async function* () {
    yield Buffer.from(lines.join(""));
  })();
  const switches = { eventsOnly: false, stats: false, lines: false, compare: false, feed: undefined };
  const task = {
    ...options,
    ...switches,
    files: ["-"],
    format: "text",
    limit: MAX_FINDINGS,
    threads: 1,
  } as const;
  const ownIo = { ...io, stdin, stdout: print, stderr: print };
  const exitCode = await validate(task, ownIo, new AbortController().signal);
  return `${exitCode === EXIT.ok ? "Valid." : "Not valid."}\n${printed.join("")}`;
}

async function serve(options: RawOptions, io: Io): Promise<ExitCode> {
  const { serveAgent } = await import("../agents/serve-agent.js");
  const [schemas, fixtures] = [readText(options, "schemas"), readText(options, "fixtures")];
  const folders = { schemas, fixtures, consumers: readConsumersFile(options) };
  await serveAgent(
    {
      checkChange: (proposal, protocols) => checkChange(folders, proposal, protocols, io),
      explainRule: (rule) => findExplanations(rule).join("\n"),
      validateEvents: (events, profile, protocol) =>
        validateEvents(events, { schemas, profile, protocol }, io),
      loadProtocols: (ids) => loadValidProtocols(schemas, ids),
    },
    io,
  );
  return EXIT.ok;
}

/** The command `accrete mcp`. */
export const mcpCommand: CommandEntry = {
  name: "mcp",
  summary: "answer coding agents over the Model Context Protocol, on standard input and output",
  options: [schemasOrBundledOption, fixturesOption, consumersOption],
  examples: [
    ["mcp", "a server that a coding agent starts"],
    ["mcp --schemas contracts", "for the protocols of another folder"],
  ],
  run: (_operands, options, io) => serve(options, io),
};

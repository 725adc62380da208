import { existsSync, statSync } from "node:fs";
import type { Finding, KnownFinding } from "../finding.js";
import type { Protocol } from "../protocol/protocol.js";
import { type Files, openFiles } from "./files.js";
import { type LoadedProtocol, type LoadOptions, loadProtocol } from "./protocol.js";

/** What a schemas folder holds. With an error among the findings, the protocols concerned are absent. */
export interface Loaded {
  /** Sorted by id. */
  readonly protocols: readonly Protocol[];
  /** Every problem of every file, in order of file and position. */
  readonly findings: readonly Finding[];
}

/**
 * Loads the protocols below `folder`, all of them or those whose id is in `select` (`orders/v1`).
 * Problems are findings, all in one run. Reads no file outside of `folder` and nothing from a network.
 */
export async function loadSchemas(
  folder: string,
  select: readonly string[] = [],
  options: LoadOptions = { examples: true },
): Promise<Loaded> {
  if (!existsSync(folder) || !statSync(folder).isDirectory())
    return { protocols: [], findings: [missing(folder, "The schemas folder does not exist.")] };
  return await loadFiles(openFiles(folder), folder, select, options);
}

/** Loads the protocols of `files` as `loadSchemas` does. */
export async function loadFiles(
  files: Files,
  folder: string,
  select: readonly string[] = [],
  options: LoadOptions = { examples: true },
): Promise<Loaded> {
  const { ids, nameless } = protocolIds(files);
  const unknown = select.filter((id) => !ids.includes(id));
  if (ids.length + nameless.length === 0)
    return { protocols: [], findings: [missing(folder, "The folder holds no protocol.")] };
  const wanted = select.length > 0 ? ids.filter((id) => select.includes(id)) : ids;
  const results: LoadedProtocol[] = [];
  // One after the other: whether a protocol is whole is seen by the findings of files that came meanwhile.
  for (const id of wanted) results.push(await loadProtocol(files, id, options));
  return {
    protocols: results.flatMap(({ protocol }) => (protocol ? [protocol] : [])),
    findings: inOrder([
      ...unknown.map((id) =>
        missing(folder, `There is no protocol ${JSON.stringify(id)} here; there is ${ids.join(", ")}.`),
      ),
      ...nameless.map((id) => missing(files.display(id), "The protocol has no protocol.json.")),
      ...files.findings,
      ...results.flatMap(({ findings }) => findings),
    ]),
  };
}

/** Ids (`orders/v1`) of the protocol folders, and folders that are one but for their protocol.json, sorted. */
function protocolIds(files: Files): { ids: string[]; nameless: string[] } {
  const folders = files.look("").folders.flatMap((name) => files.look(name).folders);
  const ids = folders.filter((id) => files.look(id).files.includes(`${id}/protocol.json`)).sort();
  const nameless = folders.filter(
    (id) => !ids.includes(id) && files.look(id).files.includes(`${id}/envelope.schema.json`),
  );
  return { ids, nameless: nameless.sort() };
}

function missing(file: string, message: string): KnownFinding {
  return {
    rule: "protocol-missing",
    severity: "error",
    message,
    at: { file, pointer: "" },
    hint: "A protocol stands in <schemas folder>/<name>/v<major>/ and has a protocol.json.",
  };
}

function inOrder(findings: readonly Finding[]): Finding[] {
  const key = ({ at, rule }: Finding) => [at.file, at.line ?? 0, at.column ?? 0, rule] as const;
  return [...findings].sort((a, b) => {
    const [x, y] = [key(a), key(b)];
    for (let i = 0; i < x.length; i++) if (x[i] !== y[i]) return (x[i] ?? 0) < (y[i] ?? 0) ? -1 : 1;
    return 0;
  });
}

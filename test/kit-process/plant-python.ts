/** Plants bugs in consumers in Python: programs that need Python only. */
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createModel, type KitProtocol } from "../../generator/kit/kit-protocol.js";
import { listPayloadFields } from "../../generator/sample/merged-schema.js";
import { BUGS, type Bug } from "../kit/bugs.js";

/** A change of the source of a consumer. `find` stands there once. */
export interface Edit {
  readonly find: string;
  readonly replacement: string;
}

/** A bug of the JavaScript consumers in Python. */
interface PythonBug {
  readonly name: string;
  readonly edits: readonly Edit[];
  /** The laws that catch it if the consumer is in another process; by default those that catch it in JavaScript. */
  readonly breaks?: readonly string[];
}

/** The bugs of the JavaScript consumers in Python, and those that have no counterpart there. */
interface BugTable {
  readonly planted: readonly PythonBug[];
  readonly notPortable: readonly { readonly name: string; readonly reason: string }[];
}

const FOLDER = path.join(import.meta.dirname, "python");

/** The bugs as the table of the JavaScript consumers describes them, with their changes in Python. */
export const PYTHON_BUGS: BugTable = JSON.parse(
  readFileSync("test/cases/kit-process/python-bugs.json", "utf8"),
);

/** Returns the row of the table of the JavaScript consumers. */
export function findBug(name: string): Bug {
  const bug = BUGS.find((each) => each.name === name);
  if (bug === undefined) throw new Error(`No bug of the JavaScript consumers is called "${name}"`);
  return bug;
}

/** Applies edits to a source. Throws if the text of one does not stand there exactly once. */
export function applyEdits(source: string, edits: readonly Edit[]): string {
  let edited = source;
  for (const { find, replacement } of edits) {
    const parts = edited.split(find);
    if (parts.length !== 2) throw new Error(`"${find}" stands ${parts.length - 1} times in the source`);
    edited = parts.join(replacement);
  }
  return edited;
}

/** Writes a consumer with the adapter of the documentation into `folder`. Returns the command that starts it. */
export function writePythonAdapter(
  folder: string,
  design: "reducer" | "rebuilder" | "panel" | "views",
  protocol: KitProtocol,
  edits: readonly Edit[] = [],
): string {
  const source = readFileSync(path.join(FOLDER, `${design}.py`), "utf8");
  writeFileSync(path.join(folder, "timeline.py"), applyEdits(source, edits));
  writeFileSync(path.join(folder, "protocol.json"), JSON.stringify(describeProtocol(protocol)));
  copyFileSync("docs/examples/python/adapter.py", path.join(folder, "adapter.py"));
  return `exec python3 ${path.join(folder, "adapter.py")}`;
}

/** Returns the facts about a protocol that the consumers need. */
export function describeProtocol(protocol: KitProtocol): object {
  const { envelope, stream = {}, rules, schemas } = protocol;
  const payloadFields = listPayloadFields(createModel(protocol));
  const fields = Object.keys(schemas.events).map((type) => {
    const values = payloadFields
      .filter((each) => each.type === type)
      .map(({ field, merged }) => [field, merged.values ?? null]);
    return [type, Object.fromEntries(values)];
  });
  const properties = Object.entries(schemas.events).flatMap(([type, { property }]) =>
    property === undefined ? [] : [[type, property]],
  );
  return {
    discriminator: envelope.discriminator,
    property: envelope.property ?? null,
    properties: Object.fromEntries(properties),
    stream,
    texts: rules?.texts ?? [],
    lifecycles: rules?.lifecycles ?? [],
    fields: Object.fromEntries(fields),
  };
}

/** Pairs of versions with the plans that lead from one to the other, and pairs for which there is none. */
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { ExampleFiles } from "../../generator/compat/change.js";
import { parseContractOperand } from "../../generator/diff/contract-operand.js";
import { readContract } from "../../generator/diff/read-contract.js";
import type { JsonObject } from "../../generator/json.js";
import { loadSchemas } from "../../generator/load/load.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import type { UpcastStep } from "../../generator/protocol/upcast.js";
import { SERVED, writeTea } from "../compat/tea.js";

const text = { type: "string", description: "A text." };
const integer = { type: "integer", minimum: 0, description: "A number." };
const object = (properties: object, required: readonly string[] = []) => ({
  type: "object",
  description: "An object.",
  properties,
  required,
});
const list = (items: object) => ({ type: "array", description: "A list.", items });
const renamed = (schema: object, from: string) => ({ ...schema, "x-renamed-from": from });
const tombstone = (name: string, replacedBy: string, kind = "field", holder = "tea.served") => ({
  kind,
  name,
  ...(kind !== "event" && { in: holder }),
  removedIn: "2.0",
  replacedBy,
  reason: "It has another name.",
});

/** The parts of two versions of the tea protocol: the payload of tea.served, and members of protocol.json of the later one. */
interface TeaCase {
  readonly before: object;
  readonly after: object;
  readonly required?: readonly [before: readonly string[], after: readonly string[]];
  readonly tombstones?: readonly object[];
  readonly steps?: readonly UpcastStep[];
  /** The definitions of the payloads. */
  readonly defs?: readonly [before: object, after: object];
  /** Changes of all files of a version. */
  readonly files?: readonly [before: object, after: object];
}

const STREAM = { key: ["run"], sequence: "seq", first: 0, id: "id" };
const ENVELOPE = {
  properties: {
    type: text,
    id: { type: "string", minLength: 1, description: "Identifier." },
    run: text,
    seq: integer,
    data: { type: "object", description: "The payload." },
  },
  required: ["type", "id", "run", "seq", "data"],
};
const withTenant = { ...ENVELOPE, properties: { ...ENVELOPE.properties, tenant: text } };

const STATUS = (...values: readonly string[]) => ({
  type: "string",
  enum: values,
  description: "The state.",
});

/** Pairs of versions with a plan. */
const TEA_CASES: { readonly [name: string]: TeaCase } = {
  "the fields of an object are renamed": {
    before: { used: object({ input: integer, output: integer, cachedInput: integer }, ["input", "output"]) },
    after: {
      used: object(
        {
          inputTokens: renamed(integer, "input"),
          outputTokens: renamed(integer, "output"),
          cacheReadTokens: renamed(integer, "cachedInput"),
        },
        ["inputTokens", "outputTokens"],
      ),
    },
  },
  "an object and a field of it are renamed": {
    before: { cup: object({ size: integer }, ["size"]) },
    after: { pot: renamed(object({ litres: renamed(integer, "size") }, ["litres"]), "cup") },
    required: [["cup"], ["pot"]],
  },
  "fields of items are renamed, also of items inside": {
    before: {
      cups: list(object({ size: integer, parts: list(object({ note: text }, ["note"])) }, ["size"])),
    },
    after: {
      servings: renamed(
        list(
          object(
            {
              litres: renamed(integer, "size"),
              parts: list(object({ remark: renamed(text, "note") }, ["remark"])),
            },
            ["litres"],
          ),
        ),
        "cups",
      ),
    },
    required: [["cups"], ["servings"]],
  },
  "values and units of items change": {
    before: {
      marks: list(STATUS("new", "old")),
      cups: list(object({ state: STATUS("full", "left"), ms: { ...integer, maximum: 1e9 } }, ["state"])),
    },
    after: {
      marks: list(STATUS("new", "used")),
      cups: list(
        object(
          { state: STATUS("full", "empty"), s: { type: "number", maximum: 1e6, description: "Seconds." } },
          ["state", "s"],
        ),
      ),
    },
    steps: [
      { step: "map", at: "/data/marks/*", values: { old: "used" } },
      { step: "scale", at: "/data/cups/*/ms", by: 0.001 },
      { step: "move", from: "/data/cups/*/ms", to: "/data/cups/*/s" },
      { step: "default", to: "/data/cups/*/s", value: 0, when: { "/data/cups/*/state": ["left"] } },
      { step: "default", to: "/data/cups/*/s", value: 1 },
      { step: "map", at: "/data/cups/*/state", values: { left: "empty" } },
    ],
  },
  "a value of a closed list is split by another field": {
    before: { status: STATUS("done", "failed"), late: { type: "boolean", description: "Too late." } },
    after: {
      status: STATUS("done", "failed", "timed_out"),
      late: { type: "boolean", description: "Too late." },
    },
    required: [["status"], ["status"]],
    steps: [
      { step: "map", at: "/data/status", values: { failed: "timed_out" }, when: { "/data/late": [true] } },
    ],
  },
  "a value of a closed list becomes a value and a reason": {
    before: { status: STATUS("done", "failed_late", "failed_lost") },
    after: { status: STATUS("done", "failed"), reason: STATUS("late", "lost") },
    required: [["status"], ["status"]],
    steps: [
      { step: "constant", to: "/data/reason", value: "late", when: { "/data/status": ["failed_late"] } },
      { step: "constant", to: "/data/reason", value: "lost", when: { "/data/status": ["failed_lost"] } },
      { step: "map", at: "/data/status", values: { failed_late: "failed", failed_lost: "failed" } },
    ],
  },
  "a removed value has a replacement": {
    before: { status: STATUS("done", "ended") },
    after: { status: STATUS("done") },
    tombstones: [tombstone("ended", "done", "value", "tea.served#/properties/status")],
  },
  "milliseconds become seconds": {
    before: { elapsed_ms: { ...integer, maximum: 86_400_000 } },
    after: { elapsed_s: { type: "number", minimum: 0, maximum: 86_400, description: "Seconds." } },
    required: [["elapsed_ms"], ["elapsed_s"]],
    steps: [
      { step: "scale", at: "/data/elapsed_ms", by: 0.001 },
      { step: "move", from: "/data/elapsed_ms", to: "/data/elapsed_s" },
    ],
  },
  "seconds become whole milliseconds": {
    before: { wait: { type: "number", multipleOf: 1, minimum: 0, maximum: 100, description: "Seconds." } },
    after: { wait: { ...integer, multipleOf: 1000, exclusiveMaximum: 100_001 } },
    steps: [{ step: "scale", at: "/data/wait", by: 1000 }],
  },
  "a number is scaled twice": {
    before: { wait: { ...integer, maximum: 86_400_000 } },
    after: { wait: { type: "number", minimum: 0, description: "Half seconds." } },
    steps: [
      { step: "scale", at: "/data/wait", by: 0.001 },
      { step: "scale", at: "/data/wait", by: 2 },
    ],
  },
  "a field moves into the envelope": {
    before: { tenant: text, cups: integer },
    after: { cups: integer },
    required: [["tenant"], []],
    tombstones: [tombstone("tenant", "/tenant")],
    files: [
      { "envelope.schema.json": ENVELOPE },
      { "envelope.schema.json": { ...withTenant, required: [...withTenant.required, "tenant"] } },
    ],
  },
  "the old name was sent beside the new one": {
    before: {
      cups: { ...integer, deprecated: true, "x-deprecated-since": "1.0", "x-replaced-by": "servings" },
      servings: renamed(integer, "cups"),
    },
    after: { servings: renamed(integer, "cups") },
    tombstones: [tombstone("cups", "servings")],
  },
  "a text is split": {
    before: {
      model: { type: "string", pattern: "^[a-z]+/[a-z0-9/-]+$", description: "Provider and model." },
    },
    after: {
      provider: { type: "string", minLength: 1, pattern: "^[a-z]*$", description: "Provider." },
      model: { type: "string", pattern: "^[a-z0-9/-]+$", minLength: 1, description: "Model." },
    },
    required: [["model"], ["provider", "model"]],
    steps: [{ step: "split", from: "/data/model", separator: "/", to: ["/data/provider", "/data/model"] }],
  },
  "a required field gets its default": {
    before: { cups: integer },
    after: {
      cups: { ...integer, default: 1 },
      pot: { ...text, enum: ["round"] },
    },
    required: [[], ["cups", "pot"]],
  },
  "the layout gets other names": {
    before: { cups: integer },
    after: { servings: renamed(integer, "cups") },
    files: [
      { "envelope.schema.json": ENVELOPE },
      {
        "protocol.json": {
          envelope: { discriminator: "kind", payload: { placement: "nested", property: "payload" } },
          stream: { ...STREAM, key: ["run_id"], sequence: "number" },
        },
        "envelope.schema.json": {
          properties: {
            kind: text,
            id: { type: "string", minLength: 1, description: "Identifier." },
            run_id: renamed(text, "run"),
            number: integer,
            payload: { type: "object", description: "The payload." },
          },
          required: ["kind", "id", "run_id", "number", "payload"],
        },
      },
    ],
  },
  "the payload moves into a property": {
    before: { cups: integer, note: text },
    after: { cups: integer, remark: renamed(text, "note") },
    required: [["cups"], ["cups"]],
    files: [
      {
        "protocol.json": { envelope: { discriminator: "type", payload: { placement: "inline" } } },
        "envelope.schema.json": {
          properties: { type: text, id: { ...text, minLength: 1 }, run: text, seq: integer },
          required: ["type", "id", "run", "seq"],
        },
      },
      { "envelope.schema.json": ENVELOPE },
    ],
  },
};

/** Pairs of versions without a plan, with the event that shows it and the reason. */
export const IMPOSSIBLE_CASES: {
  readonly [name: string]: TeaCase & { readonly data: object; readonly reason: string };
} = {
  "a new field is required": {
    before: { cups: integer },
    after: { cups: integer, pot: text },
    required: [[], ["pot"]],
    data: {},
    reason: "/data must have the field pot",
  },
  "a text becomes a number": {
    before: { size: text },
    after: { size: integer },
    data: { size: "" },
    reason: "/data/size must be integer",
  },
  "a value goes without replacement": {
    before: { status: STATUS("done", "lost") },
    after: { status: STATUS("done") },
    data: { status: "lost" },
    reason: '/data/status must be "done"',
  },
  "a maximum is lowered": {
    before: { cups: integer },
    after: { cups: { ...integer, maximum: 9 } },
    data: { cups: 10 },
    reason: "/data/cups must be <= 9",
  },
  "two fields become one": {
    before: { cups: integer, mugs: integer },
    after: { vessels: integer },
    steps: [
      { step: "move", from: "/data/cups", to: "/data/vessels" },
      { step: "move", from: "/data/mugs", to: "/data/vessels" },
    ],
    data: { cups: 0, mugs: 0 },
    reason: "/data/cups: The value at /data/vessels is in the way",
  },
  "milliseconds become whole seconds": {
    before: { elapsed: integer },
    after: { elapsed: integer },
    steps: [{ step: "scale", at: "/data/elapsed", by: 0.001 }],
    data: { elapsed: 1 },
    reason: "/data/elapsed must be integer",
  },
  "a required object is made only with its field": {
    before: { cups: { ...integer, maximum: 9 } },
    after: { pot: object({ cups: integer }) },
    required: [[], ["pot"]],
    steps: [
      { step: "move", from: "/data/cups", to: "/data/pot/cups" },
      { step: "scale", at: "/data/pot/cups", by: 2 },
    ],
    data: {},
    reason: "/data must have the field pot",
  },
  "an open object may have the new field already": {
    before: { box: { ...object({ cups: integer }), additionalProperties: true } },
    after: { box: { ...object({ cups: integer, mark: integer }), additionalProperties: true } },
    required: [["box"], ["box"]],
    steps: [{ step: "constant", to: "/data/box/mark", value: 1 }],
    data: { box: { mark: null } },
    reason: "/data/box/mark: The value at /data/box/mark is in the way",
  },
  "a text need not have the separator": {
    before: { model: text },
    after: { provider: text, model: text },
    steps: [{ step: "split", from: "/data/model", separator: "/", to: ["/data/provider", "/data/model"] }],
    data: { model: "" },
    reason: "/data/model: The value has no 2 parts",
  },
};

/** Two versions of a protocol. */
export interface VersionPair {
  readonly from: Protocol;
  readonly to: Protocol;
}

/** Writes both versions of a case to a folder, and loads them. */
export async function loadTeaCase(teaCase: TeaCase, root: string): Promise<VersionPair> {
  const { before, after, required = [[], []], tombstones = [], steps, defs, files = [{}, {}] } = teaCase;
  const write = (major: number, properties: object, more: object): void => {
    const changes = files[major - 1] as { readonly [file: string]: JsonObject };
    writeTea(root, {
      ...changes,
      "envelope.schema.json": changes["envelope.schema.json"] ?? ENVELOPE,
      "protocol.json": { major, version: `${major}.0`, stream: STREAM, ...more, ...changes["protocol.json"] },
      [SERVED]: {
        properties,
        required: required[major - 1],
        "x-since": `${major}.0`,
        ...(defs && { $defs: defs[major - 1] }),
      },
    } as ExampleFiles);
  };
  write(1, before, {});
  write(2, after, { tombstones, ...(steps && { upcasts: [{ from: 1, steps }] }) });
  return loadVersionPair(root, "tea/v1", "tea/v2");
}

/** Loads two versions from a folder. */
export async function loadVersionPair(root: string, fromId: string, toId: string): Promise<VersionPair> {
  const { protocols, findings } = await loadSchemas(root, [fromId, toId]);
  const errors = findings.filter(({ severity }) => severity === "error");
  if (errors.length > 0) throw new Error(JSON.stringify(errors.map(({ message, at }) => [at.file, message])));
  const [from, to] = [fromId, toId].map((id) => protocols.find((protocol) => protocol.id === id));
  if (!from || !to) throw new Error(`${fromId} or ${toId} is missing`);
  return { from, to };
}

/** A pair of versions with a plan. */
interface ProvenCase {
  readonly name: string;
  /** Loads the versions. Those of a made protocol are written to `root`. */
  readonly load: (root: string) => Promise<VersionPair>;
  /** True if npm gets the schemas, because their license does not allow a copy here. */
  readonly isPublished?: boolean;
}

/** Every pair of versions with a plan. */
export const PROVEN_CASES: readonly ProvenCase[] = [
  ...Object.entries(TEA_CASES).map(([name, teaCase]) => ({
    name,
    load: (root: string) => loadTeaCase(teaCase, root),
  })),
  {
    name: "frames/v1 becomes frames/v2",
    load: () => loadVersionPair("schemas", "frames/v1", "frames/v2"),
  },
  { name: "a family of hecate/v1 is renamed", load: loadRenamedFamily },
  { name: "Copilot renames the counts of tokens", load: loadCopilotVersions, isPublished: true },
];

/** Loads the schemas of the two published versions of GitHub Copilot between which three fields were renamed. */
async function loadCopilotVersions(root: string): Promise<VersionPair> {
  const load = async (version: string): Promise<Protocol> => {
    const operand = parseContractOperand(
      `npm:@github/copilot@${version}:schemas/session-events.schema.json#/definitions/SessionEvent`,
    );
    return (await readContract(operand, root)).side.protocol;
  };
  const from = await load("1.0.34");
  const to = await load("1.0.35");
  const renames = { input: "inputTokens", output: "outputTokens", cachedInput: "cacheReadTokens" };
  const place = "/data/compactionTokensUsed";
  const steps = Object.entries(renames).map(
    ([old, now]): UpcastStep => ({
      step: "move",
      types: ["session.compaction_complete"],
      from: `${place}/${old}`,
      to: `${place}/${now}`,
    }),
  );
  return { from, to: { ...to, major: from.major + 1, upcasts: [{ from: from.major, steps }] } };
}

/** Creates hecate/v2 of hecate/v1: the family `turn.*` is `model.call.*` there, and `turn_index` is `call_index`. */
async function loadRenamedFamily(root: string): Promise<VersionPair> {
  const folder = path.join(root, "hecate/v2");
  cpSync("schemas/hecate/v1", path.join(root, "hecate/v1"), { recursive: true });
  mkdirSync(folder, { recursive: true });
  cpSync("schemas/hecate/v1", folder, { recursive: true, filter: (file) => !file.endsWith("releases") });
  const rename = (line: string): string =>
    line
      .replaceAll(/(["`])turn\.(?=[\w*])/g, "$1model.call.")
      .replaceAll('"turn_index"', '"call_index"')
      // The envelope states the major version.
      .replaceAll('"schema_version": "1"', '"schema_version": "2"')
      .replace('"value": "1"', '"value": "2"')
      .replace('"const": "1"', '"const": "2"');
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".json")) continue;
    const content = rename(readFileSync(path.join(folder, file), "utf8"));
    writeFileSync(path.join(folder, file), content);
    if (file.includes("events/turn."))
      renameSync(path.join(folder, file), path.join(folder, file.replace("turn.", "model.call.")));
  }
  const manifestFile = path.join(folder, "protocol.json");
  const manifest = JSON.parse(readFileSync(manifestFile, "utf8"));
  const tombstones = [
    { ...tombstone("turn.*", "model.call.*", "event") },
    { ...tombstone("turn_index", "call_index"), in: undefined },
  ];
  writeFileSync(
    manifestFile,
    JSON.stringify({
      ...manifest,
      major: 2,
      version: "2.0",
      tombstones,
      promotion: undefined,
      withdrawn: [],
    }),
  );
  return loadVersionPair(root, "hecate/v1", "hecate/v2");
}

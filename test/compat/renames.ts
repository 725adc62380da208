import type { Document } from "./project.js";

/** A rename in a whole protocol, and the expected findings. */
export interface Rename {
  readonly id: string;
  readonly renameField?: (name: string) => string;
  readonly renameEvent?: (type: string) => string;
  readonly editProtocol?: (document: Document) => void;
  readonly editPayload?: (type: string, payload: Document) => void;
  /** For each finding, its rule, a part of its message, and the number of members of a family. */
  readonly expected: readonly (readonly [rule: string, names: string, members?: number])[];
}

const createRenaming =
  (names: { readonly [from: string]: string }) =>
  (name: string): string =>
    names[name] ?? name;
const toCamelCase = (name: string): string =>
  name.replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase());
const toSnakeCase = (name: string): string =>
  name
    .replace(/ID/g, "Id")
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase();
const removeNaming = (document: Document): void => void delete document.naming;

/** Renames of the kinds that real protocols have had. */
export const RENAMES: { readonly [name: string]: Rename } = {
  "a family, and fields that many events share": {
    id: "hecate/v1",
    renameEvent: (type) => type.replace(/^approval\./, "gate."),
    renameField: createRenaming({ tool_call_id: "call_id", cost_micros_usd: "cost_nanos_usd" }),
    expected: [
      ["event-renamed", '"approval.*" was renamed to "gate.*"', 3],
      ["field-renamed", '"tool_call_id" was renamed to "call_id"'],
      ["field-renamed", '"cost_micros_usd" was renamed to "cost_nanos_usd"'],
    ],
  },
  "a word in the middle": {
    id: "hecate/v1",
    renameEvent: (type) => type.replace("tool.shell.", "tool.exec."),
    expected: [["event-renamed", '"tool.shell.*" was renamed to "tool.exec.*"', 3]],
  },
  "plurals and synonyms": {
    id: "frames/v1",
    renameEvent: (type) => type.replace("tool_task", "tool_tasks"),
    renameField: createRenaming({ files: "paths" }),
    expected: [
      ["event-renamed", '"tool_task_*" was renamed to "tool_tasks_*"', 8],
      ["field-renamed", '"files" was renamed to "paths"'],
    ],
  },
  "units in names": {
    id: "hecate/v1",
    renameField: (name) => name.replace(/_ms$/, "_seconds"),
    expected: [["field-renamed", '"*_ms" was renamed to "*_seconds"', 5]],
  },
  "the letter case of fields": {
    id: "frames/v1",
    renameField: toCamelCase,
    editProtocol: (document) => {
      removeNaming(document);
      document.stream = JSON.parse(toCamelCase(JSON.stringify(document.stream)));
    },
    expected: [["field-renamed", '"snake_case" was renamed to "camelCase"', 18]],
  },
  "separators of event types": {
    id: "hecate/v1",
    renameEvent: (type) => type.replaceAll(".", "_"),
    expected: [["event-renamed", '"dotted.snake_case" was renamed to "snake_case"', 67]],
  },
  "a prefix added": {
    id: "evva/v0",
    renameEvent: (type) => `agent_${type}`,
    expected: [["event-renamed", '"*" was renamed to "agent_*"', 22]],
  },
  "a prefix dropped": {
    id: "hecate/v1",
    renameField: (name) => name.replace(/^hecate\./, ""),
    expected: [["field-renamed", '"hecate.*" was renamed to "*"', 17]],
  },
  "the order of words": {
    id: "evva/v0",
    renameEvent: (type) => type.replace(/^(\w+)_(start|end)$/, "$2_$1"),
    expected: [
      ["event-renamed", '"*_end" was renamed to "end_*"', 3],
      ["event-renamed", '"*_start" was renamed to "start_*"', 3],
    ],
  },
  "forms of a verb": {
    id: "hecate/v1",
    renameEvent: (type) => type.replace(/\.(start|fail)ed$/, ".$1"),
    expected: [
      ["event-renamed", '"*.failed" was renamed to "*.fail"', 3],
      ["event-renamed", '"*.started" was renamed to "*.start"', 3],
    ],
  },
  spelling: {
    id: "frames/v1",
    renameEvent: (type) => type.replace("cancelled", "canceled").replace("signalled", "signaled"),
    expected: [
      ["event-renamed", '"tool_task_cancelled" was renamed to "tool_task_canceled"'],
      ["event-renamed", '"tool_task_signalled" was renamed to "tool_task_signaled"'],
    ],
  },
  "abbreviations in the envelope": {
    id: "frames/v2",
    renameField: createRenaming({ seq: "sequence", id: "identifier" }),
    editProtocol: ({ stream }) => void Object.assign(stream, { sequence: "sequence", id: "identifier" }),
    expected: [
      ["field-renamed", '"id" was renamed to "identifier"'],
      ["field-renamed", '"seq" was renamed to "sequence"'],
    ],
  },
  "the field that identifies a stream": {
    id: "hecate/v1",
    renameField: createRenaming({ run_id: "execution_id" }),
    editProtocol: ({ stream }) => void Object.assign(stream, { key: ["execution_id"] }),
    expected: [["field-renamed", '"run_id" was renamed to "execution_id"']],
  },
  "values of enums": {
    id: "hecate/v1",
    editPayload: (type, { properties }) => {
      if (type === "approval.resolved") properties.decision.enum = ["approved", "rejected", "canceled"];
    },
    expected: [["enum-value-renamed", '"cancelled" was renamed to "canceled"']],
  },
  "fields into a new object": {
    id: "hecate/v1",
    editPayload: (type, payload) => {
      if (type !== "turn.completed") return;
      const { input_tokens, output_tokens, cached_input_tokens, ...properties } = payload.properties;
      const tokens = { input_tokens, output_tokens, cached_input_tokens };
      payload.properties = {
        ...properties,
        usage: { type: "object", description: "Tokens.", properties: tokens },
      };
    },
    expected: [["field-moved", '"/data/*" was moved to "/data/usage/*"', 3]],
  },
  "a field into a required object": {
    id: "hecate/v1",
    editPayload: (_type, { properties, required = [] }) => {
      if (properties?.tool_call_id === undefined) return;
      const { tool_call_id: id } = properties;
      delete properties.tool_call_id;
      properties.call = { type: "object", description: "The call.", properties: { id }, required: ["id"] };
      const at = required.indexOf("tool_call_id");
      if (at >= 0) required[at] = "call";
    },
    expected: [["field-moved", '"/data/tool_call_id" was moved to "/data/call/id"']],
  },
  "all fields, and the discriminator": {
    id: "evva/v0",
    renameField: toSnakeCase,
    editPayload: (_type, payload) => {
      const name = payload["x-payload-property"];
      if (name) payload["x-payload-property"] = toSnakeCase(name);
    },
    editProtocol: (document) => {
      removeNaming(document);
      document.envelope.discriminator = "kind";
      document.stream = { key: ["agent_id"], time: "time" };
    },
    expected: [
      ["field-renamed", '"PascalCase" was renamed to "snake_case"', 39],
      ["field-renamed", '"PascalCase" was renamed to "snake_case"', 17],
      ["layout-changed", 'the discriminator "kind"'],
    ],
  },
};

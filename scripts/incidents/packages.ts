/** Packages on npm that publish the schemas of events. */
export interface SchemaPackage {
  readonly name: string;
  /** Files or folders that may hold the schemas; the first that a version has is used. */
  readonly paths: readonly string[];
  /** The pointer to the union of events; the root by default. */
  readonly pointer?: string;
  /** The types of the package that describe its events; `paths` names the schema that is made of them. */
  readonly source?: TypeSource | ZodSource;
}

/** A type of TypeScript, from which ts-json-schema-generator makes a schema. */
interface TypeSource {
  readonly module: string;
  readonly type: string;
}

/** Schemas of zod: modules that may hold them, the first that a version has is used, and the name of a union. */
interface ZodSource {
  readonly modules: readonly string[];
  readonly union: string;
}

/** The file of a schema that is made of the types of a package. */
export const MADE_SCHEMA = "made.schema.json";

export const SCHEMA_PACKAGES: readonly SchemaPackage[] = [
  {
    name: "@github/copilot",
    paths: ["schemas/session-events.schema.json"],
    pointer: "/definitions/SessionEvent",
  },
  {
    name: "@agentclientprotocol/sdk",
    paths: ["schema/v1/schema.json", "schema/schema.json"],
    pointer: "/$defs/SessionUpdate",
  },
  {
    name: "@zed-industries/agent-client-protocol",
    paths: ["schema/schema.json"],
    pointer: "/$defs/SessionUpdate",
  },
  { name: "@octokit/webhooks-schemas", paths: ["schema.json"] },
  { name: "@finos/fdc3-schema", paths: ["dist/schemas"] },
  { name: "ocpp-rpc", paths: ["lib/schemas/ocpp2_0_1.json"] },
  {
    name: "@slack/types",
    paths: [MADE_SCHEMA],
    pointer: "/definitions/SlackEvent",
    source: { module: "dist/index.js", type: "SlackEvent" },
  },
  {
    name: "@ag-ui/core",
    paths: [MADE_SCHEMA],
    source: { modules: ["dist/schemas.mjs", "dist/index.mjs"], union: "EventSchemas" },
  },
  {
    name: "@modelcontextprotocol/sdk",
    paths: [MADE_SCHEMA],
    source: { modules: ["dist/esm/types.js"], union: "ServerNotificationSchema" },
  },
];

/** Packages on npm that publish the schemas of events. */
export interface SchemaPackage {
  readonly name: string;
  /** The releases whose schemas differ from those of the release before, the oldest first; all releases by default. */
  readonly versions?: readonly string[];
  /** Files or folders that may hold the schemas; the first that a version has is used. */
  readonly paths: readonly string[];
  /** The pointer to the union of events; the root by default. */
  readonly pointer?: string;
  /** The code of the package that describes its events, if it has no schemas of them. */
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

/** The file of a schema that is made of the code of a package, and the name of its root definition. */
export const MADE_SCHEMA = "made.schema.json";
export const MADE_UNION = "MadeUnion";

const createTypeEntry = (
  name: string,
  module: string,
  type: string,
  versions: readonly string[],
): SchemaPackage => ({
  name,
  versions,
  paths: [MADE_SCHEMA],
  pointer: `/definitions/${MADE_UNION}`,
  source: { module, type },
});

const createZodEntry = (
  name: string,
  modules: readonly string[],
  union: string,
  versions?: readonly string[],
): SchemaPackage => ({
  name,
  ...(versions && { versions }),
  paths: [MADE_SCHEMA],
  source: { modules, union },
});

export const SCHEMA_PACKAGES: readonly SchemaPackage[] = [
  {
    name: "@github/copilot",
    // Later releases have no schemas.
    versions: ["1.0.56", "1.0.59", "1.0.61", "1.0.62"],
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
  createZodEntry("@ag-ui/core", ["dist/schemas.mjs", "dist/index.mjs"], "EventSchemas"),
  createZodEntry("@modelcontextprotocol/sdk", ["dist/esm/types.js"], "ServerNotificationSchema", [
    "1.20.2",
    "1.22.0",
    "1.23.1",
    "1.24.3",
    "1.25.3",
    "1.29.0",
  ]),
  createTypeEntry("@openai/codex-sdk", "dist/index.js", "ThreadEvent", [
    "0.124.0",
    "0.125.0",
    "0.132.0",
    "0.145.0",
  ]),
  createTypeEntry("@opencode-ai/sdk", "dist/v2/gen/types.gen.js", "Event", [
    "1.14.51",
    "1.15.13",
    "1.16.2",
    "1.17.20",
  ]),
  createTypeEntry("openai", "resources/responses/responses.js", "ResponseStreamEvent", [
    "7.48.0",
    "7.51.0",
    "7.52.0",
    "7.57.0",
  ]),
  createTypeEntry("@anthropic-ai/sdk", "resources/messages/messages.js", "RawMessageStreamEvent", [
    "1.5.0",
    "1.6.0",
    "1.7.0",
    "1.10.0",
  ]),
  createTypeEntry("@slack/types", "dist/index.js", "SlackEvent", ["3.0.0", "3.1.0", "3.2.0"]),
];

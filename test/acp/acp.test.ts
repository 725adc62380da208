/** If this fails, an editor that uses the Agent Client Protocol refuses or misses parts of a run. */
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { agent, client, methods, type RequestPermissionResponse } from "@agentclientprotocol/sdk";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { protocol as evva } from "../../generated/evva/v0/index.js";
import { protocol as framesV1 } from "../../generated/frames/v1/index.js";
import { protocol as framesV2 } from "../../generated/frames/v2/index.js";
import { protocol as hecate } from "../../generated/hecate/v1/index.js";
import type { AcpMessage } from "../../generator/acp/messages.js";
import { createAcpTranslator } from "../../generator/acp/translator.js";
import { loadSchemas } from "../../generator/load/load.js";
import { chooseView } from "../../generator/protocol/view-roles.js";
import { createReader } from "../../generator/stream/index.js";
import type { ViewContract } from "../../generator/view/payload.js";

const declared = new Map((await loadSchemas("schemas")).protocols.map((each) => [each.id, chooseView(each)]));
const PROTOCOLS = [
  { id: "hecate/v1", protocol: hecate },
  { id: "frames/v1", protocol: framesV1 },
  { id: "frames/v2", protocol: framesV2 },
  { id: "evva/v0", protocol: evva },
].map(({ id, protocol }) => ({
  id,
  protocol: { ...protocol, view: declared.get(id) } as unknown as ViewContract,
}));

const STREAMS = PROTOCOLS.flatMap(({ id, protocol }) =>
  readdirSync(`fixtures/${id}/streams`).map((file) => ({
    id,
    protocol,
    file: `fixtures/${id}/streams/${file}`,
  })),
);

function translateFile(protocol: ViewContract, file: string, showsReasoning = true): AcpMessage[] {
  const reader = createReader(protocol as never);
  const translator = createAcpTranslator(protocol, { showsReasoning });
  const lines = readFileSync(file, "utf8").trim().split("\n");
  return lines.flatMap((line) => translator.take(reader.read(JSON.parse(line))));
}

/** The JSON Schema that the SDK publishes. It checks messages independently of the parsers of the SDK. */
const schema = JSON.parse(
  readFileSync(
    createRequire(import.meta.url).resolve("@agentclientprotocol/sdk/schema/v1/schema.json"),
    "utf8",
  ),
);
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(schema, "acp");
const accepts = {
  "session/update": ajv.compile({ $ref: "acp#/$defs/SessionNotification" }),
  "session/request_permission": ajv.compile({ $ref: "acp#/$defs/RequestPermissionRequest" }),
};

it("sends reasoning only with showsReasoning", () => {
  const evva = PROTOCOLS.find(({ id }) => id === "evva/v0")?.protocol as ViewContract;
  const file = "fixtures/evva/v0/streams/subagent-run.jsonl";
  expect(JSON.stringify(translateFile(evva, file))).toContain("agent_thought_chunk");
  expect(JSON.stringify(translateFile(evva, file, false))).not.toContain("agent_thought_chunk");
});

it("says again that a call is in progress when it runs again, without its old output", () => {
  const protocol = PROTOCOLS.find(({ id }) => id === "hecate/v1")?.protocol as ViewContract;
  const reader = createReader(protocol as never);
  const translator = createAcpTranslator(protocol);
  const call = { tool_call_id: "c1", tool_name: "shell_exec", kind: "shell" };
  const chunk = { tool_call_id: "c1", stream: "stdout", data: "a", byte_offset: 0 };
  const events = [
    ["tool.invoked", call],
    ["tool.shell.output_chunk", chunk],
    ["gap.run_disconnected", { reason: "worker_lease_expired" }],
    ["tool.invoked", call],
  ] as const;
  const messages = events.map(([type, data], sequence) => {
    const occurred_at = "2026-01-01T00:00:00Z";
    const ids = { schema_version: "1", event_id: `evt_${sequence}`, run_id: "run_a", sequence, occurred_at };
    return translator.take(reader.read({ ...ids, type, data }));
  });
  expect(messages.at(-1)).toMatchObject([
    { params: { update: { sessionUpdate: "tool_call_update", status: "in_progress", content: [] } } },
  ]);
});

describe.each(STREAMS)("$file", ({ protocol, file }) => {
  const messages = translateFile(protocol, file);

  it("becomes messages that the published schema of ACP accepts", () => {
    expect(messages.length).toBeGreaterThan(0);
    for (const { method, params } of messages) {
      if (method === "_accrete/event") continue;
      const check = accepts[method];
      expect(check(params) ? [] : check.errors).toEqual([]);
    }
  });

  it("reaches a client of the SDK unchanged and in order", async () => {
    const received: unknown[] = [];
    const editor = client({ name: "test editor" })
      .onNotification(methods.client.session.update, ({ params }) => void received.push(params))
      .onNotification(
        "_accrete/event",
        (params) => params,
        ({ params }) => void received.push(params),
      )
      .onRequest(methods.client.session.requestPermission, ({ params }): RequestPermissionResponse => {
        received.push(params);
        return { outcome: { outcome: "cancelled" } };
      });
    await agent({ name: "accrete" }).connectWith(editor, async (editor) => {
      for (const { method, params } of messages)
        if (method === "session/request_permission") await editor.request(method, params as never);
        else await editor.notify(method, params as never);
    });
    expect(received).toEqual(messages.map(({ params }) => JSON.parse(JSON.stringify(params))));
  });
});

/** If this fails, the answer of a person in an editor becomes a wrong decision or none. */
import { readdirSync, readFileSync } from "node:fs";
import { agent, client, methods } from "@agentclientprotocol/sdk";
import { describe, expect, it } from "vitest";
import { protocol as hecate } from "../../generated/hecate/v1/index.js";
import { type AcpDecision, readDecision } from "../../generator/acp/decision.js";
import type { AcpMessage } from "../../generator/acp/messages.js";
import { type AcpOptions, createAcpTranslator } from "../../generator/acp/translator.js";
import { createReader } from "../../generator/stream/index.js";
import type { ViewContract } from "../../generator/view/payload.js";
import { chooseOption } from "./editor.js";

const STREAMS = "fixtures/hecate/v1/streams";
const contract = hecate as unknown as ViewContract & typeof hecate;

type PermissionMessage = Extract<AcpMessage, { method: "session/request_permission" }>;

function readEvents(file: string): { type: string; data: { approval_id?: string; tool_call_id?: string } }[] {
  const lines = readFileSync(`${STREAMS}/${file}`, "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line));
}

function listPermissionMessages(events: readonly unknown[], options: AcpOptions = {}): PermissionMessage[] {
  const reader = createReader(contract);
  const translator = createAcpTranslator(contract, options);
  return events
    .flatMap((event) => translator.take(reader.read(event)))
    .filter((message): message is PermissionMessage => message.method === "session/request_permission");
}

const [REQUEST] = readdirSync(STREAMS)
  .flatMap(readEvents)
  .filter(({ type }) => type === "approval.requested");

/** Sends one permission request through the SDK to an editor that chooses an answer by its kind. */
async function answerInEditor(kind: string): Promise<AcpDecision> {
  const [message] = listPermissionMessages([REQUEST]);
  if (message === undefined) throw new Error("no permission request");
  const editor = client({ name: "test editor" }).onRequest(
    methods.client.session.requestPermission,
    ({ params }) => chooseOption(params, kind),
  );
  let decision: AcpDecision | undefined;
  await agent({ name: "accrete" }).connectWith(editor, async (connection) => {
    const response = await connection.request(
      methods.client.session.requestPermission,
      message.params as never,
    );
    decision = readDecision(response.outcome);
  });
  if (decision === undefined) throw new Error("no decision");
  return decision;
}

describe("an answer of an editor", () => {
  it.each<[string, AcpDecision]>([
    ["allow_once", { decision: "approved", scope: "once" }],
    ["reject_once", { decision: "rejected", scope: "once" }],
    ["no answer", { decision: "cancelled" }],
  ])("%s becomes a decision", async (kind, decision) => {
    expect(await answerInEditor(kind)).toEqual(decision);
  });

  it.each(["allow_always", "reject_always"])(
    "%s is never offered, because permanent decisions are no events",
    async (kind) => {
      expect(await answerInEditor(kind)).toEqual({ decision: "cancelled" });
    },
  );

  it.each(["", "approved", "allow", "ALLOW_ONCE", "__proto__"])(
    "with the unknown option %j rejects",
    (optionId) => {
      expect(readDecision({ outcome: "selected", optionId })).toEqual({
        decision: "rejected",
        scope: "once",
      });
    },
  );
});

describe.each(readdirSync(STREAMS))("%s", (file) => {
  const events = readEvents(file);
  const requested = events.filter(({ type }) => type === "approval.requested");

  it("asks once for each approval, with its call, also if events are redelivered", () => {
    const messages = listPermissionMessages(events.flatMap((event) => [event, event]));
    expect(messages.map(({ approval }) => approval)).toEqual(requested.map(({ data }) => data.approval_id));
    for (const [index, { params }] of messages.entries()) {
      const { approval_id, tool_call_id } = requested[index]?.data ?? {};
      expect(params.toolCall.toolCallId).toBe(tool_call_id ?? approval_id);
    }
  });
});

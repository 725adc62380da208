/** If this fails, a person who answers a permission request in an editor does not decide the approval of the run. */
import { agent, client, methods } from "@agentclientprotocol/sdk";
import { describe, expect, it } from "vitest";
import { protocol as hecate } from "../../generated/hecate/v1/index.js";
import { readDecision } from "../../generator/acp/decision.js";
import type { AcpMessage } from "../../generator/acp/messages.js";
import { createAcpTranslator } from "../../generator/acp/translator.js";
import { findStreamErrors } from "../../generator/kit/find-stream-errors.js";
import { follow } from "../../generator/stream/index.js";
import type { ViewContract } from "../../generator/view/payload.js";
import { findValidators, loadRuns, parseBody, sendRequest, startServer } from "../serve/start.js";
import { chooseOption } from "./editor.js";

const RUNS = await loadRuns(
  "fixtures/hecate/v1/streams/approval-denied.jsonl",
  "fixtures/hecate/v1/streams/approval-timed-out.jsonl",
);
const contract = hecate as unknown as ViewContract & typeof hecate;

interface RunEvent {
  readonly type: string;
  readonly data: { readonly approval_id?: string; readonly decision?: string; readonly scope?: string };
}

/** The messages that an editor has received from a run. */
interface Editor {
  readonly permissions: string[];
  readonly notifications: unknown[];
}

/**
 * Serves a run, follows it as an ACP agent does, and sends its messages with a connection of the SDK to an editor that
 * answers every permission request with an option of this kind. Returns what the stream and the editor received.
 */
async function answerEveryRequest(index: number, kind: string) {
  const { url } = await startServer({ runs: RUNS, isInteractive: true });
  const { events: path } = parseBody(await sendRequest(`${url}/runs`)).data[index].paths;
  const stream = `${url}${path.replace(/\/events$/, "")}`;
  const received: Editor = { permissions: [], notifications: [] };
  const editor = client({ name: "test editor" })
    .onNotification(methods.client.session.update, ({ params }) => void received.notifications.push(params))
    .onNotification(
      "_accrete/event",
      (params) => params,
      ({ params }) => void received.notifications.push(params),
    )
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      received.permissions.push(params.toolCall.toolCallId);
      return chooseOption(params, kind);
    });
  const events: RunEvent[] = [];
  await agent({ name: "accrete" }).connectWith(editor, async (connection) => {
    const translator = createAcpTranslator(contract);
    const decide = async ({ params, approval }: Extract<AcpMessage, { approval: string }>): Promise<void> => {
      const { outcome } = await connection.request(methods.client.session.requestPermission, params as never);
      const { status } = await fetch(`${stream}/approvals/${approval}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(readDecision(outcome)),
      });
      expect(status).toBe(201);
    };
    for await (const delivery of follow(`${stream}/stream`, contract)) {
      // The other items are states of the connection.
      if (!("known" in delivery)) continue;
      if (delivery.kind === "new") events.push(delivery.event as RunEvent);
      for (const message of translator.take(delivery))
        if (message.method === "session/request_permission") await decide(message);
        else await connection.notify(message.method, message.params as never);
    }
  });
  return { events, received };
}

const ANSWERS = [
  ["allow_once", "approved", "once"],
  ["reject_once", "rejected", "once"],
  ["no option", "cancelled", undefined],
] as const;

describe.each(RUNS.map(({ key }, index) => ({ key, index })))("the run $key", ({ index }) => {
  it.each(ANSWERS)("resolves its approvals when an editor answers %s", async (kind, decision, scope) => {
    const { events, received } = await answerEveryRequest(index, kind);
    const requested = events.filter(({ type }) => type === "approval.requested");
    const resolved = events.filter(({ type }) => type === "approval.resolved");
    expect(requested.length).toBeGreaterThan(0);
    expect(received.permissions).toHaveLength(requested.length);
    expect(resolved.map(({ data }) => data.approval_id)).toEqual(
      requested.map(({ data }) => data.approval_id),
    );
    for (const { data } of resolved)
      expect(data).toMatchObject({ decision, ...(scope !== undefined && { scope }) });
    const { protocol, decodeEvent } = findValidators({ protocol: "hecate/v1" });
    for (const event of events)
      expect(decodeEvent(event, { profile: "writer" })).toMatchObject({ kind: "known" });
    expect(findStreamErrors(protocol, events)).toEqual([]);
    expect(JSON.stringify(received.notifications)).toContain(`"state":"${decision}"`);
  });
});

/** Builds the state that an editor shows for a session from messages of the Agent Client Protocol. */
import type { RequestPermissionOutcome, RequestPermissionRequest } from "@agentclientprotocol/sdk";
import type { AcpChunk, AcpMessage, AcpToolFields } from "../../generator/acp/messages.js";

export interface EditorState {
  /** The texts of messages and of reasoning, by session and message. */
  readonly texts: Map<string, { readonly by: AcpChunk["sessionUpdate"]; readonly text: string }>;
  /** The current fields of tool calls, by session and call. */
  readonly calls: Map<string, AcpToolFields>;
  /** The permission requests, by session and approval. */
  readonly permissions: Map<string, object>;
  /** The events for which ACP has no message. */
  readonly events: object[];
}

export function createEditor(): EditorState & { show(message: AcpMessage): void } {
  const state: EditorState = { texts: new Map(), calls: new Map(), permissions: new Map(), events: [] };
  return {
    ...state,
    show(message) {
      if (message.method === "_accrete/event") return void state.events.push(message.params);
      const key = (id: string) => JSON.stringify([message.params.sessionId, id]);
      if (message.method === "session/request_permission")
        return void state.permissions.set(key(message.approval), message.params);
      const { update } = message.params;
      if ("content" in update && "messageId" in update) {
        const before = state.texts.get(key(update.messageId))?.text ?? "";
        const text = before + update.content.text;
        state.texts.set(key(update.messageId), { by: update.sessionUpdate, text });
      } else if (update.sessionUpdate === "tool_call") {
        const { sessionUpdate: _, ...fields } = update;
        state.calls.set(key(fields.toolCallId), fields);
      } else if (update.sessionUpdate === "tool_call_update") {
        const { sessionUpdate: _, ...fields } = update;
        const before = state.calls.get(key(fields.toolCallId));
        if (before === undefined) throw new Error(`update of an unknown call ${fields.toolCallId}`);
        state.calls.set(key(fields.toolCallId), { ...before, ...fields });
      }
    },
  };
}

/** Answers a permission request with the option of a kind; cancels it if there is no such option. */
export function chooseOption(
  { options }: RequestPermissionRequest,
  kind: string,
): { outcome: RequestPermissionOutcome } {
  const option = options.find((each) => each.kind === kind);
  return { outcome: option ? { outcome: "selected", optionId: option.optionId } : { outcome: "cancelled" } };
}

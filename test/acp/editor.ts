/** What an editor holds of a session: the state that the messages of the Agent Client Protocol build up. */
import type { AcpChunk, AcpMessage, AcpToolFields } from "../../generator/acp/messages.js";

export interface EditorState {
  /** Messages and reasoning by their id, each in one string. */
  readonly texts: Map<string, { readonly by: AcpChunk["sessionUpdate"]; readonly text: string }>;
  readonly calls: Map<string, AcpToolFields>;
  /** Permission requests by approval. */
  readonly permissions: Map<string, object>;
  /** Everything that ACP has no message for. */
  readonly events: object[];
}

export function createEditor(): EditorState & { show(message: AcpMessage): void } {
  const state: EditorState = { texts: new Map(), calls: new Map(), permissions: new Map(), events: [] };
  return {
    ...state,
    show(message) {
      if (message.method === "_accrete/event") return void state.events.push(message.params);
      if (message.method === "session/request_permission")
        return void state.permissions.set(message.approval, message.params);
      const { update } = message.params;
      const key = (id: string) => JSON.stringify([message.params.sessionId, id]);
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

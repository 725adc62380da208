/**
 * The messages of the Agent Client Protocol, version 1, that a translator makes (agentclientprotocol.com/protocol/v1).
 * They are plain objects, so that this module needs no package; `@agentclientprotocol/sdk` accepts them as they are.
 */
import type { AcpPermissionOption } from "./decision.js";

/** A text block (section "Content"). */
interface AcpText {
  readonly type: "text";
  readonly text: string;
}

/** Part of a message or of reasoning (section "Prompt Turn", step "Agent Reports Output"). */
export interface AcpChunk {
  readonly sessionUpdate: "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk";
  readonly content: AcpText;
  /** Pieces of one text have the same id. */
  readonly messageId: string;
}

/** The category of a tool, by which editors choose an icon (section "Tool Calls"). */
export type AcpToolKind =
  | "read"
  | "edit"
  | "delete"
  | "move"
  | "search"
  | "execute"
  | "think"
  | "fetch"
  | "other";

/** The state of a tool call. */
export type AcpToolStatus = "pending" | "in_progress" | "completed" | "failed";

/** The properties of a tool call. */
export interface AcpToolFields {
  readonly toolCallId: string;
  readonly title: string;
  readonly kind: AcpToolKind;
  readonly status: AcpToolStatus;
  readonly rawInput?: unknown;
  readonly rawOutput?: { readonly [name: string]: string };
  readonly content?: readonly { readonly type: "content"; readonly content: AcpText }[];
}

/** A new tool call, or a change of one (section "Tool Calls"). */
type AcpToolUpdate =
  | ({ readonly sessionUpdate: "tool_call" } & AcpToolFields)
  | ({ readonly sessionUpdate: "tool_call_update"; readonly toolCallId: string } & Partial<AcpToolFields>);

/** The parameters of `session/update`. */
export interface AcpNotification {
  readonly sessionId: string;
  readonly update: AcpChunk | AcpToolUpdate;
}

/** The parameters of `session/request_permission`. */
export interface AcpPermissionRequest {
  readonly sessionId: string;
  readonly toolCall: { readonly toolCallId: string; readonly title: string; readonly status: AcpToolStatus };
  readonly options: readonly AcpPermissionOption[];
}

/** The parameters of the extension notification `_accrete/event` (section "Extensibility"): an event for which ACP has no message. */
export interface AcpExtension {
  readonly sessionId: string;
  readonly type: string;
  readonly summary: string;
  readonly facts: { readonly [name: string]: string };
  /** The event as it was received, if its type or content is not known. */
  readonly event?: unknown;
}

/** One message for an ACP client, with its method. */
export type AcpMessage =
  | { readonly method: "session/update"; readonly params: AcpNotification }
  | {
      readonly method: "session/request_permission";
      readonly params: AcpPermissionRequest;
      /** The id of the approval that the answer decides. */
      readonly approval: string;
    }
  | { readonly method: "_accrete/event"; readonly params: AcpExtension };

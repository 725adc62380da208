/** Turns the answers to permission requests into decisions about approvals (agentclientprotocol.com/protocol/v1/tool-calls). */

/** An answer that a person may choose. */
export interface AcpPermissionOption {
  readonly optionId: string;
  readonly name: string;
  readonly kind: "allow_once" | "reject_once";
}

/** The outcome in an answer to `session/request_permission`. */
export type AcpOutcome =
  | { readonly outcome: "cancelled" }
  | { readonly outcome: "selected"; readonly optionId: string };

/** A decision about an approval, as the runtime expects it. */
export interface AcpDecision {
  readonly decision: "approved" | "rejected" | "cancelled";
  /** Absent if the request was cancelled. The decision applies to this request only: permanent ones are no events. */
  readonly scope?: "once";
}

/** The answers of a permission request, and the decision that each one stands for. */
const ANSWERS: readonly { readonly option: AcpPermissionOption; readonly decision: AcpDecision }[] = [
  createAnswer("allow_once", "Allow", { decision: "approved", scope: "once" }),
  createAnswer("reject_once", "Reject", { decision: "rejected", scope: "once" }),
];

function createAnswer(kind: AcpPermissionOption["kind"], name: string, decision: AcpDecision) {
  return { option: { optionId: kind, name, kind }, decision };
}

/** The answers that a permission request offers. */
export const PERMISSION_OPTIONS: readonly AcpPermissionOption[] = ANSWERS.map(({ option }) => option);

/**
 * Returns the decision that an answer to a permission request stands for. An answer that was not offered rejects once,
 * so that a mistake of a client never allows anything.
 */
export function readDecision(outcome: AcpOutcome): AcpDecision {
  if (outcome.outcome === "cancelled") return { decision: "cancelled" };
  const answer = ANSWERS.find(({ option }) => option.optionId === outcome.optionId);
  return answer?.decision ?? { decision: "rejected", scope: "once" };
}

/** Turns the answers to permission requests into decisions about approvals (agentclientprotocol.com/protocol/v1/tool-calls). */

/** An answer that a person may choose. */
export interface AcpPermissionOption {
  readonly optionId: string;
  readonly name: string;
  readonly kind: "allow_once" | "allow_always" | "reject_once" | "reject_always";
}

/** The outcome in an answer to `session/request_permission`. */
export type AcpOutcome =
  | { readonly outcome: "cancelled" }
  | { readonly outcome: "selected"; readonly optionId: string };

/** A decision about an approval, as the runtime expects it. */
export interface AcpDecision {
  readonly decision: "approved" | "rejected" | "cancelled";
  /** "always" if the decision also applies to later requests; absent if the request was cancelled. */
  readonly scope?: "once" | "always";
}

/** The answers of a permission request, and the decision that each one stands for. */
const ANSWERS: readonly { readonly option: AcpPermissionOption; readonly decision: AcpDecision }[] = [
  createAnswer("allow_once", "Allow", { decision: "approved", scope: "once" }),
  createAnswer("allow_always", "Always allow", { decision: "approved", scope: "always" }),
  createAnswer("reject_once", "Reject", { decision: "rejected", scope: "once" }),
  createAnswer("reject_always", "Always reject", { decision: "rejected", scope: "always" }),
];

function createAnswer(kind: AcpPermissionOption["kind"], name: string, decision: AcpDecision) {
  return { option: { optionId: kind, name, kind }, decision };
}

/** Returns the answers that a permission request offers. */
export function listPermissionOptions(offersAlways: boolean): AcpPermissionOption[] {
  return ANSWERS.filter(({ decision }) => offersAlways || decision.scope === "once").map(
    ({ option }) => option,
  );
}

/**
 * Returns the decision that an answer to a permission request stands for. An answer that was not offered rejects once,
 * so that a mistake of a client never allows anything.
 */
export function readDecision(outcome: AcpOutcome): AcpDecision {
  if (outcome.outcome === "cancelled") return { decision: "cancelled" };
  const answer = ANSWERS.find(({ option }) => option.optionId === outcome.optionId);
  return answer?.decision ?? { decision: "rejected", scope: "once" };
}

import type { Finding } from "../finding.js";
import type { Forge } from "./forge.js";
import { isContractComment, renderComment } from "./render-comment.js";

/**
 * Keeps the one comment about the contract up to date: creates it with the first finding, changes it when the findings
 * change, and crosses out what is resolved. Returns what it did.
 */
export async function updateComment(
  forge: Forge,
  findings: readonly Finding[],
): Promise<"created" | "changed" | "unchanged" | "not needed"> {
  const existing = (await forge.listOwnComments()).find(({ body }) => isContractComment(body));
  const body = renderComment(findings, existing?.body);
  if (body === undefined) return "not needed";
  if (existing === undefined) {
    await forge.createComment(body);
    return "created";
  }
  // A forge may remove blanks at the end.
  if (existing.body.trimEnd() === body.trimEnd()) return "unchanged";
  await forge.updateComment(existing.id, body);
  return "changed";
}

import { chooseView, type ViewSource } from "./view-roles.js";

/** The events and fields that fault injection changes: the member `faults` of protocol.json. */
export interface FaultTargets {
  /** The payload field that names a call, and the event types that such a call consists of. */
  readonly calls?: { readonly key: string; readonly types: readonly string[] };
  /** The event types of pieces of output, each with the payload field that holds the text. */
  readonly chunks?: { readonly [type: string]: string };
}

/**
 * Returns the declared targets of faults. By default, they are the calls and outputs of the view. `calls` has one key: that
 * of the first tool role. Tools with another key are not targets.
 */
export function resolveFaultTargets(protocol: ViewSource & { readonly faults?: FaultTargets }): FaultTargets {
  const roles = Object.entries(chooseView(protocol).roles).filter(([type]) => !type.endsWith("*"));
  const tools = roles.flatMap(([type, role]) => (role.as === "tool" ? [{ type, ...role }] : []));
  const key = tools[0]?.key;
  const types = tools.filter((tool) => tool.key === key).map(({ type }) => type);
  const chunks = tools.flatMap(({ type, output }) => (output === undefined ? [] : [[type, output] as const]));
  return {
    ...(key !== undefined && { calls: { key, types } }),
    chunks: Object.fromEntries(chunks),
    ...protocol.faults,
  };
}

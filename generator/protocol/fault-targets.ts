import { chooseView, type ViewSource } from "./view-roles.js";

/** What faults of events are about: the member `faults` of protocol.json. */
export interface FaultTargets {
  /** The payload field that names a call, and the event types that such a call consists of. */
  readonly calls?: { readonly key: string; readonly types: readonly string[] };
  /** Pieces of output: event type → the payload field with the text. */
  readonly chunks?: { readonly [type: string]: string };
}

/** Returns what faults are about: the declared targets, and for the rest the calls and outputs of the view. */
export function faultTargetsOf(protocol: ViewSource & { readonly faults?: FaultTargets }): FaultTargets {
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

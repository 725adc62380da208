/** Gives the stream rules of a protocol names by which lists of requirements refer to them. */

import type { AnyStreamRule } from "../../../generator/conform/stream-rule.js";
import { STREAM_RULES } from "../../../generator/conform/stream-rules.js";
import type { Json, JsonObject } from "../../../generator/json.js";
import type { Protocol } from "../../../generator/protocol/protocol.js";

/** Returns a name for each declaration: its member and its subject, and a number if several have the same subject. */
export function nameRules({ stream }: Protocol): string[] {
  const rules: { readonly [member: string]: Json | undefined } = { ...stream?.rules } as never;
  const counts = new Map<string, number>();
  return STREAM_RULES.flatMap((rule) => {
    const { member, comparison } = rule as unknown as AnyStreamRule;
    const declared = rules[member];
    const list = (declared === undefined ? [] : [declared].flat()) as JsonObject[];
    return list.map((each) => {
      const name = `${member} ${listTexts(comparison.identify(each)).join(" ")}`.trim();
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      return count === 1 ? name : `${name} #${count}`;
    });
  });
}

function listTexts(value: Json): string[] {
  if (value === null) return [];
  return typeof value === "object" ? Object.values(value).flatMap(listTexts) : [String(value)];
}

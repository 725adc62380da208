import type { Mention } from "../../conform/mention.js";
import { declarationsOf, STREAM_RULES } from "../../conform/stream-rules.js";
import { errorFinding, type Finding, type Location, type RuleId } from "../../finding.js";
import { join } from "../../json.js";
import { nearest } from "../../nearest.js";
import { eventFields } from "../../protocol/event-fields.js";
import { envelopeFields } from "../../protocol/message-layout.js";
import type { StreamRules } from "../../protocol/stream-rules.js";
import type { LintInput } from "./input.js";

/** The rules of streams name event types, fields and states that exist. */
export function lintStreams({ protocol, manifestSource }: LintInput): Finding[] {
  const fields = new Map(protocol.events.map((event) => [event.type, eventFields(protocol, event)]));
  const envelope = new Set(Object.keys(envelopeFields(protocol.envelope)));
  return streamMentions(protocol.stream?.rules ?? {}).flatMap((mention) => {
    const at = manifestSource.locate(`/stream/rules${mention.pointer}`);
    const found = fault(mention, at, fields, envelope);
    return found ? [found] : [];
  });
}

/** Every name that declarations use, with its place below `stream.rules`. */
function streamMentions(rules: StreamRules): Mention[] {
  return STREAM_RULES.flatMap((rule) =>
    declarationsOf(rules, rule.member).flatMap((declared, index) => {
      const at = rule.single ? join("", rule.member) : join("", rule.member, index);
      return rule.mentions(declared).map((mention) => ({ ...mention, pointer: at + mention.pointer }));
    }),
  );
}

function fault(
  { name, is }: Mention,
  at: Location,
  fields: ReadonlyMap<string, ReadonlySet<string>>,
  envelope: ReadonlySet<string>,
): Finding | undefined {
  const quoted = JSON.stringify(name);
  const check = (rule: RuleId, known: Iterable<string>, message: string): Finding | undefined => {
    const names = [...known];
    return names.includes(name) ? undefined : errorFinding(rule, message, at, suggestion(name, names));
  };
  switch (is.kind) {
    case "type":
      return check("stream-type-unknown", fields.keys(), `There is no event type ${quoted}.`);
    case "envelope":
      return check("stream-field-unknown", envelope, `The envelope declares no field ${quoted}.`);
    case "state":
      return check("stream-state-unknown", is.states, `There is no state ${quoted} in moves.`);
    case "field": {
      const without = is.types.find((type) => fields.get(type)?.has(name) === false);
      const declared = fields.get(without ?? "") ?? [name];
      return check(
        "stream-field-unknown",
        declared,
        `The payload of ${without} declares no field ${quoted}.`,
      );
    }
  }
}

function suggestion(name: string, names: readonly string[]): string | undefined {
  const near = nearest(name, names);
  return near === undefined ? undefined : `Did you mean ${JSON.stringify(near)}?`;
}

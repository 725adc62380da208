import { eventFields } from "../../protocol/event-fields.js";
import type { Protocol } from "../../protocol/protocol.js";
import type { Lifecycle } from "../../protocol/stream-rules.js";
import { asSet, entriesOf, readField } from "../comparable.js";
import { remember } from "../remember.js";
import { idOf, named, quote } from "../step-text.js";
import { defineStreamRule, type RuleFile, type Step, seenFromStart, type Watch } from "../stream-rule.js";

const endRepeated = defineStreamRule({
  id: "lifecycle-end-repeated",
  summary: "a thing that had ended ends once more",
  explanation:
    "A tool call, an approval and the like have one outcome. Whoever closes a box, frees memory or counts results at the end does it twice. Only things whose beginning was seen are judged, where the protocol lets others do without one.",
  hint: "Send one terminal event for each id, and a new id for a new attempt.",
  severity: { reader: "error", writer: "error" },
  declaredBy: "lifecycles",
});

const afterEnd = defineStreamRule({
  id: "lifecycle-after-end",
  summary: "something is said of a thing that had ended",
  explanation:
    "After the terminal event of an id its readers have put it away; what comes later is lost or shows up in the wrong place. Event types that the protocol lets come later, such as an operator's revert, are no breach.",
  hint: "Send everything about an id before its terminal event.",
  severity: { reader: "error", writer: "error" },
  declaredBy: "lifecycles",
});

const withoutStart = defineStreamRule({
  id: "lifecycle-without-start",
  summary: "something is said of a thing that never began",
  explanation:
    "Judged only in streams that were seen from their first event on without a hole: in a part of a stream the beginning may be in the other part.",
  hint: "Send the event that begins the thing first, with the same id.",
  severity: { reader: "error", writer: "error" },
  declaredBy: "lifecycles",
});

/** Of each id: "" after its start, then the event that ended it. */
type Lives = Map<string, string>;

/** Things with an id: begun, spoken of, and ended once. */
export const lifecycleRules: RuleFile = {
  rules: [endRepeated, afterEnd, withoutStart],
  declares: { lifecycles: ({ key = "" }) => key },
  watch: (protocol) =>
    (protocol.stream?.rules?.lifecycles ?? []).map((declared) => watch(declared, protocol)),
};

function watch(declared: Lifecycle, protocol: Protocol): Watch<Lives> {
  const { key, start, end, after = [], needsStart = false, profile } = declared;
  const apart = new Set([...start, ...end, ...after]);
  const members = protocol.events
    .filter((event) => !apart.has(event.type) && eventFields(protocol, event).has(key))
    .map(({ type }) => type);
  const judge = (step: Step, life: string | undefined): void => {
    if (life) step.report(afterEnd, step.at(key), `${said(step, key)}, which ${life} had ended.`);
    else if (life === undefined && needsStart && seenFromStart(step.stream))
      step.report(
        withoutStart,
        step.at(key),
        `${said(step, key)}, of which there was no ${start.join(" or ")} before.`,
      );
  };
  const starts = (lives: Lives, step: Step): void => {
    const id = idOf(step.payload[key]);
    if (id === undefined) return;
    const life = lives.get(id);
    if (life) judge(step, life);
    else if (life === undefined) remember(lives, id, "", step);
  };
  const ends = (lives: Lives, step: Step): void => {
    const id = idOf(step.payload[key]);
    if (id === undefined) return;
    const life = lives.get(id);
    if (life) step.report(endRepeated, step.at(key), `${said(step, key)}, which ${life} had ended already.`);
    else {
      judge(step, life);
      if (life === "" || needsStart) remember(lives, id, named(step), step);
    }
  };
  const speaks = (lives: Lives, step: Step): void => {
    const id = idOf(step.payload[key]);
    if (id !== undefined) judge(step, lives.get(id));
  };
  return {
    rules: [endRepeated, afterEnd, withoutStart],
    profile,
    start: () => new Map(),
    handlers: [
      { types: start, check: starts },
      { types: end, check: ends },
      { types: members, check: speaks },
    ],
    comparable: {
      madeOf: ["lifecycles", key, needsStart, asSet(start), asSet(end), asSet(members)],
      usesEpochs: true,
      judges: [...start, ...end, ...members],
      remembers: [...start, ...end],
      allows: needsStart ? start : [],
      reads: readField([...new Set([...start, ...end, ...members])], key, { kind: "id" }),
      snapshot: (lives) => entriesOf(lives, (life) => life !== ""),
    },
  };
}

function said(step: Step, key: string): string {
  return `${named(step)} is about ${key} ${quote(step.payload[key])}`;
}

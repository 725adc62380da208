import type { RuleTexts } from "../finding.js";

/** What the rules mean by which one event is judged. */
export const EVENT_RULES = {
  "event-invalid": {
    summary: "an event is not what its schema describes",
    explanation:
      "With --profile reader, which is used unless another is named, it says what every consumer has to cope with; with writer, what an emitter may send: then undeclared fields and unknown values are refused too. The keyword that refused it stands in brackets.",
    repair: "Mend whoever sends the event, or add to the contract what is missing.",
  },
  "event-type-unknown": {
    summary: "an emitter sends an event type that is not declared",
    explanation:
      "Readers pass over event types that they do not know, so for them it is no finding; emitters send declared ones only.",
    repair: "Add a schema for the event type, or mend the name.",
  },
  "protocol-ambiguous": {
    summary: "several majors of a protocol accept the events of an input",
    explanation:
      "The folder of an input decides by which protocol its events are judged (fixtures/orders/v1/day.jsonl: orders/v1), then what the first events of the input follow. Where both majors accept all of those, the newest one is taken.",
    repair:
      "Name the protocol with --protocol ID, or keep recordings in folders that are named like protocols.",
  },
  "protocol-unknown": {
    summary: "a value resembles no event of any protocol",
    explanation:
      "The protocol of an event is found by its fields and its event type. Where events are wrapped into something else, or are damaged beyond that, nothing can be judged.",
    repair: "Say which protocol it should follow: --protocol ID.",
  },
} satisfies RuleTexts;

declare module "../finding.js" {
  interface RuleIds extends Record<keyof typeof EVENT_RULES, true> {}
}

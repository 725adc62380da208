import type { RuleTexts } from "../finding.js";

/** The texts of the rules that apply to single events. */
export const EVENT_RULES = {
  "event-invalid": {
    summary: "an event does not match its schema",
    explanation:
      "With --profile reader (the default), the finding means that a consumer need not accept the event. With --profile writer, it means that a writer may not send it; undeclared fields and unknown values are refused as well. The keyword that refused the event is in brackets.",
    repair: "Correct the program that sends the event, or extend the contract.",
  },
  "event-type-unknown": {
    summary: "a writer sends an event type that is not declared",
    explanation:
      "Readers ignore event types that they do not know, so there is no finding for them. Writers send declared event types only.",
    repair: "Add a schema for the event type, or correct the name.",
  },
  "protocol-ambiguous": {
    summary: "several major versions of a protocol accept the events of an input",
    explanation:
      "The folder of an input decides which protocol its events are checked against (fixtures/orders/v1/day.jsonl: orders/v1). Without such a folder, the first events of the input decide. If both major versions accept all of these, the newest one is used.",
    repair:
      "Name the protocol with --protocol ID, or keep recordings in folders that are named like protocols.",
  },
  "protocol-unknown": {
    summary: "a value does not resemble an event of any protocol",
    explanation:
      "accrete finds the protocol of an event by its fields and its event type. If an event is wrapped in another object, or is badly damaged, it cannot be checked.",
    repair: "Name the protocol with --protocol ID.",
  },
} satisfies RuleTexts;

declare module "../finding.js" {
  interface RuleIds extends Record<keyof typeof EVENT_RULES, true> {}
}

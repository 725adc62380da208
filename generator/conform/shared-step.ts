import { joinPointer } from "../json.js";
import { createStream, type Stream } from "./open-streams.js";
import type { Step } from "./stream-rule.js";
import { measureSize, measureSum, type TextMeasurer } from "./text-measure.js";

/** The step that all events share. */
export type SharedStep = { -readonly [field in keyof Step]: Step[field] } & {
  stream: Stream;
  /** The property that holds the payload, if one does. */
  carrier: string | undefined;
  /** Measures the texts of an event that was not parsed. */
  texts: TextMeasurer | undefined;
};

/** Creates a step before any event. */
export function createStep(
  report: Step["report"],
  reportLimit: Step["reportLimit"] = () => undefined,
): SharedStep {
  const step: SharedStep = {
    event: {},
    payload: {},
    type: "",
    sequence: undefined,
    gap: undefined,
    stream: createStream(),
    carrier: undefined,
    texts: undefined,
    measureSum: (field) => step.texts?.measure(field) ?? measureSum(step.payload[field]),
    measureSize: (field) => step.texts?.measure(field) ?? measureSize(step.payload[field]),
    locate: (field) =>
      step.carrier === undefined ? joinPointer("", field) : joinPointer("", step.carrier, field),
    report,
    reportLimit,
  };
  return step;
}

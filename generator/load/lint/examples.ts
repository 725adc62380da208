import { createErrorFinding, type Finding } from "../../finding.js";
import type { Json } from "../../json.js";
import { createBodyReading, createEnvelopeReading } from "../../protocol/message-readings.js";
import { getEventName } from "../../protocol/names.js";
import type { Check } from "../../runtime/runtime.js";
import { readAs } from "../../schema/readings.js";
import { createLazyCheck } from "../../validators/check.js";
import type { LintInput } from "./input.js";

/** Reports examples that a writer may not send, neither as a payload nor as a complete event. */
export function lintExamples({ protocol, files }: LintInput): Finding[] {
  const findings: Finding[] = [];
  // An example is valid if all checks of one alternative accept it.
  const lintEach = (
    kind: string,
    name: string,
    examples: readonly Json[],
    alternatives: readonly (readonly Check[])[],
  ): void => {
    const source = files.find((file) => file.kind === kind && file.name === name)?.source;
    if (examples.length === 0 || !source) return;
    examples.forEach((example, index) => {
      if (alternatives.some((checks) => checks.every((accepts) => accepts(example)))) return;
      const error = alternatives[0]?.flatMap(({ errors }) => errors ?? [])[0];
      const problem = `${error?.pointer || "it"} ${error?.message ?? "is refused"}`;
      findings.push(
        createErrorFinding(
          "example-invalid",
          `The example of ${name} is not what a writer may send: ${problem}.`,
          source.locate(`/examples/${index}${error?.pointer ?? ""}`),
        ),
      );
    });
  };
  for (const event of protocol.events)
    lintEach("event", getEventName(event), event.examples, [
      [createLazyCheck(() => readAs("writer", event.payload, protocol.definitions))],
      [
        createLazyCheck(() => createEnvelopeReading("writer", protocol)),
        createLazyCheck(() => createBodyReading("writer", protocol, event)),
      ],
    ]);
  for (const { name, schema, examples } of protocol.resources)
    lintEach("resource", name, examples, [
      [createLazyCheck(() => readAs("writer", schema, protocol.definitions))],
    ]);
  return findings;
}

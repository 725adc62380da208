import { createErrorFinding, type Finding } from "../../finding.js";
import { type Json, joinPointer } from "../../json.js";
import { createBodyReading, createEnvelopeReading } from "../../protocol/message-readings.js";
import { getEventName } from "../../protocol/names.js";
import type { Check } from "../../runtime/runtime.js";
import { type Reading, readAs } from "../../schema/readings.js";
import { matchesShape, type Shape } from "../../schema/shape/shape.js";
import { deriveShape } from "../../schema/shape/shape-of.js";
import { createLazyCheck } from "../../validators/check.js";
import { suggestField } from "./field-values.js";
import type { LintInput } from "./input.js";

/** Reports examples that a writer may not send, neither as a payload nor as a complete event. */
export function lintExamples({ protocol, files }: LintInput): Finding[] {
  const findings: Finding[] = [];
  // An example is valid if all checks of one alternative accept it.
  const lintEach = (
    kind: string,
    name: string,
    examples: readonly Json[],
    alternatives: readonly (readonly ExampleCheck[])[],
  ): void => {
    const source = files.find((file) => file.kind === kind && file.name === name)?.source;
    if (examples.length === 0 || !source) return;
    examples.forEach((example, index) => {
      if (alternatives.some((checks) => checks.every((accepts) => accepts(example)))) return;
      const error = alternatives[0]?.flatMap(({ errors }) => errors ?? [])[0];
      const isUndeclared = error?.name !== undefined;
      const pointer = (error?.pointer ?? "") + (isUndeclared ? joinPointer("", error.name) : "");
      const problem = `${pointer || "it"} ${error?.message ?? "is refused"}`;
      findings.push(
        createErrorFinding(
          "example-invalid",
          `The example of ${name} is not what a writer may send: ${problem}.`,
          (isUndeclared ? source.locateKey : source.locate)(`/examples/${index}${pointer}`),
          isUndeclared ? suggestField(error.name, source.document) : undefined,
        ),
      );
    });
  };
  for (const event of protocol.events)
    lintEach("event", getEventName(event), event.examples, [
      [createExampleCheck(() => readAs("writer", event.payload, protocol.definitions))],
      [
        createExampleCheck(() => createEnvelopeReading("writer", protocol)),
        createExampleCheck(() => createBodyReading("writer", protocol, event)),
      ],
    ]);
  for (const { name, schema, examples } of protocol.resources)
    lintEach("resource", name, examples, [
      [createExampleCheck(() => readAs("writer", schema, protocol.definitions))],
    ]);
  return findings;
}

/** Returns whether a value is valid, and keeps what is wrong with the last one. */
interface ExampleCheck {
  (value: Json): boolean;
  errors?: Check["errors"];
}

/** Returns a check of values against a reading. The reading is compiled only for a value that its shape does not admit: few are. */
export function createExampleCheck(reading: () => Reading): ExampleCheck {
  let shape: Shape | undefined;
  const validate = createLazyCheck(reading);
  const check: ExampleCheck = (value) => {
    shape ??= deriveShape(reading());
    if (matchesShape(shape, value)) return true;
    const isAccepted = validate(value);
    check.errors = validate.errors ?? null;
    return isAccepted;
  };
  return check;
}

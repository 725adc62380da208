import type { ValidateFunction } from "ajv";
import type { Finding } from "../../finding.js";
import type { Json } from "../../json.js";
import { makeAjv } from "../../model/ajv.js";
import { bodyReading, envelopeReading } from "../../model/event.js";
import { document, type Reading, readAs } from "../../model/profile.js";
import type { LintInput } from "./input.js";

/** Every example is what an emitter may send: a payload, or a complete event. */
export function lintExamples({ protocol, files }: LintInput): Finding[] {
  const findings: Finding[] = [];
  const compile = (reading: Reading): ValidateFunction =>
    makeAjv({ messages: true, ownProperties: true }).compile(document(reading));
  const check = (
    kind: string,
    name: string,
    examples: readonly Json[],
    accepts: () => ValidateFunction[][],
  ): void => {
    const source = files.find((file) => file.kind === kind && file.name === name)?.source;
    if (examples.length === 0 || !source) return;
    const readings = accepts();
    examples.forEach((example, index) => {
      if (readings.some((all) => all.every((validate) => validate(example)))) return;
      const error = readings[0]?.flatMap((validate) => validate.errors ?? [])[0];
      findings.push({
        rule: "example-invalid",
        severity: "error",
        message: `The example of ${name} is not what an emitter may send: ${error?.instancePath || "it"} ${error?.message ?? "is refused"}.`,
        at: source.locate(`/examples/${index}${error?.instancePath ?? ""}`),
      });
    });
  };
  for (const event of protocol.events)
    check("event", event.type, event.examples, () => [
      [compile(readAs("writer", event.payload, protocol.definitions))],
      [compile(envelopeReading("writer", protocol)), compile(bodyReading("writer", protocol, event))],
    ]);
  for (const { name, schema, examples } of protocol.resources)
    check("resource", name, examples, () => [[compile(readAs("writer", schema, protocol.definitions))]]);
  return findings;
}

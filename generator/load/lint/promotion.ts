import { createErrorFinding, type Finding } from "../../finding.js";
import { getOwn } from "../../json.js";
import { findNearest } from "../../nearest.js";
import { getEnvelopeFields } from "../../protocol/message-layout.js";
import { createSpotWithoutPlace, describeSchema, EVERYTHING, FAMILY } from "../../schema/describe.js";
import { findFixedValue } from "../../schema/merge.js";
import type { LintInput } from "./input.js";

/** Reports candidate and stable event types that require something that is not met. */
export function lintRequirements({ protocol }: LintInput): Finding[] {
  const met = new Set(protocol.promotion?.met);
  return protocol.events.flatMap(({ type, stability, requires, at }) =>
    stability === "experimental" || requires === undefined || met.has(requires)
      ? []
      : [
          createErrorFinding(
            "requirement-unmet",
            `${type} is ${stability}, but it requires ${JSON.stringify(requires)}, which is not met.`,
            at,
            `Leave it experimental, or list ${JSON.stringify(requires)} in promotion.met of protocol.json once it is met.`,
          ),
        ],
  );
}

/** Reports the stable event types of a protocol whose conditions are not all met. */
export function lintConditions({ protocol }: LintInput): Finding[] {
  const { conditions = {}, met = [] } = protocol.promotion ?? {};
  const unmetConditions = Object.keys(conditions).filter((name) => !met.includes(name));
  const stableTypes =
    unmetConditions.length === 0 ? [] : protocol.events.filter(({ stability }) => stability === "stable");
  return stableTypes.map(({ type, at }) =>
    createErrorFinding(
      "requirement-unmet",
      `${type} is stable, but the protocol does not meet ${unmetConditions.map((name) => JSON.stringify(name)).join(", ")}.`,
      at,
      "Leave it candidate, or list the conditions in promotion.met of protocol.json once they are met.",
    ),
  );
}

/** Reports a declared version field that does not tell this major version from others. */
export function lintVersionField({ manifest, manifestSource, protocol }: LintInput): Finding[] {
  const { version } = manifest.envelope;
  if (version === undefined) return [];
  const { field, value } = version;
  const report = (member: string, message: string, hint?: string): Finding[] => [
    createErrorFinding(
      "version-field-invalid",
      message,
      manifestSource.locate(`/envelope/version/${member}`),
      hint,
    ),
  ];
  const fields = getEnvelopeFields(protocol.envelope);
  const schema = getOwn(fields, field);
  if (schema === undefined) {
    const near = findNearest(field, Object.keys(fields));
    const hint = near === undefined ? undefined : `Did you mean ${JSON.stringify(near)}?`;
    return report("field", `The envelope has no field ${JSON.stringify(field)}.`, hint);
  }
  // The value of major version 2 is 2, v2, 2.1 or v2.1.
  if (!new RegExp(`^v?${manifest.major}(\\.|$)`).test(value))
    return report(
      "value",
      `The value ${JSON.stringify(value)} does not belong to major version ${manifest.major}.`,
    );
  const fixed = findFixedValue(
    describeSchema(createSpotWithoutPlace(schema), protocol.definitions, EVERYTHING, FAMILY),
  );
  if (fixed === value) return [];
  return report(
    "value",
    `The schema of ${JSON.stringify(field)} must allow ${JSON.stringify(value)} only.`,
    `Give the field "const": ${JSON.stringify(value)} in envelope.schema.json.`,
  );
}

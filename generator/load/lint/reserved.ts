import { errorFinding, type Finding } from "../../finding.js";
import { envelopeFields } from "../../protocol/message-layout.js";
import { BRANCHES } from "../../schema/describe.js";
import { mergeFields } from "../../schema/merge.js";
import { describeFamily } from "../../schema/object-family.js";
import { type LintInput, locateInFiles } from "./input.js";

/** Reports payload fields with the name of an envelope field under inline placement, in any branch or reference. */
export function lintReserved(input: LintInput): Finding[] {
  const { envelope, events, definitions } = input.protocol;
  if (envelope.placement !== "inline") return [];
  const reserved = Object.keys(envelopeFields(envelope));
  const places = events.flatMap(({ payload, at }) => {
    const fields = mergeFields(describeFamily(payload, definitions, at, BRANCHES));
    return reserved.flatMap((name) => (fields.get(name)?.spots ?? []).map((spot) => ({ name, spot })));
  });
  const distinct = new Map(places.map((place) => [`${place.spot.file}#${place.spot.pointer}`, place]));
  return [...distinct.values()].map(({ name, spot }) =>
    errorFinding(
      "field-reserved",
      `The payload field ${JSON.stringify(name)} takes the name of an envelope field.`,
      locateInFiles(input, spot, "name"),
      "Payload and envelope fields lie in one object here; choose another name.",
    ),
  );
}

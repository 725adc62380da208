import { groupBy } from "../group-by.js";
import type { SampleEvent } from "../sample/event-maker.js";
import { memoizeByObject } from "../sample/memoize.js";
import { listPayloadFields } from "../sample/merged-schema.js";
import { coverTypes, type Sample } from "./coverage.js";
import { countOrders, listInterleavings } from "./interleavings.js";
import type { KitProtocol } from "./kit-protocol.js";
import { findOpenFields } from "./laws/unknown.js";
import { getPayload } from "./payload.js";
import { listCoveringSamples } from "./samples.js";
import type { GeneratorContext } from "./scenarios.js";

/** The parts of a contract that the streams of the default laws cover. */
interface CoverageReport {
  /** One sentence with counts. */
  readonly summary: string;
  /** The event types that no stream contains. */
  readonly missingTypes: readonly string[];
}

/** A payload field of an event type. */
interface TypeField {
  readonly type: string;
  readonly field: string;
}

const getReports = memoizeByObject((_context: GeneratorContext) => new Map<KitProtocol, CoverageReport>());

/** Counts what the covering streams contain of a contract. Every run of the laws uses these streams. */
export function describeCoverage(protocol: KitProtocol, context: GeneratorContext): CoverageReport {
  const reports = getReports(context);
  const report = reports.get(protocol) ?? countCoverage(protocol, context);
  reports.set(protocol, report);
  return report;
}

function countCoverage(protocol: KitProtocol, context: GeneratorContext): CoverageReport {
  const { events: types, stream } = context.maker.protocol;
  const getType = (event: SampleEvent): string => String(event[protocol.envelope.discriminator]);
  const listEvents = (samples: readonly Sample[]) => samples.flatMap(({ events }) => events);
  const options = { endsStreams: true, allowsGaps: true };
  const deliveredTypes = new Set(
    listEvents(coverTypes(context, { ...options, streams: 2 }, "all")).map(getType),
  );
  const fieldSamples = listCoveringSamples(protocol, context, { ...options, streams: 3 }, "fields");
  const omittedTypes = new Set<string>();
  const optionalFields = listOptionalFields(context);
  for (const event of new Set(listEvents(fieldSamples)))
    for (const { field } of optionalFields.get(getType(event)) ?? [])
      if (!Object.hasOwn(getPayload(protocol, event), field)) omittedTypes.add(`${getType(event)}/${field}`);
  const valueEvents = listEvents(coverTypes(context, { ...options, streams: 1 }, "all"));
  const openFields = findOpenFields(protocol);
  const openFieldsWithText = openFields.filter(({ type, field }) =>
    valueEvents.some(
      (event) => getType(event) === type && typeof getPayload(protocol, event)[field] === "string",
    ),
  );
  const ends = new Set((stream?.rules?.lifecycles ?? []).flatMap(({ end }) => end));
  const missingTypes = types.map(({ type }) => type).filter((type) => !deliveredTypes.has(type));
  const counts = [
    `${deliveredTypes.size} of ${types.length} event types${stream?.id === undefined ? "" : ", each delivered again"}`,
    `${omittedTypes.size} of ${[...optionalFields.values()].flat().length} optional fields left out`,
    `${openFieldsWithText.length} of ${openFields.length} open enumerations with an unknown value`,
    `${[...ends].filter((type) => deliveredTypes.has(type)).length} of ${ends.size} ends of lifecycles`,
    `${listInterleavings(context).length} of ${countOrders(context)} orders of two calls`,
  ];
  return { summary: `The streams contain ${counts.join("; ")}.`, missingTypes };
}

/** Returns the optional payload fields of a contract by event type. */
function listOptionalFields({ maker }: GeneratorContext): ReadonlyMap<string, readonly TypeField[]> {
  const optional = listPayloadFields(maker.protocol).flatMap(({ type, field, isRequired }) =>
    isRequired ? [] : [{ type, field }],
  );
  return groupBy(optional, ({ type }) => type);
}

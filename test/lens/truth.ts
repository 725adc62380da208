/** Decides by running a consumer whether a change of a contract reaches it, and what its lens says about that. */
import { diffContracts } from "../../generator/compat/diff-contracts.js";
import { createUnlocatedSide } from "../../generator/compat/side.js";
import { areEqual, formatCanonicalJson, type Json } from "../../generator/json.js";
import { buildStreams } from "../../generator/kit/build-streams.js";
import type { Adapter } from "../../generator/kit/index.js";
import type { KitProtocol } from "../../generator/kit/kit-protocol.js";
import { showEvents } from "../../generator/kit/observe.js";
import { type GeneratorContext, prepareContext } from "../../generator/kit/scenarios.js";
import { runSteps } from "../../generator/kit/steps.js";
import type { Lens, Reach } from "../../generator/protocol/lens.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import { combineSeeds, createRandom } from "../../generator/random.js";
import { createValidators } from "../../generator/validators/protocol-validators.js";
import { type Carry, type ContractChange, selectBefore } from "./changes.js";

type Event = { readonly [field: string]: Json };

/** The number of streams on which the truth about each event type is based. */
const STREAMS = 40;

/** Returns streams with events of one of the types each: whole ones, and ones in which events are lost or come twice. */
function makeTruthStreams(
  protocol: KitProtocol,
  types: readonly string[],
  seed: number,
): readonly (readonly Event[])[] {
  const context = prepareContext(protocol, protocol.schemas, "writer");
  return Array.from({ length: STREAMS }, (_, index) => {
    const streamSeed = combineSeeds(seed, index, 77);
    const type = types[streamSeed % types.length] ?? "";
    const events = makeStream(context, type, streamSeed);
    const random = createRandom(streamSeed);
    if (index % 4 === 1) return events.filter(() => random.chance(0.6));
    if (index % 4 === 2) return events.filter((event) => event[protocol.envelope.discriminator] === type);
    if (index % 4 === 3) return events.flatMap((event) => (random.chance(0.2) ? [event, event] : [event]));
    return events;
  });
}

function makeStream(context: GeneratorContext, type: string, seed: number): readonly Event[] {
  const random = createRandom(seed);
  const operations = Array.from({ length: 3 + random.below(6) }, (_, index) => ({
    pick: random.chance(0.5) ? type : random.below(10_000),
    stream: random.below(2),
    seed: combineSeeds(seed, index) + 1,
    size: random.below(4),
    isParallel: random.chance(0.3),
    fieldChance: random.below(11) / 10,
  }));
  const script = {
    operations: [...operations, { ...operations[0], pick: type, seed: seed + 1 }],
    endsStreams: random.chance(0.5),
  };
  return buildStreams(context, script as Parameters<typeof buildStreams>[1], 2).events;
}

/** Returns what a new consumer shows after `events`, or the failure. */
async function show(adapter: Adapter, protocol: KitProtocol, events: readonly object[]): Promise<Json> {
  try {
    return await runSteps(showEvents(adapter, protocol, events));
  } catch (error) {
    return `failed: ${(error as Error).name}`;
  }
}

/** Runs one consumer on streams before and after changes. It remembers what the consumer shows before. */
export function createTruth(adapter: Adapter, protocol: KitProtocol, seed: number) {
  const streams = new Map<string, Promise<readonly { events: readonly Event[]; view: Json }[]>>();
  const prepare = async (types: readonly string[]) =>
    await Promise.all(
      makeTruthStreams(protocol, types, seed).map(async (events) => ({
        events,
        view: await show(adapter, protocol, events),
      })),
    );
  /** Returns whether a change makes a difference to the consumer; undefined if no stream could be carried over. */
  return async ({
    type,
    isOfEnvelope,
    after,
    carries,
    isChosen,
  }: ContractChange): Promise<boolean | undefined> => {
    const key = isOfEnvelope ? "" : type;
    const prepared =
      streams.get(key) ?? prepare(isOfEnvelope ? Object.keys(protocol.schemas.events) : [type]);
    streams.set(key, prepared);
    const { decodeEvent } = createValidators(after);
    const { discriminator } = protocol.envelope;
    const isChecked = new Set(after.events.map((event) => event.type));
    const compared = new Set<Carry>();
    const different = new Set<Carry>();
    for (const { events, view } of await prepared)
      for (const carry of carries) {
        const carried = events.map(carry);
        const isSent = carried.every(
          (event) =>
            event === undefined ||
            !isChecked.has(String(event[discriminator])) ||
            decodeEvent(event).kind === "known",
        );
        if (!isSent || areEqual(carried as unknown as Json, events as unknown as Json)) continue;
        compared.add(carry);
        const sent = carried.filter((event) => event !== undefined);
        if (formatCanonicalJson(await show(adapter, protocol, sent)) === formatCanonicalJson(view)) continue;
        different.add(carry);
        if (isChosen !== true) return true;
      }
    return compared.size === 0 ? undefined : different.size === compared.size;
  };
}

/** Returns what the findings of a comparison say about the consumers, by their names; nothing if no finding is about consumers. */
export async function readVerdicts(
  protocol: Protocol,
  change: ContractChange,
  lenses: ReadonlyMap<string, Lens>,
): Promise<ReadonlyMap<string, Reach>> {
  const consumers = [...lenses].map(([consumer, lens]) => ({ consumer, lens }));
  const before = createUnlocatedSide(selectBefore(protocol, change));
  const { findings } = await diffContracts(before, createUnlocatedSide(change.after), consumers);
  const verdicts = new Map<string, Reach>();
  for (const { consumer, reach } of findings.flatMap((finding) => finding.consumers ?? [])) {
    const known = verdicts.get(consumer);
    if (known === "reached" || (known === "unknown" && reach === "unreached")) continue;
    verdicts.set(consumer, reach);
  }
  return verdicts;
}

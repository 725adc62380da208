/**
 * If this fails, a checker that services and tests embed gives other findings than `accrete validate`, or other ones after
 * its state was saved and read again.
 */
import { describe, expect, it } from "vitest";
import * as generated from "../../generated/hecate/v1/index.js";
import { createEventChecker, type EventFinding } from "../../generator/conform/event-checker.js";
import { createStreamChecker as createProtocolChecker } from "../../generator/conform/protocol-checker.js";
import { createStreamChecker, type StreamFinding } from "../../generator/conform/stream-checker.js";
import type { JsonObject } from "../../generator/json.js";
import { createStreamChecker as createGeneratedChecker } from "../../generator/kit/checker.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import { combineSeeds, createRandom, type Random } from "../../generator/random.js";
import type { Profile } from "../../generator/schema/readings.js";
import { readPosition } from "../../generator/stream/stream-key.js";
import { createTracker } from "../../generator/stream/tracker.js";
import { createValidators } from "../../generator/validators/protocol-validators.js";
import { CHECKED_PROTOCOLS, createStreamMaker, refuseSome, SEED } from "../emit/checkers/stream-makers.js";
import { checkLines, fixtureStreams, validators } from "./check-stream.js";

/** The number of random inputs. `ACCRETE_TEST_STREAMS=20000` checks more. */
const INPUT_COUNT = Number(process.env.ACCRETE_TEST_STREAMS ?? 300);

/** Limits under which everything is remembered, and others under which ids, open streams and ended ones are forgotten. */
const LIMITS = [{}, { window: 3, streams: 2, ended: 1 }] as const;

/** What a caller does: it passes a value, tells of a value that was lost, or ends a stream. */
type Action =
  | { readonly kind: "push"; readonly value: unknown }
  | { readonly kind: "gap" }
  | { readonly kind: "end"; readonly stream: string };

interface Input {
  readonly protocol: Protocol;
  readonly profile: Profile;
  readonly limits: (typeof LIMITS)[number];
  readonly actions: readonly Action[];
}

const decoders = new Map(
  CHECKED_PROTOCOLS.map((protocol) => [protocol, createValidators(protocol).decodeEvent]),
);

const makers = CHECKED_PROTOCOLS.map((protocol) => createStreamMaker(protocol));

function makeInput(index: number): Input {
  const random = createRandom(combineSeeds(SEED, index, 43));
  const number = index % CHECKED_PROTOCOLS.length;
  const protocol = CHECKED_PROTOCOLS[number] as Protocol;
  const make = makers[number] as (random: Random) => readonly JsonObject[];
  const events = [...make(random), ...(random.chance(0.5) ? make(random) : [])];
  const values = events
    .flatMap((event) => refuseSome(protocol, event, random))
    .map((text) => JSON.parse(text));
  const actions = values.flatMap((value): Action[] => {
    const { stream = "" } = readPosition(protocol.stream, value);
    return [
      { kind: "push", value },
      ...(random.chance(0.02) ? [{ kind: "gap" } as const] : []),
      ...(random.chance(0.02) ? [{ kind: "end", stream } as const] : []),
    ];
  });
  return {
    protocol,
    profile: random.pick(["reader", "writer"]),
    limits: LIMITS[random.chance(0.3) ? 1 : 0],
    actions,
  };
}

const INPUTS = Array.from({ length: INPUT_COUNT }, (_, index) => makeInput(index));

/** Returns the findings of an input. Before each action for which `isCut` is true, the state is saved and a new checker continues. */
function check(
  { protocol, profile, limits, actions }: Input,
  isCut: () => boolean = () => false,
): EventFinding[] {
  const decode = decoders.get(protocol) as ReturnType<typeof createValidators>["decodeEvent"];
  let checker = createEventChecker(protocol, decode, { profile, ...limits });
  const findings = actions.flatMap((action) => {
    if (isCut()) {
      const state = JSON.parse(JSON.stringify(checker.save()));
      checker = createEventChecker(protocol, decode, { profile, ...limits, state });
    }
    if (action.kind === "push") return checker.push(action.value);
    if (action.kind === "end") return checker.endStream(action.stream);
    checker.markGap();
    return [];
  });
  return [...findings, ...checker.end()];
}

describe("a checker that continues from a saved state", () => {
  it("gives the findings of one that was never interrupted", () => {
    let [findings, cuts] = [0, 0];
    for (const [index, input] of INPUTS.entries()) {
      const random = createRandom(combineSeeds(SEED, index, 44));
      const rate = random.pick([0.1, 0.3, 1]);
      const isCut = (): boolean => {
        const cut = random.chance(rate);
        if (cut) cuts++;
        return cut;
      };
      const expected = check(input);
      findings += expected.length;
      expect([index, check(input, isCut)]).toEqual([index, expected]);
    }
    // The inputs must show something.
    expect(findings).toBeGreaterThan(INPUT_COUNT);
    expect(cuts).toBeGreaterThan(INPUT_COUNT);
  });

  it("does not change when the first checker goes on", () => {
    for (const input of INPUTS.slice(0, 60)) {
      const { protocol, profile, limits, actions } = input;
      const decode = decoders.get(protocol) as ReturnType<typeof createValidators>["decodeEvent"];
      const values = actions.flatMap((action) => (action.kind === "push" ? [action.value] : []));
      const half = Math.floor(values.length / 2);
      const first = createEventChecker(protocol, decode, { profile, ...limits });
      for (const value of values.slice(0, half)) first.push(value);
      const state = first.save();
      const text = JSON.stringify(state);
      const rest = (checker: typeof first) => [
        ...values.slice(half).flatMap((value) => checker.push(value)),
        ...checker.end(),
      ];
      const expected = rest(first);
      expect(JSON.stringify(state)).toBe(text);
      expect(rest(createEventChecker(protocol, decode, { profile, ...limits, state }))).toEqual(expected);
      // Reading a state does not change it either.
      expect(JSON.stringify(state)).toBe(text);
    }
  });

  it("refuses a state of another protocol, of another profile, of other rules, and any other value", () => {
    const { hecate, frames } = { hecate: validators.get("hecate/v1"), frames: validators.get("frames/v1") };
    if (!hecate || !frames) throw new Error("a protocol is missing");
    const state = createProtocolChecker(hecate.protocol, { profile: "reader" }).save();
    const { stream } = hecate.protocol;
    const { terminal: _, ...rules } = stream?.rules ?? {};
    const changed = { ...hecate.protocol, stream: { key: [], ...stream, rules } };
    const create = (protocol: Protocol, profile: Profile, state: unknown) => () =>
      createProtocolChecker(protocol, { profile, state });
    expect(create(frames.protocol, "reader", state)).toThrow("saved for hecate/v1");
    expect(create(hecate.protocol, "writer", state)).toThrow("with the profile reader");
    expect(create(changed, "reader", state)).toThrow("other stream rules");
    expect(create(hecate.protocol, "reader", { ...state, format: 2 })).toThrow("format 2");
    expect(create(hecate.protocol, "reader", null)).toThrow("not one that");
    expect(create(hecate.protocol, "reader", state)).not.toThrow();
  });
});

describe("a checker that is embedded", () => {
  it("gives the findings of the rules behind it", () => {
    for (const [index, { protocol, profile, limits, actions }] of INPUTS.entries()) {
      const values = actions.flatMap((action) =>
        action.kind === "push" ? [action.value as object | null] : [],
      );
      const decode = decoders.get(protocol) as ReturnType<typeof createValidators>["decodeEvent"];
      const { ended, ...trackLimits } = { ended: 1000, ...limits };
      const tracker = createTracker(protocol.stream, trackLimits);
      const checker = createStreamChecker(protocol, { profile, finished: ended });
      const isOfStream = ({ rule }: EventFinding): boolean => !/^event-(invalid|type-unknown)$/.test(rule);
      const expected = values.flatMap((value, index): readonly StreamFinding[] => {
        if (decode(value, { profile }).kind !== "invalid" && value !== null)
          return checker.check(value, tracker.place(value), index);
        const { stream, sequence } = readPosition(protocol.stream, value);
        if (stream === undefined) return checker.refuse({}, index);
        const opened = tracker.placeKnown(stream, undefined, undefined, 0);
        const evicted = opened.kind === "new" ? opened.evicted : undefined;
        return checker.refuse({ stream, sequence, evicted }, index);
      });
      const found = check({
        protocol,
        profile,
        limits,
        actions: values.map((value) => ({ kind: "push", value })),
      });
      expect([index, found.filter(isOfStream)]).toEqual([index, [...expected, ...checker.end()]]);
    }
  });

  it.each(["reader", "writer"] as const)("finds in the fixtures what validate finds, as a %s", (profile) => {
    for (const { id, file, lines } of fixtureStreams) {
      const checker = createProtocolChecker((validators.get(id) as { protocol: Protocol }).protocol, {
        profile,
      });
      const found = [...lines.flatMap((line) => checker.push(JSON.parse(line))), ...checker.end()];
      const expected = checkLines(id, profile, lines).map(({ rule, index }) => [rule, index - 1]);
      expect([file, found.map(({ rule, index }) => [rule, index])]).toEqual([file, expected]);
    }
  });

  it("takes the protocol of a generated module, and names the stream of each finding", () => {
    const streams = fixtureStreams.filter(({ id }) => id === "hecate/v1").slice(0, 2);
    // The events of two runs take turns, and one event of each is lost.
    const events = streams.map(({ lines }) => lines.map((line): JsonObject => JSON.parse(line)));
    const turns = Array.from({ length: 12 }, (_, index) =>
      events.map((run) => run[index < 5 ? index : index + 1]),
    );
    const checker = createGeneratedChecker(generated.protocol, { profile: "writer" });
    const found = turns.flat().flatMap((event) => (event ? checker.push(event) : []));
    const runs = events.map((run) => run[0]?.run_id);
    expect(found).toEqual([]);
    expect(checker.streams()).toEqual(runs);
    const [first] = checker.endStream(String(runs[0]));
    expect(checker.streams()).toEqual(runs.slice(1));
    // A marker of a gap may follow at any distance, so a gap is certain at the end.
    expect([first?.rule, first?.stream, first?.index]).toEqual(["sequence-gap", runs[0], 10]);
    const [second] = checker.end();
    expect([second?.rule, second?.stream, second?.index]).toEqual(["sequence-gap", runs[1], 11]);
  });

  it("tells a redelivery from another event with its id, and accepts members in another order", () => {
    const [line = ""] = fixtureStreams.find(({ id }) => id === "hecate/v1")?.lines ?? [];
    const event: JsonObject = JSON.parse(line);
    const reversed = Object.fromEntries(Object.entries(event).reverse());
    const checker = createProtocolChecker((validators.get("hecate/v1") as { protocol: Protocol }).protocol, {
      profile: "reader",
    });
    const rules = [event, reversed, { ...event, later: 1 }].map((value) =>
      checker.push(value).map(({ rule }) => rule),
    );
    expect(rules).toEqual([[], [], ["event-conflict"]]);
  });

  it("reports once, at the end, how many streams were forgotten, and remembers no more than the limits allow", () => {
    const { protocol } = validators.get("hecate/v1") as { protocol: Protocol };
    const [line = ""] = fixtureStreams.find(({ id }) => id === "hecate/v1")?.lines ?? [];
    const limits = { streams: 8, ended: 4, window: 16 };
    let checker = createProtocolChecker(protocol, { profile: "reader", ...limits });
    let largest = 0;
    for (let index = 0; index < 400; index++) {
      const number = String(index).padStart(4, "0");
      const ids = {
        event_id: `evt_01KQPNTT2RZW040CA11XDD${number}`,
        run_id: `run_01KQPNTT2RZW040CA11XDD${number}`,
      };
      expect(checker.push({ ...JSON.parse(line), ...ids })).toEqual([]);
      expect(checker.streams().length).toBeLessThanOrEqual(limits.streams);
      const state = checker.save();
      const size = JSON.stringify(state).length;
      // Numbers become longer.
      if (index < 200) largest = Math.max(largest, size * 1.05);
      else expect(size).toBeLessThanOrEqual(largest);
      checker = createProtocolChecker(protocol, { profile: "reader", ...limits, state });
    }
    const found = checker.end().filter(({ rule }) => rule === "stream-limit-reached");
    expect(found.map(({ message }) => message)).toEqual([
      "Too many streams are open: 392 of them were forgotten.",
    ]);
  });

  it("accepts an event with deeply nested fields", () => {
    const [line = ""] = fixtureStreams.find(({ id }) => id === "hecate/v1")?.lines ?? [];
    const deep = JSON.parse(`${"[".repeat(50_000)}${"]".repeat(50_000)}`);
    const { protocol } = validators.get("hecate/v1") as { protocol: Protocol };
    const checker = createProtocolChecker(protocol, { profile: "reader" });
    expect(checker.push({ ...JSON.parse(line), deep })).toEqual([]);
  });
});

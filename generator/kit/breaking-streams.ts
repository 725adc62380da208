/** Generates streams that break one stream rule: events that keep all rules, and a last one that gives one finding. */
import { checkStreams } from "../conform/check-streams.js";
import { getItem } from "../get-item.js";
import type { Protocol } from "../protocol/protocol.js";
import { combineSeeds, createRandom, type Random } from "../random.js";
import type { SampleEvent } from "../sample/event-maker.js";
import { memoizeByObject } from "../sample/memoize.js";
import { buildStreams } from "./build-streams.js";
import { createProbedRules, type ProbedRules } from "./rule-states.js";
import type { GeneratorContext } from "./scenarios.js";
import type { Operation } from "./script.js";
import { type DraftTools, solveTowards } from "./solve-event.js";
import { createStreamBuilder } from "./stream-builder.js";

/** The number of streams that are tried for each report of a rule, and of places and event types in each of them. */
const MAX_STREAMS = 48;
const PLACES = 4;
const TYPES = 3;

/** The rules of writers, with the way to each of their reports. */
const getTracedRules = memoizeByObject((protocol: Protocol) => createProbedRules(protocol, true));

/** A report of a machine by which a stream may get a finding. */
interface Target {
  readonly slot: number;
  readonly index: number;
  readonly rule: ProbedRules["rules"][number];
}

/**
 * Returns a stream for which writers get this finding once, and no other error; undefined if none was found. If the finding
 * is no error, the stream may also give others that are none, because a stream that was not ended gives a note.
 */
export function createBreakingStream(
  context: GeneratorContext,
  finding: string,
  seed = 1,
): readonly SampleEvent[] | undefined {
  const { protocol } = context.maker;
  const targets = getTracedRules(protocol).rules.flatMap((rule, slot) =>
    rule.probed.sites.flatMap((site, index): Target[] =>
      site.finding === finding ? [{ slot, index, rule }] : [],
    ),
  );
  for (let round = 0; round < MAX_STREAMS; round++)
    for (const target of targets) {
      const random = createRandom(combineSeeds(seed, round, target.slot, target.index));
      for (const events of breakStream(context, target, random, round))
        if (hasOneFinding(protocol, events, finding)) return events;
    }
  return undefined;
}

/** Yields streams whose last event causes a report. */
function* breakStream(
  context: GeneratorContext,
  { slot, index, rule: { original, probed } }: Target,
  random: Random,
  round: number,
): Generator<readonly SampleEvent[]> {
  const { protocol } = context.maker;
  const site = getItem(probed.sites, index);
  const allTypes = protocol.events.map(({ type }) => type);
  const ruleTypes = original.clauses.flatMap(({ on }) => (typeof on === "string" ? [] : on));
  // Events of the rule make the states from which it reports.
  const picks = Array.from({ length: 1 + random.below(5) }, () =>
    random.pick(ruleTypes.length > 0 && random.chance(0.8) ? ruleTypes : allTypes),
  );
  const operations = picks.map(
    (pick): Operation => ({
      pick,
      stream: random.below(2),
      seed: random.below(2 ** 30),
      size: 1,
      isParallel: false,
    }),
  );
  const { events } = buildStreams(context, { operations, endsStreams: round % 3 === 2 }, 1 + (round % 2));
  const places = [events.length, 0, ...Array.from({ length: PLACES }, () => random.below(events.length + 1))];
  for (const place of new Set(places)) {
    const before = events.slice(0, place);
    for (let attempt = 0; attempt < TYPES; attempt++) {
      const builder = createStreamBuilder(context, getTracedRules(protocol));
      builder.resume(before, 2);
      const type = random.pick(typeof site.on === "string" ? allTypes : site.on);
      // Numbers are missing only in rules about the end of a stream.
      const skip = site.on === "end" && protocol.stream?.sequence !== undefined ? random.below(3) : 0;
      const proposal = { type, fixedFields: {}, skip, isLast: site.on === "end" };
      const target = { slot, index, machine: original, site };
      // Envelope fields differ between streams, and some rules are about them.
      const cursor = random.pick([builder.getCursor(0), builder.getCursor(1), ...builder.listCursors()]);
      const event = builder.sendSolved(cursor, proposal, random.below(2 ** 30), (draft, tools) => {
        const isEditable: DraftTools["isEditable"] = (edit) =>
          edit.in === "envelope" || tools.isEditable(edit, draft);
        return solveTowards(draft, { ...tools, isEditable }, target);
      });
      if (event) yield [...before, event];
    }
  }
}

/** Returns whether writers get a finding once, and no other error. */
function hasOneFinding(protocol: Protocol, events: readonly SampleEvent[], finding: string): boolean {
  const findings = checkStreams(protocol, "writer", events);
  const errors = findings.filter(({ rule, severity }) => severity === "error" && rule !== finding);
  return errors.length === 0 && findings.filter(({ rule }) => rule === finding).length === 1;
}

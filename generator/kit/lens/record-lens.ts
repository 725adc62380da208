/** Learns by experiments on which event types and fields a consumer depends. */
import { areEqual, type Json } from "../../json.js";
import { findTypeEdit, LENS_EDITS, type Lens, type LensEdit, REFUSED_TYPES } from "../../protocol/lens.js";
import { combineSeeds, createRandom } from "../../random.js";
import type { SampleEvent } from "../../sample/event-maker.js";
import { type Adapter, ConsumerUnavailable } from "../adapter.js";
import type { KitProtocol } from "../kit-protocol.js";
import { ignoreBrokenLaw, showEvents } from "../observe.js";
import { prepareContext } from "../scenarios.js";
import type { Steps } from "../steps.js";
import { createLens, type TargetResults } from "./create-lens.js";
import { listDeclaredPlaces } from "./declared-places.js";
import { chooseEdit, chooseName, hasName, listValuesAt, type Target } from "./edit-places.js";
import { closeGaps, decideIrregularRemovals, hasAllNumbers } from "./event-numbers.js";
import { generateLensStreams } from "./lens-streams.js";
import { probeRange } from "./probe-ranges.js";
import { findHalf, hasRange } from "./ranges.js";
import { countReads } from "./reads.js";

/** The experiments of a protocol, which are the same for each consumer. */
interface ExperimentPlan {
  readonly protocol: KitProtocol;
  readonly targets: readonly Target[];
  readonly streams: readonly (readonly SampleEvent[])[];
  /** The numbers of the targets, so that a target gets the same value in each group. */
  readonly positions: ReadonlyMap<Target, number>;
  /** The targets whose edits may hide those of each target. */
  readonly holders: ReadonlyMap<Target, readonly Target[]>;
}

/** Plans the experiments of a protocol. `seed` determines the streams. */
export function planExperiments(protocol: KitProtocol, seed = 1): ExperimentPlan {
  const context = prepareContext(protocol, protocol.schemas, "writer");
  const places = listDeclaredPlaces(context.maker.protocol);
  const targets = listTargets(
    context.maker.protocol.events.map(({ type }) => type),
    places,
  );
  return {
    protocol,
    targets,
    streams: [...generateLensStreams(protocol, context, places, seed)],
    positions: new Map(targets.map((target, position) => [target, position])),
    holders: listHolders(targets),
  };
}

/** Returns the lens of the consumers of `adapter`, which must show the same after the same events. */
export function* recordLens(adapter: Adapter, plan: ExperimentPlan): Steps<Lens> {
  const { protocol, targets, streams } = plan;
  const results = new Map(targets.map((target): [Target, TargetResults] => [target, createResults()]));
  const experiment = { ...plan, adapter, results };
  try {
    for (const [variant, events] of streams.entries()) {
      const view = yield* showOrFail(experiment, events);
      // A consumer that throws at this stream breaks a law, and its edits show nothing.
      if (view === undefined) continue;
      const types = new Set(events.map((event) => event[protocol.envelope.discriminator]));
      const streamResults = new Map([...results].filter(([{ event }]) => event === "" || types.has(event)));
      yield* countReads(adapter, protocol, events, view, streamResults);
      for (const edit of LENS_EDITS)
        yield* tryEdits({ ...experiment, events, view, edit, variant }, [...streamResults.keys()]);
    }
    for (const [target, targetResults] of results)
      if (target.value === undefined && targetResults.firstDifference !== undefined) {
        const first = streams[targetResults.firstDifference] ?? [];
        const probed = [first, ...streams.filter((each) => each !== first)];
        targetResults.constantRanges = yield* probeRange({ adapter, protocol, streams: probed }, target);
      }
  } catch (error) {
    // The lens of a consumer that cannot be run any longer has fewer results.
    if (!(error instanceof ConsumerUnavailable)) throw error;
  }
  decideIrregularRemovals(protocol, results);
  return createLens(targets, results);
}

/** Returns the event types, the places, and the listed values of places that have several. */
function listTargets(types: readonly string[], places: readonly Target[]): readonly Target[] {
  return [
    ...types.map((event) => ({ event, tokens: [], values: [], ranges: {} })),
    ...places,
    ...places.flatMap((place) =>
      place.values.length < 2 ? [] : place.values.map((value): Target => ({ ...place, value })),
    ),
  ];
}

/** Returns the targets whose edits may hide those of each target: the values that hold it, and the type of its events. */
function listHolders(targets: readonly Target[]): ReadonlyMap<Target, readonly Target[]> {
  const createKey = (event: string, tokens: readonly string[]): string => JSON.stringify([event, tokens]);
  const fields = new Map(
    targets
      .filter(({ value }) => value === undefined)
      .map((target) => [createKey(target.event, target.tokens), target]),
  );
  return new Map(
    targets.map((target) => {
      const { event, tokens, value } = target;
      const ends = Array.from({ length: tokens.length + (value === undefined ? 0 : 1) }, (_, end) => end);
      const keys = ends.flatMap((end) =>
        ["", event].map((holder) => createKey(holder, tokens.slice(0, end))),
      );
      return [target, keys.flatMap((key) => fields.get(key) ?? []).filter((each) => each !== target)];
    }),
  );
}

function createResults(): TargetResults {
  return {
    sensitive: new Set(),
    doubtful: new Set(),
    tests: new Map(),
    halfTests: 0,
    constantRanges: [],
    isIrregular: false,
    isRead: false,
  };
}

interface Experiment extends ExperimentPlan {
  readonly adapter: Adapter;
  readonly results: ReadonlyMap<Target, TargetResults>;
}

/** One edit of the events of one stream. */
interface Trial extends Experiment {
  readonly events: readonly SampleEvent[];
  /** The snapshot without edits. */
  readonly view: Json;
  readonly edit: LensEdit;
  readonly variant: number;
  /** True if the events that follow removed ones get their numbers, as writers that do not send the type number events. */
  readonly closesGaps?: boolean;
}

function showOrFail({ adapter, protocol }: Experiment, events: readonly object[]): Steps<Json | undefined> {
  return ignoreBrokenLaw(showEvents(adapter, protocol, events));
}

/**
 * Edits all targets whose result is not known yet, in random groups, so that any two of them are edited apart in some stream.
 * No group has a target and what holds it, because the edit of the whole hides that of the part.
 */
function* tryEdits(trial: Trial, targets: readonly Target[]): Steps<void> {
  const random = createRandom(trial.variant);
  const groups = new Map<number, Target[]>();
  const numbers = new Map<Target, number>();
  const isRemovedType = ({ tokens }: Target): boolean => trial.edit === "removed" && tokens.length === 0;
  const open = targets.filter((target) => isOpen(trial, target));
  yield* tryGroup({ ...trial, closesGaps: true }, open.filter(isRemovedType));
  const others = open.filter((target) => !isRemovedType(target));
  for (const target of others.sort((a, b) => a.tokens.length - b.tokens.length)) {
    const taken = (trial.holders.get(target) ?? []).map((holder) => numbers.get(holder));
    let number = random.below(2);
    while (taken.includes(number)) number++;
    numbers.set(target, number);
    groups.set(number, [...(groups.get(number) ?? []), target]);
  }
  for (const group of groups.values()) {
    const alone = group.filter((target) => isLikelySensitive(trial, target));
    for (const target of alone) yield* tryGroup(trial, [target]);
    yield* tryGroup(
      trial,
      group.filter((target) => !alone.includes(target)),
    );
  }
}

/** Returns whether the first test of an edit will probably change what is shown, so that a group with the target is of no use. */
function isLikelySensitive({ results, edit }: Trial, target: Target): boolean {
  const { tests, sensitive, isRead } = results.get(target) ?? createResults();
  return !tests.has(edit) && (isRead || sensitive.size > 0);
}

/** Returns whether a target is to be edited: nothing changed yet what is shown, and a listed value matters only if its field does. */
function isOpen({ protocol, results, edit, variant }: Trial, target: Target): boolean {
  if (results.get(target)?.sensitive.has(edit)) return false;
  const [field] = target.tokens;
  // Another type of the contract is no other value of a field, but another event.
  if (edit === "changed" && target.event === "" && field === protocol.envelope.discriminator) return false;
  if (target.tokens.length === 0) return edit === "removed" || edit === "renamed";
  if (target.value !== undefined) return edit === "changed" || edit === findTypeEdit(target.value);
  // Every two streams have refused values of three types, and the next two of the other ones.
  const type = REFUSED_TYPES.indexOf(edit);
  if (type >= 0) return (Math.floor(variant / 2) + type) % 2 === 0;
  return edit !== "renamed" || hasName(target.tokens);
}

/**
 * Edits a group of targets. If that changes what is shown, edits parts of the group, until the targets that matter are
 * found. Returns whether it changes. If it does and no part of the group does alone, the whole group is doubtful.
 */
function* tryGroup(trial: Trial, group: readonly Target[]): Steps<boolean> {
  const { events, applied } = applyEdits(trial, group);
  if (applied.length === 0) return false;
  const view = yield* showOrFail(trial, events);
  const { edit, results } = trial;
  if (view !== undefined && areEqual(view, trial.view)) {
    for (const target of applied) {
      const targetResults = results.get(target);
      if (targetResults === undefined) continue;
      const { tests } = targetResults;
      tests.set(edit, (tests.get(edit) ?? 0) + 1);
      if (edit === "changed" && movesToOtherHalf(trial, events, target)) targetResults.halfTests++;
    }
    return false;
  }
  const [only] = applied;
  if (applied.length === 1 && only !== undefined) {
    const targetResults = results.get(only);
    if (targetResults === undefined) return true;
    if (edit === "removed" && only.tokens.length === 0) yield* noteRemoval(trial, only, targetResults);
    else targetResults.sensitive.add(edit);
    if (edit === "changed") targetResults.firstDifference ??= trial.variant;
    return true;
  }
  const middle = Math.ceil(applied.length / 2);
  const first = yield* tryGroup(trial, applied.slice(0, middle));
  const second = yield* tryGroup(trial, applied.slice(middle));
  if (!first && !second) for (const target of applied) results.get(target)?.doubtful.add(edit);
  return true;
}

/**
 * Notes that the removal of an event type made a difference. That is doubtful if events that keep their numbers make none, because
 * the consumer may show only that the numbers are other ones.
 */
function* noteRemoval(trial: Trial, target: Target, targetResults: TargetResults): Steps<void> {
  const { protocol, events: originals, view } = trial;
  if (protocol.stream?.sequence === undefined) {
    targetResults.sensitive.add("removed");
    return;
  }
  const { events } = applyEdits({ ...trial, closesGaps: false }, [target]);
  const otherView = yield* showOrFail(trial, events);
  if (otherView !== undefined && areEqual(otherView, view)) targetResults.doubtful.add("removed");
  else if (hasAllNumbers(protocol, originals)) targetResults.sensitive.add("removed");
  else targetResults.isIrregular = true;
}

/** Returns whether an edit moved a value from one half of its declared range to the other one. */
function movesToOtherHalf(
  { events: originals, protocol }: Trial,
  edited: readonly SampleEvent[],
  { event: type, tokens, ranges }: Target,
): boolean {
  if (!hasRange(ranges)) return false;
  return originals.some((original, index) => {
    if (type !== "" && type !== original[protocol.envelope.discriminator]) return false;
    const after = listValuesAt(edited[index], tokens);
    return listValuesAt(original, tokens).some(
      (value, at) => findHalf(value, ranges) !== findHalf(after[at] ?? value, ranges),
    );
  });
}

/** Applies an edit to the targets of a group. Values that readers accept alone are not set together if they refuse them. */
function applyEdits(trial: Trial, group: readonly Target[]) {
  const { protocol, edit, variant, positions } = trial;
  const { discriminator } = protocol.envelope;
  const applied = new Set<Target>();
  const editedEvents = new Map<SampleEvent, readonly SampleEvent[]>();
  // Every second stream has events with and without the edit, and with different values, because consumers compare events.
  const isPartial = variant % 2 === 1 && edit !== "renamed";
  // The parts of a value are edited before the value itself.
  const ordered = [...group].sort((a, b) => b.tokens.length - a.tokens.length);
  const listEdits = (event: SampleEvent, index: number): readonly SampleEvent[] => {
    const type = String(event[discriminator]);
    let current = event;
    let newType = type;
    for (const target of ordered) {
      if (target.event !== "" && target.event !== type) continue;
      const position = positions.get(target) ?? 0;
      // A type is not sent at all, and all events get a new name of a listed value.
      const isPartialTarget = isPartial && target.value === undefined && target.tokens.length > 0;
      if (isPartialTarget && combineSeeds(variant, position, index) % 2 === 0) continue;
      const choice = variant + position + (isPartialTarget ? index : 0);
      if (target.tokens.length === 0) {
        applied.add(target);
        if (edit === "removed") return [];
        newType = chooseName(type, choice);
        continue;
      }
      const place = edit === "changed" ? current : event;
      const placeEdit = chooseEdit(protocol, place, target, edit, choice);
      if (placeEdit === undefined) continue;
      current = placeEdit(current);
      applied.add(target);
    }
    return [newType === type ? current : { ...current, [discriminator]: newType }];
  };
  const events = trial.events.flatMap((event, index) => {
    const known = editedEvents.get(event) ?? listEdits(event, index);
    editedEvents.set(event, known);
    return known;
  });
  const sent = trial.closesGaps === true ? closeGaps(protocol, trial.events, events) : events;
  return { events: sent, applied: [...applied] };
}

/** Counts which fields of events a consumer in the same process reads. */
import { areEqual, type Json } from "../../json.js";
import type { SampleEvent } from "../../sample/event-maker.js";
import { type Adapter, createConsumer } from "../adapter.js";
import type { KitProtocol } from "../kit-protocol.js";
import { dropConsumer, ignoreBrokenLaw, pushEvent, takeSnapshot } from "../observe.js";
import type { Steps } from "../steps.js";
import type { TargetResults } from "./create-lens.js";
import type { Target } from "./edit-places.js";

/** Sets `isRead` of the targets that a consumer reads by itself, rather than by a validator, which reads all fields. */
export function* countReads(
  adapter: Adapter,
  protocol: KitProtocol,
  events: readonly SampleEvent[],
  view: Json,
  results: ReadonlyMap<Target, TargetResults>,
): Steps<void> {
  if (adapter.receivesCopies) return;
  const readPaths = events.map(() => new Set<string>());
  const recorded = events.map((event, index) => recordReads(event, [], readPaths[index] ?? new Set()));
  const observedView = yield* ignoreBrokenLaw(show(adapter, protocol, recorded));
  // A consumer to which fields with getters make a difference is left to the experiments.
  if (observedView === undefined || !areEqual(observedView, view)) return;
  for (const [index, event] of events.entries()) {
    const paths = readPaths[index] ?? new Set();
    const validated = new Set<string>();
    protocol.decodeEvent(recordReads(event, [], validated));
    const isValidated = [...validated].every((path) => paths.has(path));
    const type = String(event[protocol.envelope.discriminator]);
    const ownPaths = [...paths].filter((path) => !isValidated || !validated.has(path));
    for (const [target, targetResults] of results)
      if (target.value === undefined && (target.event === "" || target.event === type))
        targetResults.isRead ||= ownPaths.some((path) => matchesPath(JSON.parse(path), target.tokens));
  }
}

function* show(adapter: Adapter, protocol: KitProtocol, events: readonly object[]): Steps<Json> {
  const consumer = yield* createConsumer(adapter);
  for (const event of events) yield* pushEvent(protocol, consumer, event);
  const view = yield* takeSnapshot(consumer);
  yield* dropConsumer(consumer);
  return view;
}

function matchesPath(path: readonly string[], tokens: readonly string[]): boolean {
  return (
    path.length === tokens.length && tokens.every((token, index) => token === "*" || token === path[index])
  );
}

/** Returns a copy with the same fields, which add their paths to `paths` when they are read. */
function recordReads(value: Json, path: readonly string[], paths: Set<string>): object {
  return copyWithGetters(value, path, paths) as object;
}

function copyWithGetters(value: Json, path: readonly string[], paths: Set<string>): unknown {
  if (typeof value !== "object" || value === null) return value;
  const copy: object = Array.isArray(value) ? [] : {};
  for (const [name, member] of Object.entries(value)) {
    const inner = [...path, name];
    const copiedMember = copyWithGetters(member, inner, paths);
    const key = JSON.stringify(inner);
    // To get an object is not yet to read it. Experiments show whether its fields are counted or listed.
    const isPlain = typeof member !== "object" || member === null;
    const get = (): unknown => {
      if (isPlain) paths.add(key);
      return copiedMember;
    };
    Object.defineProperty(copy, name, { get, enumerable: true, configurable: true });
  }
  return copy;
}

/** Finds the states of state feeds, and checks them against the resources that describe them. */
import { isObject, type Json, type JsonObject } from "../json.js";
import type { Protocol } from "../protocol/protocol.js";
import type { StateFeed } from "../protocol/state-feed.js";
import type { Issue } from "../runtime/runtime.js";
import type { Profile } from "../schema/readings.js";
import { createResourceCheck, type Validators } from "../validators/protocol-validators.js";

/** Something that knows the validators of one protocol. */
interface WithValidators {
  readonly validators: Validators;
}

/** A state, and the parts of it that its resource does not allow. */
export interface FoundState<Known> {
  readonly found: Known;
  readonly state: JsonObject;
  readonly issues: readonly Issue[];
}

/** Returns the state that a value is; undefined for other values. */
export type FindState<Known> = (value: Json) => FoundState<Known> | undefined;

/** Creates a function that finds states of these protocols. Of several protocols, it prefers one that allows the state. */
export function createStateFinder<Known extends WithValidators>(
  protocols: readonly Known[],
  profile: Profile,
): FindState<Known> {
  const feeds = protocols.flatMap((found) => {
    const { protocol } = found.validators;
    const { stateFeed } = protocol;
    if (stateFeed === undefined) return [];
    return [
      { found, protocol, stateFeed, listIssues: createResourceCheck(profile, protocol, stateFeed.resource) },
    ];
  });
  return (value) => {
    // Most values are no states, and this test is cheap.
    if (!feeds.some(({ protocol, stateFeed }) => isState(value, protocol, stateFeed))) return undefined;
    const states = feeds
      .filter(({ protocol, stateFeed }) => isState(value, protocol, stateFeed))
      .map(({ found, listIssues }) => ({ found, state: value as JsonObject, issues: listIssues(value) }));
    return states.find(({ issues }) => issues.length === 0) ?? states[0];
  };
}

/** Returns whether a value names the event type of a state and has one of its members, and is neither an event nor a row. */
function isState(value: Json, { envelope, rows }: Protocol, { type, members }: StateFeed): boolean {
  if (!isObject(value) || !Object.hasOwn(value, type)) return false;
  const isEvent = envelope.discriminator !== type && Object.hasOwn(value, envelope.discriminator);
  const isRow = rows !== undefined && Object.hasOwn(value, rows.payload);
  return !isEvent && !isRow && Object.keys(members).some((name) => Object.hasOwn(value, name));
}

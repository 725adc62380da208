import type { Location } from "../finding.js";
import { isObject, type Json } from "../json.js";
import type { Protocol, Stability } from "../protocol/protocol.js";
import { createSpot, createSpotBelow, type Spot } from "../schema/describe.js";

/** One side of a comparison: a protocol, and how to find the lines of its parts. */
export interface Side {
  readonly protocol: Protocol;
  readonly locate: (file: string, pointer: string, part?: "value" | "name") => Location;
  /** Set for schemas that were written for other tools, where an open object promises nothing about undeclared fields. */
  readonly imported?: {
    /** True if the schemas state of any object that it has no undeclared fields. */
    readonly closesObjects: boolean;
  };
}

/** A version to compare against, and its name for the user. */
export interface BaselineSide extends Side {
  readonly label: string;
}

/** Returns a side without lines and columns, for comparisons whose locations are not printed. */
export function createUnlocatedSide(protocol: Protocol): BaselineSide {
  return { protocol, label: protocol.version, locate: (file, pointer) => ({ file, pointer }) };
}

/** Returns the spot of a member of protocol.json, or of the same member in a release. */
export function createProtocolSpot({ at, id }: Protocol, ...tokens: readonly string[]): Spot {
  return createSpotBelow(createSpot(id, at), id, ...tokens);
}

/**
 * Returns the stability of the envelope: the stated one, candidate by default, but at least that of the most stable event,
 * because a message of a stable event breaks with its envelope.
 */
export function deriveEnvelopeStability({ envelope, events }: Protocol): Stability {
  const envelopeStability = parseStability(envelope.schema["x-stability"]) ?? "candidate";
  return findMostStable([envelopeStability, ...events.map(({ stability }) => stability)]);
}

/** The stabilities, the least stable first. */
export const STABILITIES: readonly Stability[] = ["experimental", "candidate", "stable"];

/** Returns the rank of a stability, from 0; the more stable has the larger one. */
export function rankStability(stability: Stability): number {
  return STABILITIES.indexOf(stability);
}

/** Returns the most stable of `stabilities`; experimental if there are none. */
export function findMostStable(stabilities: readonly Stability[]): Stability {
  return STABILITIES.findLast((each) => stabilities.includes(each)) ?? "experimental";
}

/** Returns `value` if it is a stability. */
export function parseStability(value: Json | undefined): Stability | undefined {
  return value === "experimental" || value === "candidate" || value === "stable" ? value : undefined;
}

/** Returns the most stable of the stabilities that schemas state; undefined if they state none. */
export function findStatedStability(spots: readonly Spot[]): Stability | undefined {
  const stabilities = spots
    .map(({ schema }) => (isObject(schema) ? parseStability(schema["x-stability"]) : undefined))
    .filter((each) => each !== undefined);
  return stabilities.length === 0 ? undefined : findMostStable(stabilities);
}

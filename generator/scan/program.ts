/** Shapes as numbers in one array, so that one small loop checks all of them. */

import { ANYTHING, type Arrays, type Objects, type Shape, type Strings } from "../schema/shape/shape.js";
import {
  ALSO,
  AMONG,
  ANY,
  ARRAY,
  BOOLEAN,
  BOUNDS,
  CELLS,
  ANYTHING as EVERY_VALUE,
  MEMBER,
  MOST_BOUNDS,
  MOST_CELLS,
  MOST_MEMBERS,
  MOST_TEXTS,
  NEVER,
  NOTHING,
  NULL,
  NUMBER,
  OBJECT,
  OBJECT_HEAD,
  STRING,
  TEXTS,
  TYPES,
} from "./layout.js";
import { createPatternTable, type PatternTable } from "./pattern-table.js";

/** The nodes of shapes, in the memory of a scanner. */
export interface Program {
  readonly patterns: PatternTable;
  /** Where the text stands, and how many bytes it has. */
  place(text: string): readonly [place: number, length: number];
  /**
   * Adds the shape of an event, and returns its node, NOTHING if it is too large. The members of the event have the view
   * 0, those of its payload, if that is the member `payload`, the view 1: members that are not declared are admitted in
   * neither. The names are those of the members in the order of their places in the views.
   */
  add(shape: Shape, payload: string | undefined): Added;
}

/** A shape that was added. */
export interface Added {
  readonly node: number;
  readonly names: readonly [event: readonly string[], payload: readonly string[]];
}

/** The views. */
const NO_VIEW = -1;
const EVENT = 0;
const PAYLOAD = 1;

/** How deep shapes may nest: one that refers to itself in ever new ways has no end. */
const DEEPEST = 100;

/** No text is as long as this, and cells hold it. */
const MOST_LENGTH = 2 ** 30;

class Full extends Error {}

/** A program without events in that memory, which has to be empty. The texts of the members `common` of events and payloads are remembered. */
export function createProgram(memory: ArrayBuffer, common: ReadonlySet<string>): Program {
  const cells = new Int32Array(memory, CELLS, MOST_CELLS);
  const bounds = new Float64Array(memory, BOUNDS, 2 * MOST_BOUNDS);
  const texts = new Uint8Array(memory, TEXTS, MOST_TEXTS);
  const patterns = createPatternTable(memory);
  let viewNames: [readonly string[], readonly string[]] = [[], []];
  const encoder = new TextEncoder();
  const textPlaces = new Map<string, readonly [number, number]>();
  const boundNumbers = new Map<string, number>();
  /** Of shapes without a view: what all events have is written once. */
  let nodes = new Map<Shape, number>();
  let [used, usedTexts, depth] = [0, 0, 0];

  const allot = (...values: readonly number[]): number => {
    if (used + values.length > MOST_CELLS) throw new Full();
    const node = used;
    cells.set(values, node);
    used += values.length;
    return node;
  };
  const placeOf = (spelled: string): readonly [number, number] => {
    const known = textPlaces.get(spelled);
    if (known) return known;
    const bytes = encoder.encode(spelled);
    if (usedTexts + bytes.length > MOST_TEXTS) throw new Full();
    const place = [usedTexts, bytes.length] as const;
    texts.set(bytes, usedTexts);
    usedTexts += bytes.length;
    textPlaces.set(spelled, place);
    return place;
  };
  const boundsOf = (min: number, max: number): number => {
    if (min === -Infinity && max === Infinity) return -1;
    const key = `${min} ${max}`;
    const known = boundNumbers.get(key) ?? boundNumbers.size;
    if (known >= MOST_BOUNDS) throw new Full();
    boundNumbers.set(key, known);
    bounds.set([min, max], 2 * known);
    return known;
  };
  const patternNumber = (pattern: RegExp): number => {
    const number = patterns.number(pattern);
    if (number === undefined) throw new Full();
    return number;
  };
  const textCells = (texts: readonly string[]): number[] => [
    texts.length,
    ...texts.flatMap((text) => placeOf(JSON.stringify(text))),
  ];
  const stringNode = ({ min, max, patterns, among, except = [] }: Strings): number => {
    if (min > MOST_LENGTH) return NOTHING;
    if (among === undefined)
      return allot(
        ...[STRING, min, max > MOST_LENGTH ? -1 : max, patterns.length, ...patterns.map(patternNumber)],
        ...textCells(except),
      );
    const admitted = among.filter((text) => {
      const { length } = [...text];
      const isFit = length >= min && length <= max && patterns.every((pattern) => pattern.test(text));
      return isFit && !except.includes(text);
    });
    return allot(AMONG, ...textCells(admitted));
  };
  const arrayNode = ({ min, max, items }: Arrays): number => {
    if (min > MOST_LENGTH) return NOTHING;
    const node = allot(ARRAY, min, max > MOST_LENGTH ? -1 : max, NOTHING);
    cells[node + 3] = shapeNode(items());
    return node;
  };
  const objectNode = ({ members, required, others }: Objects, view: number, payload?: string): number => {
    const names = [...members.keys(), ...[...required].filter((name) => !members.has(name))];
    if (names.length > MOST_MEMBERS) return NOTHING;
    const mask = (first: number): number =>
      names.slice(first, first + 32).reduce((all, name, bit) => all | (required.has(name) ? 1 << bit : 0), 0);
    const node = allot(
      ...[OBJECT, view, names.length, mask(0), mask(32), NOTHING],
      ...names.flatMap((name) => [...placeOf(JSON.stringify(name)), NOTHING, common.has(name) ? 1 : 0]),
    );
    if (view >= 0) viewNames[view] = names;
    else cells[node + OBJECT_HEAD - 1] = shapeNode(others());
    for (const [index, name] of names.entries()) {
      const child = (members.get(name) ?? others)();
      cells[node + OBJECT_HEAD + MEMBER * index + 2] = shapeNode(child, name === payload ? PAYLOAD : NO_VIEW);
    }
    return node;
  };
  const typeNodes = (shape: Shape, view: number, payload?: string): number[] => {
    const { null: nothing, boolean = [], number, string, array, object } = shape;
    const flags = (boolean.includes(true) ? 1 : 0) + (boolean.includes(false) ? 2 : 0);
    return [
      nothing ? allot(NULL) : NOTHING,
      flags > 0 ? allot(BOOLEAN, flags) : NOTHING,
      number ? allot(NUMBER, number.whole ? 1 : 0, boundsOf(number.min, number.max)) : NOTHING,
      string ? stringNode(string) : NOTHING,
      array ? arrayNode(array) : NOTHING,
      object ? objectNode(object, view, payload) : NOTHING,
    ];
  };
  const shapeNode = (shape: Shape, view = NO_VIEW, payload?: string): number => {
    if (view === NO_VIEW && shape === ANYTHING) return EVERY_VALUE;
    const known = nodes.get(shape);
    if (view === NO_VIEW && known !== undefined) return known;
    const groups = shape.also ?? [];
    const cell = allot(
      ...[ALSO, NOTHING, groups.length],
      ...groups.flatMap((group) => [group.length, ...group.map(() => NOTHING)]),
    );
    // Who refers to it from inside goes through this cell, all others to what it holds.
    if (view === NO_VIEW) nodes.set(shape, cell);
    if (++depth > DEEPEST) throw new Full();
    const admitted = typeNodes(shape, view, payload);
    const types = admitted.filter((node) => node !== NOTHING);
    cells[cell + 1] = types.length === 1 ? (types[0] as number) : allot(TYPES, ...admitted);
    let at = cell + 3;
    for (const group of groups) {
      at++;
      for (const one of group) cells[at++] = shapeNode(one);
    }
    depth--;
    const made = groups.length === 0 ? (cells[cell + 1] as number) : cell;
    if (view === NO_VIEW) nodes.set(shape, made);
    return made;
  };
  // NOTHING, ANYTHING and ANY_OBJECT.
  allot(NEVER);
  allot(ANY);
  allot(OBJECT, -1, 0, 0, 0, EVERY_VALUE);
  return {
    patterns,
    place: placeOf,
    add(shape, payload): Added {
      viewNames = [[], []];
      depth = 0;
      const before = used;
      try {
        return { node: shapeNode(shape, EVENT, payload), names: viewNames };
      } catch (error) {
        if (!(error instanceof Full)) throw error;
        used = before;
        nodes = new Map();
        return { node: NOTHING, names: [[], []] };
      }
    },
  };
}

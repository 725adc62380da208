/** Writes shapes as programs: numbers in one array, which assembly/values.ts interprets. */
import {
  ANYTHING,
  type Arrays,
  matchesShape,
  type Objects,
  type Shape,
  type Strings,
} from "../schema/shape/shape.js";
import {
  ANY,
  ARRAY,
  BOOLEAN,
  BOUNDS,
  CELLS,
  ENUM,
  ANYTHING as EVERY_VALUE,
  GROUPS,
  MAX_BOUNDS,
  MAX_CELLS,
  MAX_MEMBERS,
  MAX_TEXTS,
  MEMBER,
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

/** The nodes of one event's shape. */
interface AddedShape {
  /** NOTHING if the shape is too large. */
  readonly node: number;
  /** The names of the members, in the order of their indexes in the views. */
  readonly names: readonly [event: readonly string[], payload: readonly string[]];
}

/** The numbers of the views. */
const NO_VIEW = -1;
const EVENT = 0;
const PAYLOAD = 1;

/** The greatest nesting of a shape. A shape that refers to itself in ever new ways has no end. */
const MAX_DEPTH = 100;

/** A length that no text has, and that a cell can hold. */
const MAX_LENGTH = 2 ** 30;

/** Thrown if a shape does not fit in the memory. */
class ProgramFull extends Error {}

/** The nodes of shapes, in the memory of a scanner. */
export class Program {
  readonly patterns: PatternTable;
  private readonly cells: Int32Array;
  private readonly bounds: Float64Array;
  private readonly texts: Uint8Array;
  private readonly encoder = new TextEncoder();
  private readonly textPlaces = new Map<string, readonly [place: number, length: number]>();
  private readonly boundNumbers = new Map<string, number>();
  /** The nodes of shapes without a view, so that a shape of several events is written once. */
  private nodes = new Map<Shape, number>();
  private viewNames: [readonly string[], readonly string[]] = [[], []];
  private used = 0;
  private usedTexts = 0;
  private depth = 0;

  /** Creates an empty program in a memory, which must be empty. Texts of the members `common` are interned in events and payloads. */
  constructor(
    memory: ArrayBuffer,
    private readonly common: ReadonlySet<string>,
  ) {
    this.cells = new Int32Array(memory, CELLS, MAX_CELLS);
    this.bounds = new Float64Array(memory, BOUNDS, 2 * MAX_BOUNDS);
    this.texts = new Uint8Array(memory, TEXTS, MAX_TEXTS);
    this.patterns = createPatternTable(memory);
    // NOTHING, ANYTHING and ANY_OBJECT.
    this.addNode(NEVER);
    this.addNode(ANY);
    this.addNode(OBJECT, -1, 0, 0, 0, EVERY_VALUE);
  }

  /**
   * Adds the shape of an event. The members of the event get the view 0. The members of its payload, which is the member
   * `payload`, get the view 1. Neither admits undeclared members.
   */
  add(shape: Shape, payload: string | undefined): AddedShape {
    this.viewNames = [[], []];
    this.depth = 0;
    const before = this.used;
    try {
      return { node: this.addShape(shape, EVENT, payload), names: this.viewNames };
    } catch (error) {
      if (!(error instanceof ProgramFull)) throw error;
      this.used = before;
      this.nodes = new Map();
      return { node: NOTHING, names: [[], []] };
    }
  }

  /** Adds a text. Returns its address and its number of bytes. */
  addText(text: string): readonly [place: number, length: number] {
    const known = this.textPlaces.get(text);
    if (known) return known;
    const bytes = this.encoder.encode(text);
    if (this.usedTexts + bytes.length > MAX_TEXTS) throw new ProgramFull();
    const place = [this.usedTexts, bytes.length] as const;
    this.texts.set(bytes, this.usedTexts);
    this.usedTexts += bytes.length;
    this.textPlaces.set(text, place);
    return place;
  }

  private addNode(...values: readonly number[]): number {
    if (this.used + values.length > MAX_CELLS) throw new ProgramFull();
    const node = this.used;
    this.cells.set(values, node);
    this.used += values.length;
    return node;
  }

  private addShape(shape: Shape, view = NO_VIEW, payload?: string): number {
    const { cells } = this;
    if (view === NO_VIEW && shape === ANYTHING) return EVERY_VALUE;
    const known = this.nodes.get(shape);
    if (view === NO_VIEW && known !== undefined) return known;
    const groups = shape.also ?? [];
    const places = groups.flatMap((group) => [group.length, ...group.map(() => NOTHING)]);
    const cell = this.addNode(GROUPS, NOTHING, groups.length, ...places);
    // A shape that refers to itself goes through this cell; all others use the node in it.
    if (view === NO_VIEW) this.nodes.set(shape, cell);
    if (++this.depth > MAX_DEPTH) throw new ProgramFull();
    cells[cell + 1] = this.addTypes(shape, view, payload);
    let at = cell + 3;
    for (const group of groups) {
      at++;
      for (const alternative of group) cells[at++] = this.addShape(alternative);
    }
    this.depth--;
    const made = groups.length === 0 ? (cells[cell + 1] as number) : cell;
    if (view === NO_VIEW) this.nodes.set(shape, made);
    return made;
  }

  private addTypes(shape: Shape, view: number, payload?: string): number {
    const { null: admitsNull, boolean = [], number, string, array, object } = shape;
    const flags = (boolean.includes(true) ? 1 : 0) + (boolean.includes(false) ? 2 : 0);
    const admitted = [
      admitsNull ? this.addNode(NULL) : NOTHING,
      flags > 0 ? this.addNode(BOOLEAN, flags) : NOTHING,
      number ? this.addNode(NUMBER, number.whole ? 1 : 0, this.addBounds(number.min, number.max)) : NOTHING,
      string ? this.addString(string) : NOTHING,
      array ? this.addArray(array) : NOTHING,
      object ? this.addObject(object, view, payload) : NOTHING,
    ];
    const types = admitted.filter((node) => node !== NOTHING);
    return types.length === 1 ? (types[0] as number) : this.addNode(TYPES, ...admitted);
  }

  private addString(strings: Strings): number {
    const { min, max, patterns, among, except = [] } = strings;
    if (min > MAX_LENGTH) return NOTHING;
    if (among === undefined) {
      const numbers = patterns.map((pattern) => this.addPattern(pattern));
      const most = max > MAX_LENGTH ? -1 : max;
      return this.addNode(STRING, min, most, numbers.length, ...numbers, ...this.addTexts(except));
    }
    return this.addNode(
      ENUM,
      ...this.addTexts(among.filter((text) => matchesShape({ string: strings }, text))),
    );
  }

  private addArray({ min, max, items }: Arrays): number {
    if (min > MAX_LENGTH) return NOTHING;
    const node = this.addNode(ARRAY, min, max > MAX_LENGTH ? -1 : max, NOTHING);
    this.cells[node + 3] = this.addShape(items());
    return node;
  }

  private addObject({ members, required, others }: Objects, view: number, payload?: string): number {
    const names = [...members.keys(), ...[...required].filter((name) => !members.has(name))];
    if (names.length > MAX_MEMBERS) return NOTHING;
    const mask = (first: number): number =>
      names.slice(first, first + 32).reduce((all, name, bit) => all | (required.has(name) ? 1 << bit : 0), 0);
    const cells = names.flatMap((name) => [
      ...this.addText(JSON.stringify(name)),
      NOTHING,
      this.common.has(name) ? 1 : 0,
    ]);
    const node = this.addNode(OBJECT, view, names.length, mask(0), mask(32), NOTHING, ...cells);
    if (view >= 0) this.viewNames[view] = names;
    else this.cells[node + OBJECT_HEAD - 1] = this.addShape(others());
    for (const [index, name] of names.entries()) {
      const child = (members.get(name) ?? others)();
      const childView = name === payload ? PAYLOAD : NO_VIEW;
      this.cells[node + OBJECT_HEAD + MEMBER * index + 2] = this.addShape(child, childView);
    }
    return node;
  }

  private addBounds(min: number, max: number): number {
    if (min === -Infinity && max === Infinity) return -1;
    const key = `${min} ${max}`;
    const known = this.boundNumbers.get(key) ?? this.boundNumbers.size;
    if (known >= MAX_BOUNDS) throw new ProgramFull();
    this.boundNumbers.set(key, known);
    this.bounds.set([min, max], 2 * known);
    return known;
  }

  private addPattern(pattern: RegExp): number {
    const number = this.patterns.add(pattern);
    if (number === undefined) throw new ProgramFull();
    return number;
  }

  private addTexts(texts: readonly string[]): number[] {
    return [texts.length, ...texts.flatMap((text) => this.addText(JSON.stringify(text)))];
  }
}

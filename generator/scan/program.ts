/** Writes shapes as programs. A program is an array of numbers, which assembly/values.ts interprets. */
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
  ARRAY_ITEMS,
  BOOLEAN,
  BOUNDS,
  CELLS,
  ENUM,
  ANYTHING as EVERY_VALUE,
  GROUPS,
  GROUPS_HEAD,
  GROUPS_NODE,
  MAX_BOUNDS,
  MAX_CELLS,
  MAX_MEMBERS,
  MAX_TEXTS,
  MEMBER,
  MEMBER_NODE,
  NEVER,
  NOTHING,
  NULL,
  NUMBER,
  OBJECT,
  OBJECT_HEAD,
  OBJECT_UNDECLARED,
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

/** The greatest nesting of a shape. A shape that expands to a new shape in each step has no end. */
const MAX_DEPTH = 100;

/** A length that no text has, and that a cell can hold. */
const MAX_LENGTH = 2 ** 30;

/** The address of a text, and its number of bytes. */
type TextAddress = readonly [address: number, length: number];

/** Thrown if a shape does not fit in the memory. */
class ProgramFullError extends Error {}

/** The nodes of shapes, in the memory of a scanner. */
export class Program {
  readonly patterns: PatternTable;
  private readonly cells: Int32Array;
  private readonly bounds: Float64Array;
  private readonly texts: Uint8Array;
  private readonly encoder = new TextEncoder();
  private readonly textAddresses = new Map<string, TextAddress>();
  private readonly boundNumbers = new Map<string, number>();
  /** The nodes of shapes without a view, so that a shape of several events is written once. */
  private nodes = new Map<Shape, number>();
  private viewNames: [readonly string[], readonly string[]] = [[], []];
  /** The number of cells and of bytes of texts that are written. */
  private cellCount = 0;
  private textBytes = 0;
  private depth = 0;

  /** Creates an empty program in an empty memory. Texts of the members `internedFields` are interned in events and payloads. */
  constructor(
    memory: ArrayBuffer,
    private readonly internedFields: ReadonlySet<string>,
  ) {
    this.cells = new Int32Array(memory, CELLS, MAX_CELLS);
    this.bounds = new Float64Array(memory, BOUNDS, 2 * MAX_BOUNDS);
    this.texts = new Uint8Array(memory, TEXTS, MAX_TEXTS);
    this.patterns = createPatternTable(memory);
    // These are the nodes NOTHING, ANYTHING and ANY_OBJECT.
    this.addNode(NEVER);
    this.addNode(ANY);
    this.addNode(OBJECT, NO_VIEW, 0, 0, 0, EVERY_VALUE);
  }

  /**
   * Adds the shape of an event. The members of the event get the view 0. The members of its payload, which is the member
   * `payload`, get the view 1. Neither admits undeclared members.
   */
  add(shape: Shape, payload: string | undefined): AddedShape {
    this.viewNames = [[], []];
    this.depth = 0;
    const previousCount = this.cellCount;
    try {
      return { node: this.addShape(shape, EVENT, payload), names: this.viewNames };
    } catch (error) {
      if (!(error instanceof ProgramFullError)) throw error;
      this.cellCount = previousCount;
      this.nodes = new Map();
      return { node: NOTHING, names: [[], []] };
    }
  }

  /** Adds a text. Returns its address and its number of bytes. */
  addText(text: string): TextAddress {
    const knownAddress = this.textAddresses.get(text);
    if (knownAddress) return knownAddress;
    const bytes = this.encoder.encode(text);
    if (this.textBytes + bytes.length > MAX_TEXTS) throw new ProgramFullError();
    const address = [this.textBytes, bytes.length] as const;
    this.texts.set(bytes, this.textBytes);
    this.textBytes += bytes.length;
    this.textAddresses.set(text, address);
    return address;
  }

  private addNode(...values: readonly number[]): number {
    if (this.cellCount + values.length > MAX_CELLS) throw new ProgramFullError();
    const node = this.cellCount;
    this.cells.set(values, node);
    this.cellCount += values.length;
    return node;
  }

  private addShape(shape: Shape, view = NO_VIEW, payload?: string): number {
    const { cells } = this;
    if (view === NO_VIEW && shape === ANYTHING) return EVERY_VALUE;
    const knownNode = this.nodes.get(shape);
    if (view === NO_VIEW && knownNode !== undefined) return knownNode;
    const groups = shape.groups ?? [];
    const groupCells = groups.flatMap((group) => [group.length, ...group.map(() => NOTHING)]);
    const groupsNode = this.addNode(GROUPS, NOTHING, groups.length, ...groupCells);
    // A shape that refers to itself uses this node. All other shapes use the node in it if there are no groups.
    if (view === NO_VIEW) this.nodes.set(shape, groupsNode);
    this.depth++;
    if (this.depth > MAX_DEPTH) throw new ProgramFullError();
    const typesNode = this.addTypes(shape, view, payload);
    cells[groupsNode + GROUPS_NODE] = typesNode;
    let index = groupsNode + GROUPS_HEAD;
    for (const group of groups) {
      // The first cell of a group is the count of its nodes.
      index++;
      for (const alternative of group) cells[index++] = this.addShape(alternative);
    }
    this.depth--;
    const node = groups.length === 0 ? typesNode : groupsNode;
    if (view === NO_VIEW) this.nodes.set(shape, node);
    return node;
  }

  private addTypes(shape: Shape, view: number, payload?: string): number {
    const { null: admitsNull, boolean = [], number, string, array, object } = shape;
    const flags = (boolean.includes(true) ? 1 : 0) + (boolean.includes(false) ? 2 : 0);
    const nodes = [
      admitsNull ? this.addNode(NULL) : NOTHING,
      flags > 0 ? this.addNode(BOOLEAN, flags) : NOTHING,
      number ? this.addNode(NUMBER, number.isWhole ? 1 : 0, this.addBounds(number.min, number.max)) : NOTHING,
      string ? this.addString(string) : NOTHING,
      array ? this.addArray(array) : NOTHING,
      object ? this.addObject(object, view, payload) : NOTHING,
    ];
    const admittedNodes = nodes.filter((node) => node !== NOTHING);
    return admittedNodes.length === 1 ? (admittedNodes[0] ?? 0) : this.addNode(TYPES, ...nodes);
  }

  private addString(strings: Strings): number {
    const { min, max, patterns, values, excluded = [] } = strings;
    if (min > MAX_LENGTH) return NOTHING;
    if (values === undefined) {
      const numbers = patterns.map((pattern) => this.addPattern(pattern));
      const maxOrNone = max > MAX_LENGTH ? -1 : max;
      return this.addNode(STRING, min, maxOrNone, numbers.length, ...numbers, ...this.addTexts(excluded));
    }
    return this.addNode(
      ENUM,
      ...this.addTexts(values.filter((text) => matchesShape({ string: strings }, text))),
    );
  }

  private addArray({ min, max, items }: Arrays): number {
    if (min > MAX_LENGTH) return NOTHING;
    const node = this.addNode(ARRAY, min, max > MAX_LENGTH ? -1 : max, NOTHING);
    this.cells[node + ARRAY_ITEMS] = this.addShape(items());
    return node;
  }

  private addObject({ members, required, others }: Objects, view: number, payload?: string): number {
    const names = [...members.keys(), ...[...required].filter((name) => !members.has(name))];
    if (names.length > MAX_MEMBERS) return NOTHING;
    const createRequiredMask = (first: number): number =>
      names
        .slice(first, first + 32)
        .reduce((mask, name, bit) => mask | (required.has(name) ? 1 << bit : 0), 0);
    const cells = names.flatMap((name) => [
      ...this.addText(JSON.stringify(name)),
      NOTHING,
      this.internedFields.has(name) ? 1 : 0,
    ]);
    const node = this.addNode(
      OBJECT,
      view,
      names.length,
      createRequiredMask(0),
      createRequiredMask(32),
      NOTHING,
      ...cells,
    );
    if (view >= 0) this.viewNames[view] = names;
    else this.cells[node + OBJECT_UNDECLARED] = this.addShape(others());
    for (const [index, name] of names.entries()) {
      const child = (members.get(name) ?? others)();
      const childView = name === payload ? PAYLOAD : NO_VIEW;
      this.cells[node + OBJECT_HEAD + MEMBER * index + MEMBER_NODE] = this.addShape(child, childView);
    }
    return node;
  }

  private addBounds(min: number, max: number): number {
    if (min === -Infinity && max === Infinity) return -1;
    const key = `${min} ${max}`;
    const number = this.boundNumbers.get(key) ?? this.boundNumbers.size;
    if (number >= MAX_BOUNDS) throw new ProgramFullError();
    this.boundNumbers.set(key, number);
    this.bounds.set([min, max], 2 * number);
    return number;
  }

  private addPattern(pattern: RegExp): number {
    const number = this.patterns.add(pattern);
    if (number === undefined) throw new ProgramFullError();
    return number;
  }

  private addTexts(texts: readonly string[]): number[] {
    return [texts.length, ...texts.flatMap((text) => this.addText(JSON.stringify(text)))];
  }
}

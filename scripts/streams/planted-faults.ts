/**
 * Faults that a maintainer could make in the comparison of streams, in what it derives from machines, and in the rule
 * `machines`, whose declarations the oracle reads by itself. With each of them, there are wrong answers, or far more undecided
 * ones, and the oracle must notice it.
 */

/** A fault, and the generated contracts that show it. */
export interface PlantedFault {
  readonly name: string;
  /** A file of generator/. */
  readonly file: string;
  /** A text that occurs exactly once in the file, and its replacement. */
  readonly before: string;
  readonly after: string;
  /** The member of stream.rules whose contracts are compared. */
  readonly member: string;
  /** Only one of so many contracts is compared; by default, one of six. */
  readonly every?: number;
}

/** Returns the text of the file with the fault. */
export function applyFault({ name, file, before, after }: PlantedFault, text: string): string {
  const [start, end, ...others] = text.split(before);
  if (end === undefined || others.length > 0)
    throw new Error(`The text of the fault "${name}" does not occur exactly once in ${file}.`);
  return `${start}${after}${end}`;
}

export const PLANTED_FAULTS: readonly PlantedFault[] = [
  // Machines and sides
  {
    name: "the sides of a direction are mixed up",
    file: "compat/streams/stream-sides.ts",
    before:
      'const small = direction === "backward" ? before : after;\n  const large = direction === "backward" ? after : before;',
    after:
      'const small = direction === "forward" ? before : after;\n  const large = direction === "forward" ? after : before;',
    member: "gaps",
  },
  {
    name: "the profile of the larger side is mixed up",
    file: "compat/streams/stream-sides.ts",
    before: 'const profile = direction === "backward" ? "writer" : "reader";',
    after: 'const profile = direction === "backward" ? "reader" : "writer";',
    member: "gaps",
  },
  {
    name: "the context of equal machines is not compared",
    file: "compat/streams/stream-sides.ts",
    before: "isSameContext(reduced, small, large) &&",
    after: "",
    member: "terminal",
  },
  {
    name: "a clause with other updates does not count as differing",
    file: "compat/streams/normal-machines.ts",
    before: 'if (!("do" in statement)) return false;',
    after: 'if (!("do" in statement)) return true;',
    member: "gaps",
  },
  // What machines read
  {
    name: "a machine that asks whether a stream was seen from its start does not read epochs",
    file: "compat/streams/normal-machines.ts",
    before: 'mentions(machine, ["current", "seenFromStart", "gap"])',
    after: 'mentions(machine, ["gap"])',
    member: "lifecycles",
  },
  {
    name: "event types that only the context of a rule names are left out",
    file: "compat/streams/event-types.ts",
    before: "contextTypes.has(type) ||",
    after: "",
    member: "preparations",
  },
  {
    name: "event types that run different clauses are in one group",
    file: "compat/streams/event-types.ts",
    before: "clauses.map((clause) => isAbout(clause, type)),",
    after: "clauses.length,",
    member: "lifecycles",
  },
  // Classes of values
  {
    name: "the classes of compared values are not joined",
    file: "compat/streams/value-classes.ts",
    before: "for (const other of others) join(scope.analysis, place, other);",
    after: "",
    member: "only",
  },
  {
    name: "a key and the values that name its rows are in different classes",
    file: "compat/streams/value-classes.ts",
    before: 'relate(scope, [value], { use: "id" }, [getIdPlace(scope, statement.table, index)]);',
    after: 'relate(scope, [value], { use: "id" });',
    member: "only",
  },
  {
    name: "constants of the smaller side are ignored",
    file: "compat/streams/value-classes.ts",
    before: "constants: [...found.constants, ...constants] });",
    after: "constants: scope.index === 0 ? [...found.constants, ...constants] : [] });",
    member: "only",
  },
  {
    name: "a class has one value, even if places hold several at once",
    file: "compat/streams/value-classes.ts",
    before: "Math.max(MIN_SIZE, Math.min(cellCount + fieldCount, maxSize)),",
    after: "1,",
    member: "aliases",
  },
  // Values of fields
  {
    name: "the absence of a field is left out",
    file: "compat/streams/field-values.ts",
    before: 'values: found === "event" ? [undefined] : []',
    after: "values: []",
    member: "agree",
  },
  {
    name: "results of computed values are left out",
    file: "compat/streams/field-values.ts",
    before: "for (const result of results.flatMap((list) => list.slice(index, index + 1))) {",
    after: "for (const result of results.flatMap((list) => list.slice(index, index))) {",
    member: "templates",
  },
  {
    name: "values of texts and sizes count as complete",
    file: "compat/streams/field-values.ts",
    before: "isComplete: absence.isComplete && (hasAll || hasEnough),",
    after: "isComplete: true,",
    member: "sums",
  },
  // Effects of events
  {
    name: "the statements of `else` have no effect",
    file: "compat/streams/event-effects.ts",
    before: "reduceBody(when ? statement.do : (statement.else ?? []), context)",
    after: "reduceBody(when ? statement.do : [], context)",
    member: "transitions",
  },
  {
    name: "the effect of clearing a table is forgotten",
    file: "compat/streams/event-effects.ts",
    before: 'if (!("do" in statement)) return [reduceParts(statement, context) as Statement];',
    after:
      'if (statement.op === "clear" || statement.op === "drop") return [];\n  if (!("do" in statement)) return [reduceParts(statement, context) as Statement];',
    member: "exclusives",
  },
  // Descriptions of states
  {
    name: "only the presence of values is described",
    file: "compat/streams/state-keys.ts",
    before: 'if (use === "presence" || kind === "flag"',
    after: 'if (use === "presence" || kind === "value" || kind === "flag"',
    member: "only",
  },
  {
    name: "covered numbers that are still to come are not described",
    file: "compat/streams/state-keys.ts",
    before: ".filter(([, high]) => high >= next)",
    after: ".filter(([, high]) => high < 0)",
    member: "gaps",
    every: 2,
  },
  // The search
  {
    name: "new values that are treated alike are skipped",
    file: "compat/streams/search-streams.ts",
    before: "if (index > count) return undefined;",
    after: "if (index > 0 && index >= count) return undefined;",
    member: "constant",
  },
  {
    name: "different states of the larger side count as one",
    file: "compat/streams/search-streams.ts",
    before: 'const states = [...nextSmall, ...(typeof nextState === "string" ? [] : [nextState])];',
    after: "const states = nextSmall;",
    member: "terminal",
  },
  {
    name: "the end of a stream is not checked",
    file: "compat/streams/search-streams.ts",
    before: 'refusedBy: typeof nextState === "string" ? nextState : passOn(nextState.end()).rule,',
    after: 'refusedBy: typeof nextState === "string" ? nextState : undefined,',
    member: "gaps",
    every: 3,
  },
  {
    name: "the end of the budget counts as the end of the search",
    file: "compat/streams/search-streams.ts",
    before: 'return { found: "limit", reason: "too many streams to try" };',
    after: 'return { found: "nothing" };',
    member: "pairs",
  },
  // Findings without a stream
  {
    name: "an outcome of a comparison that was never seen counts as seen",
    file: "compat/streams/decide-streams.ts",
    before: "if (isTried) continue;",
    after: "continue;",
    member: "sums",
  },
  {
    name: "numbers that are missing before an event are left out",
    file: "compat/streams/event-samples.ts",
    before: "rules.every(({ first }) => first !== undefined) ? [0, 1] : [0];",
    after: "rules.every(({ first }) => first !== undefined) ? [0] : [0];",
    member: "gaps",
  },
  {
    name: "one event type stands for types that a machine compares",
    file: "compat/streams/event-types.ts",
    before: "count: isCompared ? MAX_COMPARED_TYPES : 1,",
    after: "count: 1,",
    member: "exclusives",
  },
  {
    name: "a field that is only tested for presence is not read",
    file: "compat/streams/value-classes.ts",
    before: 'if (!("of" in leaf)) continue;',
    after: 'if (!("of" in leaf) || leaf.op === "present") continue;',
    member: "blocks",
  },
  {
    name: "numbers that only constants of a machine tell apart count as equal",
    file: "compat/streams/state-keys.ts",
    before: "maxNumber: Math.max(maxNumber, ...numbers),",
    after: "maxNumber,",
    member: "stages",
  },
  {
    name: "the number of the next event does not belong to the state of a stream",
    file: "compat/streams/search-streams.ts",
    before:
      "const next = maxSequence === undefined ? null : Math.min(context.next, maxSequence + MAX_DISTANCE + 1);",
    after: "const next = null;",
    member: "gaps",
    every: 2,
  },
  // Comparisons that were tried
  {
    name: "a comparison that was false counts as tried on both sides",
    file: "compat/streams/tried-comparisons.ts",
    before: "when: whenFalse, do: [isFalse]",
    after: "when: whenFalse, do: [isTrue, isFalse]",
    member: "sums",
  },
  {
    name: "comparisons inside of other conditions are not tracked",
    file: "compat/streams/tried-comparisons.ts",
    before: "return listLeaves(condition).flatMap((leaf) => {",
    after: "return [condition].flatMap((leaf) => {",
    member: "sums",
  },
  // The meaning of declarations of state machines
  {
    name: "the order of changes is ignored",
    file: "conform/rules/machines.ts",
    before: "m.choose(...fitting, ...unfitting)",
    after: "m.choose(...[...fitting].reverse(), ...unfitting)",
    member: "machines",
  },
  {
    name: "the exceptions of a ban are ignored",
    file: "conform/rules/machines.ts",
    before: "ban.except ?? []",
    after: "[]",
    member: "machines",
  },
  {
    name: "bans are not forgotten when the state changes",
    file: "conform/rules/machines.ts",
    before: "const forget = tables.map((table) => table.forget);",
    after: "const forget: Statement[] = [];",
    member: "machines",
  },
];

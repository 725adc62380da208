import { listComparedConstants } from "../conform/machine/solve.js";
import { listStatements } from "../conform/machine/walk.js";
import { createObject, type Json, type JsonObject } from "../json.js";
import { combineSeeds } from "../random.js";
import type { EventMaker } from "../sample/event-maker.js";
import { streamKey } from "../stream/stream-key.js";
import { createRuleStates, getProbedRules, type TriedEvent } from "./rule-states.js";
import { createChoices, listRowIds, solveDraft } from "./solve-event.js";

/** One stream that is being generated, and its position. */
export interface StreamCursor {
  readonly key: string;
  /** The envelope fields that all events of the stream share. */
  readonly base: JsonObject;
  /** The next sequence number. */
  next: number;
  /** True if the events that open the stream were sent. */
  isStarted: boolean;
}

/** The data that all events of a stream share. */
export type StreamBase = Pick<StreamCursor, "key" | "base">;

/** Makes the envelope fields of the stream with this index. None of `bases` has the same key. */
export function createStreamBase(maker: EventMaker, index: number, bases: readonly StreamBase[]): StreamBase {
  const { stream } = maker.protocol;
  for (let attempt = 0; ; attempt++) {
    // The first stream is of the first known kind.
    const made = maker.makeEnvelope(combineSeeds(index, attempt, 7), {}, index === 0);
    const fields: { [name: string]: Json } = { ...made };
    // If the values repeat after some attempts, as those of examples do, the index makes the key different.
    const textField = stream?.key.find((name) => typeof fields[name] === "string");
    if (textField !== undefined && attempt > 8) fields[textField] = `${fields[textField]}${index}`;
    const key = streamKey(stream, fields);
    // After 40 attempts, a key that another stream has is accepted.
    if (attempt >= 40 || bases.every((base) => base.key !== key))
      return { key, base: fitEnvelope(maker, index, { key, base: fields }, bases) };
  }
}

/** Changes envelope fields, except those of the key, so that the rules about every event hold. */
function fitEnvelope(
  maker: EventMaker,
  index: number,
  { key, base }: StreamBase,
  bases: readonly StreamBase[],
): JsonObject {
  const { protocol } = maker;
  const { key: keyFields = [], sequence: sequenceField, first } = protocol.stream ?? {};
  const states = createRuleStates(protocol);
  const sequence = sequenceField === undefined ? undefined : (first ?? 0);
  const tryFields = (name: string, event: JsonObject) =>
    states.try({ type: "", event, payload: {}, key: name, sequence, gap: undefined });
  for (const other of bases) tryFields(other.key, other.base).commit();
  const solved = solveDraft(
    {
      type: "",
      payload: {},
      envelope: { ...base, ...suggestReferences(maker, index, tryFields(key, base)) },
    },
    {
      maker,
      random: createChoices(index, 7),
      try: ({ envelope }) => tryFields(key, envelope),
      isEditable: (edit) => edit.in === "envelope" && !keyFields.includes(edit.field),
    },
  );
  return solved?.draft.envelope ?? base;
}

/**
 * Returns values of the envelope fields that refer to rows which all streams share: by turns a value that the rules name,
 * and the id of an existing row.
 */
function suggestReferences({ protocol }: EventMaker, index: number, { getState }: TriedEvent): JsonObject {
  return createObject(
    getProbedRules(protocol).rules.flatMap(({ original }, slot) =>
      listStatements(original.shared ? original.clauses : [], "").flatMap((statement) => {
        const [key] = statement.op === "find" ? statement.key : [];
        if (statement.op !== "find" || key?.op !== "envelope") return [];
        const constants = listComparedConstants(original, "", key.field);
        const [id] = listRowIds(getState(slot), original.tables, statement.table, 0);
        const value = index % 2 === 0 ? constants[0] : id;
        return constants.length === 0 || value === undefined ? [] : [[key.field, value] as const];
      }),
    ),
  );
}

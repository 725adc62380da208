import type { DedicatedStream } from "../../protocol/stream-rules.js";
import { asSet, type FieldUse, readEnvelope, readField } from "../comparable.js";
import { nameOf, namesOf, PROFILE } from "../declaration-schema.js";
import { mentionEnvelope, mentionFields, mentionTypes } from "../mention.js";
import { named, quote } from "../step-text.js";
import { defineFinding, defineStreamRule, type RuleChecker, type Step } from "../stream-rule.js";

const streamForeign = defineFinding({
  id: "dedicated-stream-foreign",
  summary: "a dedicated stream has an event that belongs to other streams",
  explanation:
    "Some things, such as background tasks, have their own stream. It must not contain events that begin or end streams of another kind. A stream is dedicated to a thing if the envelope says so, or if its id is the id of the thing.",
  hint: "Send the event on a stream of the kind that it belongs to.",
  severity: { reader: "error", writer: "error" },
});

const streamMixed = defineFinding({
  id: "dedicated-stream-mixed",
  summary: "a dedicated stream has an event of another thing",
  explanation:
    "The id of a dedicated stream is the id of its thing, so all of its events are about that thing.",
  hint: "Send the events of each thing on the stream that has its id.",
  severity: { reader: "error", writer: "error" },
});

/** Streams that belong to one thing each. */
export const dedicatedStreams = defineStreamRule({
  member: "dedicatedStreams",
  declaration: {
    description: "Streams that belong to one thing each and have its id.",
    required: ["types", "key", "stream"],
    properties: {
      types: namesOf("Event types that refer to such a thing."),
      key: nameOf("Their field with the id of the thing."),
      stream: nameOf("The envelope field with the id of the stream."),
      where: {
        type: "object",
        description:
          "Envelope fields and the values that mark such a stream. Without it, an event that refers to a thing with the id of its stream marks it.",
        additionalProperties: { type: "string" },
      },
      excluded: namesOf("Event types that never occur on such a stream."),
      profile: PROFILE,
    },
  },
  example: [
    {
      types: ["tool_task_spawned", "tool_task_status"],
      key: "task_id",
      stream: "stream_id",
      where: { stream_kind: "task" },
      excluded: ["session_started", "session_ended"],
    },
  ],
  findings: [streamForeign, streamMixed],
  mentions: ({ types, key, stream, where = {}, excluded = [] }) => [
    ...mentionTypes(types, "types", "*"),
    ...mentionFields(types, [key], "key"),
    ...mentionEnvelope([stream], "stream"),
    ...Object.keys(where).flatMap((name) => mentionEnvelope([name], "where", name)),
    ...mentionTypes(excluded, "excluded", "*"),
  ],
  sentence({ types, key, stream, where, excluded = [] }, { code, allEvents, anyEvent }) {
    const conditions = Object.entries(where ?? {}).map(([name, value]) => `${code(name)} is ${code(value)}`);
    const marked =
      where === undefined
        ? `with an event whose ${code(key)} equals ${code(stream)}`
        : `where ${conditions.join(" and ")}`;
    const never = excluded.length > 0 ? ` It never contains ${anyEvent(excluded)}.` : "";
    return `A stream ${marked} is dedicated to one ${code(key)}: in ${allEvents(types)}, ${code(key)} equals ${code(stream)}.${never}`;
  },
  comparison: { identify: ({ key, stream }) => [key, stream] },
  createCheckers: (declared) =>
    declared.flatMap((each): RuleChecker[] => {
      const { where, types, excluded = [] } = each;
      return where === undefined
        ? [createDedicationChecker(each)]
        : [
            ...types.map((type) => createMarkedChecker(each, where, type)),
            ...(excluded.length > 0 ? [createExclusionChecker(each, where, excluded)] : []),
          ];
    }),
});

type Where = NonNullable<DedicatedStream["where"]>;

function isMarked({ event }: Step, where: Where): boolean {
  for (const name in where) if (event[name] !== where[name]) return false;
  return true;
}

function reportMixed(step: Step, { key, stream }: DedicatedStream): void {
  const [id, streamId] = [step.payload[key], step.event[stream]];
  if (id === streamId) return;
  const message = `${named(step)} is about ${key} ${quote(id)}, but its stream belongs to ${quote(streamId)}.`;
  step.report(streamMixed, step.at(key), message);
}

function reportExcluded(step: Step, key: string, reason: string): void {
  const message = `${named(step)} is on a stream that belongs to one ${key} (${reason}).`;
  step.report(streamForeign, "", message);
}

function readMarks(where: Where): FieldUse[] {
  return Object.entries(where).flatMap(([name, value]) =>
    readEnvelope(name, { kind: "listed", listed: [value], others: true }),
  );
}

const STATELESS = { usesEpochs: false, remembers: [], allows: [], snapshot: () => null } as const;

/** Checks one event type where the envelope marks streams: no event depends on another one. */
function createMarkedChecker(declared: DedicatedStream, where: Where, type: string): RuleChecker<null> {
  const { key, stream, profile } = declared;
  const check = (_state: null, step: Step): void => {
    if (isMarked(step, where)) reportMixed(step, declared);
  };
  return {
    findings: [streamMixed],
    profile,
    start: () => null,
    handlers: [{ types: [type], check }],
    comparable: {
      ...STATELESS,
      madeOf: ["dedicatedStreams", type, key, stream, where],
      judges: [type],
      reads: [...readField([type], key, { kind: "stream" }), ...readMarks(where)],
    },
  };
}

/** Checks the event types that never come where the envelope marks streams. */
function createExclusionChecker(
  { key, profile }: DedicatedStream,
  where: Where,
  excluded: readonly string[],
): RuleChecker<null> {
  const reason = Object.entries(where)
    .map(([name, value]) => `${name} ${quote(value)}`)
    .join(", ");
  const check = (_state: null, step: Step): void => {
    if (isMarked(step, where)) reportExcluded(step, key, reason);
  };
  return {
    findings: [streamForeign],
    profile,
    start: () => null,
    handlers: [{ types: excluded, check }],
    comparable: {
      ...STATELESS,
      madeOf: ["dedicatedStreams", "excluded", asSet(excluded), where],
      judges: excluded,
      reads: readMarks(where),
    },
  };
}

interface Dedication {
  /** The first event that showed that the stream belongs to a thing. */
  shownBy: string | undefined;
  /** The first event that is excluded from such streams. */
  excluded: string | undefined;
}

/** Checks streams that show by their events that they belong to a thing. */
function createDedicationChecker(declared: DedicatedStream): RuleChecker<Dedication> {
  const { types, key, stream, excluded = [], profile } = declared;
  const checkOwn = (state: Dedication, step: Step): void => {
    const id = step.payload[key];
    if (id !== step.event[stream]) {
      if (state.shownBy !== undefined) reportMixed(step, declared);
      return;
    }
    if (state.shownBy !== undefined) return;
    state.shownBy = named(step);
    if (state.excluded === undefined) return;
    const message = `${named(step)} shows that the stream belongs to ${key} ${quote(id)}, but it had ${state.excluded}.`;
    step.report(streamForeign, "", message);
  };
  const checkExcluded = (state: Dedication, step: Step): void => {
    state.excluded ??= named(step);
    if (state.shownBy !== undefined) reportExcluded(step, key, state.shownBy);
  };
  return {
    findings: [streamForeign, streamMixed],
    profile,
    start: () => ({ shownBy: undefined, excluded: undefined }),
    handlers: [
      { types, check: checkOwn },
      { types: excluded, check: checkExcluded },
    ],
    comparable: {
      madeOf: ["dedicatedStreams", asSet(types), key, stream, asSet(excluded)],
      usesEpochs: false,
      judges: [...types, ...excluded],
      remembers: [...types, ...excluded],
      allows: [],
      reads: readField(types, key, { kind: "stream" }),
      snapshot: (state) => [state.shownBy !== undefined, state.excluded !== undefined],
    },
  };
}

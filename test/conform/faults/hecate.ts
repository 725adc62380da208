/** Faults of runs. */
import type { JsonObject } from "../../../generator/json.js";
import {
  createCopyInsertion,
  createPayloadChange,
  findNextIndex,
  getEventType,
  getPayload,
  haveSameFields,
  pickIndex,
  readNumber,
  renumberEvents,
  replaceEvent,
  setFreshId,
  type TargetStream,
} from "../fault-tools.js";
import {
  createEndTest,
  type Fault,
  GAPS_TOLERATED,
  inBothProfiles,
  loseEvent,
  moveEvent,
  NOT_PROMISED,
} from "./fault.js";

const SHELL_ENDS = ["tool.completed", "tool.failed", "tool.cancelled", "tool.timed_out"];

/** Creates an event that cancels the call of `event`. */
function createCancellation(event: JsonObject): JsonObject {
  const { tool_call_id = "", tool_name = "", kind = "" } = getPayload(event);
  return { ...event, type: "tool.cancelled", data: { tool_call_id, tool_name, kind, error: "cancelled" } };
}

export const HECATE_FAULTS: readonly Omit<Fault, "protocols">[] = [
  {
    name: "a piece of text is lost",
    ...inBothProfiles("text-mismatch"),
    inject: loseEvent(["assistant.text_delta"], (target, at) => hasSibling(target, at)),
  },
  {
    name: "a piece of text is changed",
    ...inBothProfiles("text-mismatch"),
    inject: createPayloadChange(["assistant.text_delta"], ({ delta }) => ({
      delta: `${String(delta).slice(0, -1)}ÿ`,
    })),
  },
  {
    name: "the whole text is changed",
    ...inBothProfiles("text-mismatch"),
    inject: createPayloadChange(["assistant.text_complete"], ({ text, turn_index }, { events }) =>
      events.some(
        (event) =>
          getEventType(event) === "assistant.text_delta" && getPayload(event).turn_index === turn_index,
      )
        ? { text: `${text}.` }
        : undefined,
    ),
  },
  {
    name: "a piece of text comes after the whole",
    ...inBothProfiles("delta-after-text"),
    inject: createCopyInsertion(
      ["assistant.text_delta"],
      (event, original) =>
        getEventType(event) === "assistant.text_complete" && haveSameFields("turn_index")(event, original),
    ),
  },
  {
    name: "a whole text is sent again as a new event",
    reader: NOT_PROMISED,
    writer: ["text-repeated"],
    inject: createCopyInsertion(["assistant.text_complete"], haveSameFields("turn_index")),
  },
  {
    name: "a chunk of output is lost, others follow",
    ...inBothProfiles("byte-offset-wrong"),
    inject: loseEvent(
      ["tool.shell.output_chunk"],
      (target, at) =>
        findNextIndex(
          target,
          at,
          (event) =>
            getEventType(event) === "tool.shell.output_chunk" &&
            haveSameFields("tool_call_id", "stream")(event, target.events[at] as JsonObject),
        ) !== undefined,
    ),
  },
  {
    name: "a byte offset is wrong",
    ...inBothProfiles("byte-offset-wrong"),
    inject: createPayloadChange(["tool.shell.output_chunk"], (payload) => ({
      byte_offset: readNumber(payload, "byte_offset") + 1,
    })),
  },
  {
    name: "a chunk of output has other bytes",
    reader: { tolerated: "the last chunk of an output has no successor; readers do not rely on totals" },
    writer: ["byte-total-wrong"],
    inject: createPayloadChange(["tool.shell.output_chunk"], ({ data }, target, at) => {
      const original = target.events[at] as JsonObject;
      const next = findNextIndex(
        target,
        at,
        (event) =>
          getEventType(event) === "tool.shell.output_chunk" &&
          haveSameFields("tool_call_id", "stream")(event, original),
      );
      const exit = findNextIndex(
        target,
        at,
        (event) =>
          getEventType(event) === "tool.shell.exited" && haveSameFields("tool_call_id")(event, original),
      );
      return next === undefined && exit !== undefined ? { data: `${data}é` } : undefined;
    }),
  },
  {
    name: "a call ends twice",
    ...inBothProfiles("lifecycle-end-repeated", "lifecycle-after-end"),
    inject: createCopyInsertion(
      ["tool.invoked"],
      createEndTest(SHELL_ENDS, "tool_call_id"),
      createCancellation,
    ),
  },
  {
    name: "a call goes on after its end",
    ...inBothProfiles("lifecycle-after-end"),
    inject: createCopyInsertion(["tool.started"], (event, original) =>
      createEndTest(SHELL_ENDS, "tool_call_id")(event, original),
    ),
  },
  {
    name: "an approval is resolved that nobody asked for",
    ...inBothProfiles("lifecycle-without-start"),
    inject: createPayloadChange(["approval.resolved"], () => ({ approval_id: "appr_unheard_of" })),
  },
  {
    name: "an approval is resolved twice",
    ...inBothProfiles("lifecycle-end-repeated"),
    inject: createCopyInsertion(["approval.resolved"], () => true),
  },
  {
    name: "the request of an approval is lost",
    ...inBothProfiles("lifecycle-without-start"),
    inject: loseEvent(["approval.requested"]),
  },
  {
    name: "an artifact makes an impossible move",
    ...inBothProfiles("transition-invalid"),
    inject: createPayloadChange(["artifact.updated"], ({ old_value }) =>
      old_value === "proposed" ? { new_value: "reverted" } : { new_value: "rejected" },
    ),
  },
  {
    name: "an artifact is applied after it was reverted",
    ...inBothProfiles("transition-invalid"),
    inject: createCopyInsertion(
      ["tool.file.applied"],
      (event, original) =>
        getEventType(event) === "tool.file.reverted" && haveSameFields("artifact_id")(event, original),
    ),
  },
  {
    name: "a total falls",
    ...inBothProfiles("counter-decreased"),
    inject: createPayloadChange(["cost.tick"], (_payload, target, at) => {
      const earlier = target.events.slice(0, at);
      // After its recovery, a run may count from 0 again.
      const gap = earlier.findLastIndex((event) => getEventType(event) === "gap.run_disconnected");
      const before = earlier.slice(gap + 1).filter((event) => getEventType(event) === "cost.tick");
      const lower = readNumber(getPayload(before.at(-1) ?? {}), "cumulative_output_tokens") - 1;
      return lower >= 0 ? { cumulative_output_tokens: lower } : undefined;
    }),
  },
  {
    name: "a turn costs more than its run",
    ...inBothProfiles("part-exceeds-total"),
    inject: createPayloadChange(["turn.completed"], (payload) =>
      payload.run_cumulative_cost_micros_usd === undefined
        ? undefined
        : { cost_micros_usd: readNumber(payload, "run_cumulative_cost_micros_usd") + 1 },
    ),
  },
  {
    name: "a run says late that it continues another",
    ...inBothProfiles("opening-late"),
    inject: moveEvent("run.resumed_from_event", "run.started"),
  },
  {
    name: "a run ends twice",
    reader: { tolerated: "after the end of a run something may follow" },
    writer: ["terminal-repeated"],
    inject: (target) => {
      const at = pickIndex(target, (event) => /^run\.(finished|failed|cancelled)$/.test(getEventType(event)));
      if (at === undefined) return undefined;
      const event = target.events[at] as JsonObject;
      return renumberEvents(target.id, replaceEvent(target.events, at, event, setFreshId(target.id, event)));
    },
  },
  {
    name: "a gap marker reaches too far",
    reader: { tolerated: "a marker may take the number of an event that it reports" },
    writer: ["gap-marker-overlap"],
    inject: createPayloadChange(["gap.events_pruned"], (payload) => ({
      last_pruned_sequence: readNumber(payload, "last_pruned_sequence") + 5,
    })),
  },
  {
    name: "a gap marker does not reach far enough",
    reader: GAPS_TOLERATED,
    writer: ["sequence-gap", "sequence-start"],
    inject: createPayloadChange(["gap.events_pruned"], (payload) => ({
      last_pruned_sequence: readNumber(payload, "last_pruned_sequence") - 1,
    })),
  },
  {
    name: "a gap marker names what is there",
    reader: { tolerated: "events may be pruned after they were delivered" },
    writer: ["gap-marker-overlap"],
    inject: createPayloadChange(["gap.events_pruned"], (payload) =>
      readNumber(payload, "first_pruned_sequence") > 0
        ? { first_pruned_sequence: readNumber(payload, "first_pruned_sequence") - 2 }
        : undefined,
    ),
  },
];

function hasSibling({ events }: TargetStream, at: number): boolean {
  const one = events[at] as JsonObject;
  return events.some(
    (event, index) =>
      index !== at &&
      getEventType(event) === getEventType(one) &&
      haveSameFields("turn_index", "block_index")(event, one),
  );
}

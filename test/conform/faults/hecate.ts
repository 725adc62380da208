/** Faults of runs. */
import type { JsonObject } from "../../../generator/json.js";
import {
  changing,
  following,
  fresh,
  inserting,
  numberAt,
  payloadOf,
  pick,
  put,
  renumbered,
  same,
  typeOf,
  type Victim,
} from "../fault-tools.js";
import { both, ends, type Fault, holes, losing, moving } from "./fault.js";

const shellEnd = ["tool.completed", "tool.failed", "tool.cancelled", "tool.timed_out"];
/** The end of the call that `event` is about. */
function cancelled(event: JsonObject): JsonObject {
  const { tool_call_id = "", tool_name = "" } = payloadOf(event);
  return { ...event, type: "tool.cancelled", data: { tool_call_id, tool_name } };
}

/** The table. */
export const HECATE_FAULTS: readonly Omit<Fault, "of">[] = [
  {
    name: "a piece of text is lost",
    ...both("text-mismatch"),
    inject: losing(["assistant.text_delta"], (victim, at) => hasSibling(victim, at)),
  },
  {
    name: "a piece of text is changed",
    ...both("text-mismatch"),
    inject: changing(["assistant.text_delta"], ({ delta }) => ({ delta: `${String(delta).slice(0, -1)}ÿ` })),
  },
  {
    name: "the whole text is changed",
    ...both("text-mismatch"),
    inject: changing(["assistant.text_complete"], ({ text, turn_index }, { events }) =>
      events.some(
        (event) => typeOf(event) === "assistant.text_delta" && payloadOf(event).turn_index === turn_index,
      )
        ? { text: `${text}.` }
        : undefined,
    ),
  },
  {
    name: "a piece of text comes after the whole",
    ...both("delta-after-text"),
    inject: inserting(
      ["assistant.text_delta"],
      (event, original) => typeOf(event) === "assistant.text_complete" && same("turn_index")(event, original),
    ),
  },
  {
    name: "a chunk of output is lost, others follow",
    ...both("byte-offset-wrong"),
    inject: losing(
      ["tool.shell.output_chunk"],
      (victim, at) =>
        following(
          victim,
          at,
          (event) =>
            typeOf(event) === "tool.shell.output_chunk" &&
            same("tool_call_id", "stream")(event, victim.events[at] as JsonObject),
        ) !== undefined,
    ),
  },
  {
    name: "a byte offset is wrong",
    ...both("byte-offset-wrong"),
    inject: changing(["tool.shell.output_chunk"], (payload) => ({
      byte_offset: numberAt(payload, "byte_offset") + 1,
    })),
  },
  {
    name: "a chunk of output has other bytes",
    reader: { tolerated: "the last chunk of an output has no successor; readers do not rely on totals" },
    writer: ["byte-total-wrong"],
    inject: changing(["tool.shell.output_chunk"], ({ data }, victim, at) => {
      const original = victim.events[at] as JsonObject;
      const next = following(
        victim,
        at,
        (event) =>
          typeOf(event) === "tool.shell.output_chunk" && same("tool_call_id", "stream")(event, original),
      );
      const exit = following(
        victim,
        at,
        (event) => typeOf(event) === "tool.shell.exited" && same("tool_call_id")(event, original),
      );
      return next === undefined && exit !== undefined ? { data: `${data}é` } : undefined;
    }),
  },
  {
    name: "a call ends twice",
    ...both("lifecycle-end-repeated", "lifecycle-after-end"),
    inject: inserting(["tool.invoked"], ends(shellEnd, "tool_call_id"), cancelled),
  },
  {
    name: "a call goes on after its end",
    ...both("lifecycle-after-end"),
    inject: inserting(["tool.started"], (event, original) => ends(shellEnd, "tool_call_id")(event, original)),
  },
  {
    name: "an approval is resolved that nobody asked for",
    ...both("lifecycle-without-start"),
    inject: changing(["approval.resolved"], () => ({ approval_id: "appr_unheard_of" })),
  },
  {
    name: "an approval is resolved twice",
    ...both("lifecycle-end-repeated"),
    inject: inserting(["approval.resolved"], () => true),
  },
  {
    name: "the request of an approval is lost",
    ...both("lifecycle-without-start"),
    inject: losing(["approval.requested"]),
  },
  {
    name: "an artifact makes an impossible move",
    ...both("transition-invalid"),
    inject: changing(["artifact.updated"], ({ old_value }) =>
      old_value === "proposed" ? { new_value: "reverted" } : { new_value: "rejected" },
    ),
  },
  {
    name: "an artifact is applied after it was reverted",
    ...both("transition-invalid"),
    inject: inserting(
      ["tool.file.applied"],
      (event, original) => typeOf(event) === "tool.file.reverted" && same("artifact_id")(event, original),
    ),
  },
  {
    name: "a total falls",
    ...both("counter-decreased"),
    inject: changing(["cost.tick"], (_payload, victim, at) => {
      const before = victim.events.slice(0, at).filter((event) => typeOf(event) === "cost.tick");
      const lower = numberAt(payloadOf(before.at(-1) ?? {}), "cumulative_output_tokens") - 1;
      return lower >= 0 ? { cumulative_output_tokens: lower } : undefined;
    }),
  },
  {
    name: "a remainder is wrong",
    ...both("sum-wrong"),
    inject: changing(["cost.tick"], (payload) => ({
      task_budget_remaining_micros_usd: numberAt(payload, "task_budget_remaining_micros_usd") + 1,
    })),
  },
  {
    name: "a turn costs more than its run",
    ...both("part-exceeds-total"),
    inject: changing(["turn.completed"], (payload) =>
      payload.run_cumulative_cost_micros_usd === undefined
        ? undefined
        : { cost_micros_usd: numberAt(payload, "run_cumulative_cost_micros_usd") + 1 },
    ),
  },
  {
    name: "a run says late that it continues another",
    ...both("opening-late"),
    inject: moving("run.resumed_from_event", "run.started"),
  },
  {
    name: "a run ends twice",
    reader: { tolerated: "after the end of a run something may follow" },
    writer: ["terminal-repeated"],
    inject: (victim) => {
      const at = pick(victim, (event) => /^run\.(finished|failed|cancelled)$/.test(typeOf(event)));
      if (at === undefined) return undefined;
      const event = victim.events[at] as JsonObject;
      return renumbered(victim.id, put(victim.events, at, event, fresh(victim.id, event)));
    },
  },
  {
    name: "a gap marker reaches too far",
    ...both("gap-marker-wrong"),
    inject: changing(["gap.events_pruned"], (payload) => ({
      last_pruned_sequence: numberAt(payload, "last_pruned_sequence") + 5,
    })),
  },
  {
    name: "a gap marker does not reach far enough",
    reader: holes,
    writer: ["sequence-gap", "sequence-start"],
    inject: changing(["gap.events_pruned"], (payload) => ({
      last_pruned_sequence: numberAt(payload, "last_pruned_sequence") - 1,
    })),
  },
  {
    name: "a gap marker names what is there",
    reader: { tolerated: "events may be pruned after they were delivered" },
    writer: ["gap-marker-overlap"],
    inject: changing(["gap.events_pruned"], (payload) =>
      numberAt(payload, "first_pruned_sequence") > 0
        ? { first_pruned_sequence: numberAt(payload, "first_pruned_sequence") - 2 }
        : undefined,
    ),
  },
];

function hasSibling({ events }: Victim, at: number): boolean {
  const one = events[at] as JsonObject;
  return events.some(
    (event, index) =>
      index !== at && typeOf(event) === typeOf(one) && same("turn_index", "block_index")(event, one),
  );
}

/** Faults of evva/v0 streams, and the rules that report them. */
import type { JsonObject } from "../../../generator/json.js";
import {
  createCopyInsertion,
  createPayloadChange,
  type FaultyStream,
  findNextIndex,
  getEventType,
  getPayload,
  haveSameFields,
  pickIndex,
  readNumber,
  replaceEvent,
  type TargetStream,
} from "../fault-tools.js";
import { type Fault, inBothProfiles, loseEvent, NOT_PROMISED } from "./fault.js";

export const EVVA_FAULTS: readonly Omit<Fault, "protocols">[] = [
  {
    name: "a whole text block comes in addition to its chunks",
    ...inBothProfiles("exclusive-mixed"),
    inject: changeType("text_chunk", "text"),
  },
  {
    name: "compacting does not end",
    ...inBothProfiles("pair-broken"),
    inject: loseEvent(
      ["compacting_end"],
      (target, at) =>
        findNextIndex(target, at, (event) => getEventType(event) === "compacting") !== undefined,
    ),
  },
  {
    name: "compacting ends twice",
    ...inBothProfiles("pair-broken"),
    inject: createCopyInsertion(["compacting_end"], () => true),
  },
  {
    name: "compacting ends as another type",
    ...inBothProfiles("pair-broken"),
    inject: createPayloadChange(["compacting_end"], ({ Type }) => ({
      Type: Type === "full" ? "micro" : "full",
    })),
  },
  {
    name: "a subagent changes the mode",
    ...inBothProfiles("event-misplaced"),
    inject: createCopyInsertion(
      ["mode_changed"],
      (event) => event.Kind === "turn_end",
      (event) => ({ ...event, AgentID: "sub-a5e8", ParentID: "root-7c20" }),
    ),
  },
  {
    name: "a subagent has a subagent",
    ...inBothProfiles("hierarchy-broken"),
    inject(target) {
      const at = pickIndex(target, (event) => event.ParentID !== "");
      const child = { ...(target.events[at ?? 0] as JsonObject) };
      const grandchild = { ...child, AgentID: "sub-sub", ParentID: child.AgentID ?? "" };
      return at === undefined ? undefined : replaceEvent(target.events, at, child, grandchild);
    },
  },
  {
    name: "an agent changes its parent",
    ...inBothProfiles("hierarchy-broken"),
    inject: changeParent,
  },
  {
    name: "a turn has more tokens than the session",
    ...inBothProfiles("part-exceeds-total"),
    inject: createPayloadChange(["usage"], ({ Turn, Cumulative }) => ({
      Turn: { ...(Turn as JsonObject), InputTokens: readNumber(Cumulative as JsonObject, "InputTokens") + 1 },
    })),
  },
  {
    name: "the tokens of the session fall",
    reader: NOT_PROMISED,
    writer: ["counter-decreased"],
    inject: createCopyInsertion(
      ["usage"],
      (event) =>
        event.Kind === "usage" &&
        readNumber(getPayload(event).Cumulative as JsonObject, "InputTokens") > 7000,
    ),
  },
  {
    name: "a call has two results",
    reader: NOT_PROMISED,
    writer: ["lifecycle-end-repeated"],
    inject: createCopyInsertion(["tool_use_result"], () => true),
  },
  {
    name: "the start of a call is lost",
    reader: NOT_PROMISED,
    writer: ["lifecycle-without-start"],
    inject: loseEvent(
      ["tool_use_start"],
      (target, at) =>
        findNextIndex(target, at, (event) =>
          haveSameFields("ToolID")(event, target.events[at] as JsonObject),
        ) !== undefined,
    ),
  },
];

/** Returns a fault that gives another type to one of two adjacent events of a type. */
function changeType(from: string, to: string) {
  return (target: TargetStream): FaultyStream => {
    const at = pickIndex(target, (event, index) => {
      const next = target.events[index + 1];
      return getEventType(event) === from && next !== undefined && getEventType(next) === from;
    });
    return at === undefined
      ? undefined
      : replaceEvent(target.events, at, { ...(target.events[at] as JsonObject), Kind: to });
  };
}

/** Gives another parent to a later event of a subagent. */
function changeParent(target: TargetStream): FaultyStream {
  const at = pickIndex(target, (event, index) => event.ParentID !== "" && index > 20);
  return at === undefined
    ? undefined
    : replaceEvent(target.events, at, { ...(target.events[at] as JsonObject), ParentID: "root-other" });
}

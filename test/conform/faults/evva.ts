/** Faults of agents. */
import type { JsonObject } from "../../../generator/json.js";
import {
  changing,
  following,
  inserting,
  numberAt,
  payloadOf,
  pick,
  put,
  type Spoiled,
  same,
  typeOf,
  type Victim,
} from "../fault-tools.js";
import { both, type Fault, losing, notPromised } from "./fault.js";

/** The table. */
export const EVVA_FAULTS: readonly Omit<Fault, "of">[] = [
  {
    name: "a whole block comes besides its chunks",
    ...both("exclusive-mixed"),
    inject: changingType("text_chunk", "text"),
  },
  {
    name: "compacting does not end",
    ...both("pair-broken"),
    inject: losing(
      ["compacting_end"],
      (victim, at) => following(victim, at, (event) => typeOf(event) === "compacting") !== undefined,
    ),
  },
  {
    name: "compacting ends twice",
    ...both("pair-broken"),
    inject: inserting(["compacting_end"], () => true),
  },
  {
    name: "compacting ends as another type",
    ...both("pair-broken"),
    inject: changing(["compacting_end"], ({ Type }) => ({ Type: Type === "full" ? "micro" : "full" })),
  },
  {
    name: "a subagent changes the mode",
    ...both("event-misplaced"),
    inject: inserting(
      ["mode_changed"],
      (event) => event.Kind === "turn_end",
      (event) => ({ ...event, AgentID: "sub-a5e8", ParentID: "root-7c20" }),
    ),
  },
  {
    name: "a subagent has a subagent",
    ...both("hierarchy-broken"),
    inject(victim) {
      const at = pick(victim, (event) => event.ParentID !== "");
      const child = { ...(victim.events[at ?? 0] as JsonObject) };
      const grandchild = { ...child, AgentID: "sub-sub", ParentID: child.AgentID ?? "" };
      return at === undefined ? undefined : put(victim.events, at, child, grandchild);
    },
  },
  {
    name: "an agent changes its parent",
    ...both("hierarchy-broken"),
    inject: (victim) => changedParent(victim),
  },
  {
    name: "a turn has more tokens than the session",
    ...both("part-exceeds-total"),
    inject: changing(["usage"], ({ Turn, Cumulative }) => ({
      Turn: { ...(Turn as JsonObject), InputTokens: numberAt(Cumulative as JsonObject, "InputTokens") + 1 },
    })),
  },
  {
    name: "the tokens of the session fall",
    reader: notPromised,
    writer: ["counter-decreased"],
    inject: inserting(
      ["usage"],
      (event) =>
        event.Kind === "usage" && numberAt(payloadOf(event).Cumulative as JsonObject, "InputTokens") > 7000,
    ),
  },
  {
    name: "a call has two results",
    reader: notPromised,
    writer: ["lifecycle-end-repeated"],
    inject: inserting(["tool_use_result"], () => true),
  },
  {
    name: "the start of a call is lost",
    reader: notPromised,
    writer: ["lifecycle-without-start"],
    inject: losing(
      ["tool_use_start"],
      (victim, at) =>
        following(victim, at, (event) => same("ToolID")(event, victim.events[at] as JsonObject)) !==
        undefined,
    ),
  },
];

function changingType(from: string, to: string) {
  return (victim: Victim): Spoiled => {
    const at = pick(victim, (event, index) => {
      const next = victim.events[index + 1];
      return typeOf(event) === from && next !== undefined && typeOf(next) === from;
    });
    return at === undefined
      ? undefined
      : put(victim.events, at, { ...(victim.events[at] as JsonObject), Kind: to });
  };
}

function changedParent(victim: Victim): Spoiled {
  const at = pick(victim, (event, index) => event.ParentID !== "" && index > 20);
  return at === undefined
    ? undefined
    : put(victim.events, at, { ...(victim.events[at] as JsonObject), ParentID: "root-other" });
}

/** The members of protocol.json that only tools read. */
import { listKeys } from "../json.js";
import type { Actions } from "./actions.js";
import type { Endpoints } from "./endpoints.js";
import type { FaultTargets } from "./fault-targets.js";
import type { PromotionPlan } from "./promotion-plan.js";
import type { Rows } from "./rows.js";
import type { StateFeed } from "./state-feed.js";
import type { Upcast } from "./upcast.js";
import type { ViewDeclaration } from "./view-roles.js";

/** Members for tools, which are not part of the contract. Releases omit them, and `accrete compat` ignores them. */
export interface ToolMembers {
  /** Earlier names of the protocol. Releases and commits may hold it under them. */
  readonly formerNames?: readonly string[];
  /** The paths of streams. */
  readonly endpoints?: Partial<Endpoints>;
  /** The actions that callers may perform on runs. */
  readonly actions?: Actions;
  /** The roles of event types for viewers. */
  readonly view?: ViewDeclaration;
  /** The targets of faults. */
  readonly faults?: FaultTargets;
  /** The conditions under which event types can become stable. */
  readonly promotion?: PromotionPlan;
  /** The conversions of events of earlier major versions. */
  readonly upcasts?: readonly Upcast[];
  /** The rows that store events. */
  readonly rows?: Rows;
  /** The feed of the states of streams. */
  readonly stateFeed?: StateFeed;
  /** The names of the streams of the fixtures that the catalogue draws, without `.jsonl`. */
  readonly flows?: readonly string[];
}

/** The names of these members as keys, so that the compiler reports a missing one. */
const NAMES: { readonly [name in keyof ToolMembers]-?: true } = {
  formerNames: true,
  endpoints: true,
  actions: true,
  view: true,
  faults: true,
  promotion: true,
  upcasts: true,
  rows: true,
  stateFeed: true,
  flows: true,
};

/** The names of these members. */
export const TOOL_MEMBERS = listKeys(NAMES);

/** Returns the members for tools that an object has. */
export function pickToolMembers(source: ToolMembers): ToolMembers {
  const names = TOOL_MEMBERS.filter((name) => source[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, source[name]]));
}

/** Draws recorded runs as sequence diagrams of Mermaid. Who acts follows from the roles of the event types. */

import { getOwn } from "../../json.js";
import { listCoreEvents } from "../../protocol/core-events.js";
import type { Protocol } from "../../protocol/protocol.js";
import { chooseView, findRole, type Role } from "../../protocol/view-roles.js";
import { formatCount } from "../../text.js";
import { formatCode } from "./markdown.js";
import type { RecordedEvent, RecordedRun } from "./recorded-runs.js";
import { createSection, type Section } from "./section.js";
import { formatLabel } from "./state-diagrams.js";

/** Who takes part in a run. */
type Actor = "Person" | "Runtime" | "Model" | "Tool" | "Writer" | "Reader";

/** An event of a run, or equal ones that follow each other. */
interface FlowStep {
  readonly type: string;
  readonly count: number;
  readonly from: Actor;
  /** The other side; the same as `from` if the event concerns the runtime alone. */
  readonly to: Actor;
}

/** A recorded run to draw. */
export interface Flow {
  /** The name of the recording without its extension. */
  readonly name: string;
  readonly steps: readonly FlowStep[];
  /** The number of further events, which are not drawn. */
  readonly more: number;
}

const MAX_FLOWS = 3;
/** The least number of exchanges that a recording must add. */
const MIN_NEW_EXCHANGES = 2;
const MAX_STEPS = 50;

/**
 * Chooses the recordings that show a protocol: those that it names, or those that show the most: first the one with the most exchanges between two sides by events that
 * frontends may depend on, then those that add the most.
 */
export function chooseFlows(protocol: Protocol, runs: readonly RecordedRun[]): Flow[] {
  const core = listCoreEvents(protocol);
  const wanted = new Set((core.length === 0 ? protocol.events : core).map(({ type }) => type));
  // A recording of several runs is drawn with the first one.
  const firstRuns = new Map([...runs].reverse().map((run) => [run.name, run]));
  const flows = [...firstRuns.values()].reverse().map((run) => createFlow(protocol, run));
  if (protocol.flows !== undefined)
    return protocol.flows.flatMap((wantedName) => flows.filter(({ name }) => name === wantedName));
  const shown = new Set<string>();
  const listExchanges = ({ steps }: Flow): string[] => {
    const exchanges = steps.filter(({ type, from, to }) => wanted.has(type) && from !== to);
    return [...new Set(exchanges.map(({ type, from }) => `${from} ${type}`))];
  };
  const countNew = (flow: Flow): number => listExchanges(flow).filter((each) => !shown.has(each)).length;
  const chosen: Flow[] = [];
  while (chosen.length < MAX_FLOWS) {
    const [best] = flows
      .filter((flow) => countNew(flow) >= MIN_NEW_EXCHANGES)
      .sort((a, b) => countNew(b) - countNew(a) || b.steps.length - a.steps.length);
    if (best === undefined) break;
    chosen.push(best);
    for (const each of listExchanges(best)) shown.add(each);
  }
  return chosen;
}

function createFlow(protocol: Protocol, { name, events }: RecordedRun): Flow {
  const findActors = createCast(protocol);
  const steps: FlowStep[] = [];
  for (const recorded of events) {
    const step = { type: recorded.event.type, ...findActors(recorded) };
    const last = steps.at(-1);
    if (last?.type === step.type && last.from === step.from && last.to === step.to)
      steps[steps.length - 1] = { ...last, count: last.count + 1 };
    else steps.push({ ...step, count: 1 });
  }
  const more = steps.slice(MAX_STEPS).reduce((sum, { count }) => sum + count, 0);
  return { name, steps: steps.slice(0, MAX_STEPS), more };
}

type Actors = Pick<FlowStep, "from" | "to">;

/** Returns a function that finds out between whom the next event of a run happens. */
function createCast(protocol: Protocol): (recorded: RecordedEvent) => Actors {
  const { roles } = chooseView(protocol);
  const roleOf = (type: string): Role | undefined => findRole(roles, type);
  if (!protocol.events.some(({ type }) => roleOf(type))) return () => ({ from: "Writer", to: "Reader" });
  const speakers = listSpeakers(protocol, roleOf);
  const posted = new Set(protocol.actions?.post ?? []);
  const begun = new Set<string>();
  return ({ event: { type, group }, payload }) => {
    const role = roleOf(type);
    const speaker = role?.as === "text" ? ACTORS[role.speaker] : speakers.get(group);
    if (speaker !== undefined) return { from: speaker, to: "Runtime" };
    if (posted.has(type)) return { from: "Person", to: "Runtime" };
    if (role?.as === "tool" || role?.as === "approval") {
      const key = JSON.stringify([role.as, getOwn(payload, role.key) ?? null]);
      const isOpening = role.tone === "open" || !begun.has(key);
      begun.add(key);
      if (isOpening) return { from: "Runtime", to: role.as === "tool" ? "Tool" : "Person" };
      if (role.as === "tool") return { from: "Tool", to: "Runtime" };
      // An answer has a field with the decision; an end without one is the work of the runtime.
      return { from: role.stateField === undefined ? "Runtime" : "Person", to: "Runtime" };
    }
    if (role?.as === "notice" && role.turn !== undefined)
      return role.turn === "start" ? { from: "Runtime", to: "Model" } : { from: "Model", to: "Runtime" };
    return { from: "Runtime", to: "Runtime" };
  };
}

const ACTORS = { user: "Person", assistant: "Model", thinking: "Model" } as const;

/** Finds the speaker of each group that has texts of one speaker only: the other events of the group are the speaker's, too. */
function listSpeakers({ events }: Protocol, roleOf: (type: string) => Role | undefined): Map<string, Actor> {
  const speakers = new Map<string, Set<Actor>>();
  for (const { type, group } of events) {
    const role = roleOf(type);
    if (role?.as === "text")
      speakers.set(group, (speakers.get(group) ?? new Set()).add(ACTORS[role.speaker]));
  }
  return new Map(
    [...speakers].flatMap(([group, [first, ...others]]) =>
      first !== undefined && others.length === 0 ? [[group, first] as const] : [],
    ),
  );
}

/** Creates a section with a diagram for each flow; none if there are none. `draw` writes a flow as a block of Markdown. */
export function createFlowSections(flows: readonly Flow[], draw: (flow: Flow) => string): Section[] {
  if (flows.length === 0) return [];
  return [
    createSection("flows", 2, "Typical runs", () => [
      "Each picture is a recording. A line is an event, from top to bottom; “×3” stands for three of the type in a row. The arrows say between whom it happens: readers get all of them, in this order.",
    ]),
    ...flows.map((flow) =>
      createSection(`flow ${flow.name}`, 3, `Run ${formatCode(flow.name)}`, () => [draw(flow)]),
    ),
  ];
}

/** Returns the sides of a flow, in the order in which they are drawn. */
export function listActors({ steps }: Flow): string[] {
  const order: readonly Actor[] = ["Person", "Runtime", "Model", "Tool", "Writer", "Reader"];
  const used = new Set(steps.flatMap(({ from, to }) => [from, to]));
  return order.filter((actor) => used.has(actor));
}

/** Returns the text of a step: the event type, and how many events of it follow each other. */
export function formatStep({ type, count }: Pick<FlowStep, "type" | "count">): string {
  return `${type}${count > 1 ? ` ×${count}` : ""}`;
}

/** Returns the text about the events that are not drawn; undefined if there are none. */
export function formatRest({ more }: Flow): string | undefined {
  return more === 0 ? undefined : `… and ${formatCount(more, "event")} more`;
}

/** Formats a flow as a block of Mermaid. Names from the protocol cannot end the block or become syntax of the diagram. */
export function formatFlow(flow: Flow): string {
  const { steps } = flow;
  const lines = steps.map(({ type, count, from, to }) => {
    const label = formatStep({ type: formatLabel(type), count });
    return from === to ? `Note over ${from}: ${label}` : `${from}->>${to}: ${label}`;
  });
  const more = formatRest(flow);
  const rest = more === undefined ? [] : [`Note over ${steps.at(-1)?.from}: ${more}`];
  return [
    "```mermaid",
    "sequenceDiagram",
    ...listActors(flow).map((actor) => `  participant ${actor}`),
    ...[...lines, ...rest].map((line) => `  ${line}`),
    "```",
  ].join("\n");
}

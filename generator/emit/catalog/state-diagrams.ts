/** Draws the state machines of a protocol as Mermaid diagrams, which forges show as pictures. */
import type { StateDiagram } from "../../conform/stream-rule.js";
import { listDeclarations, STREAM_RULES } from "../../conform/stream-rules.js";
import type { Protocol } from "../../protocol/protocol.js";
import { toPlainText } from "./markdown.js";
import { createSection, type Section } from "./section.js";

/** Creates a section with one diagram for each machine and each declaration of transitions. Returns none if there are none. */
export function createStateSections({ stream }: Protocol): Section[] {
  const diagrams = STREAM_RULES.flatMap((rule) =>
    listDeclarations(stream?.rules, rule.member).flatMap((declared) => rule.draw?.(declared) ?? []),
  );
  if (diagrams.length === 0) return [];
  return [
    createSection("states", 2, "States", () => ["Each diagram shows the states of one kind of thing."]),
    ...diagrams.map((diagram, index) =>
      createSection(`states ${index}`, 3, `States: ${diagram.name}`, () => [formatDiagram(diagram)]),
    ),
  ];
}

/** Formats a diagram as a block of Mermaid. Names from the protocol cannot end the block or become syntax of the diagram. */
export function formatDiagram({ initial, moves }: StateDiagram): string {
  const hasOpenMove = moves.some(({ from }) => from === undefined);
  const states = [
    ...new Set(
      [initial, ...moves.flatMap(({ from, to }) => [from, to])].filter((state) => state !== undefined),
    ),
  ];
  const idOf = (state: string | undefined): string =>
    state === undefined ? "any" : `s${states.indexOf(state)}`;
  const starts = initial === undefined ? [] : [`[*] --> ${idOf(initial)}`];
  const arrows = moves.map(
    ({ from, to, cause }) =>
      `${idOf(from)} --> ${idOf(to)}${cause === undefined ? "" : `: ${formatLabel(cause)}`}`,
  );
  const lines = [
    ...states.map((state) => `state "${formatLabel(state)}" as ${idOf(state)}`),
    ...(hasOpenMove ? ['state "any state" as any'] : []),
    ...starts,
    ...arrows,
  ];
  return ["```mermaid", "stateDiagram-v2", ...lines.map((line) => `  ${line}`), "```"].join("\n");
}

/** The distance from an ASCII mark to its full-width form. */
const FULL_WIDTH = 0xfee0;

/** Writes marks that could be syntax of Mermaid in their full-width form, which looks alike. State diagrams cannot escape them. */
export function formatLabel(text: string): string {
  return toPlainText(text).replace(/["#%:;<>[\\\]^`{|}~]/g, (mark) =>
    String.fromCodePoint((mark.codePointAt(0) ?? 0) + FULL_WIDTH),
  );
}

/** Draws the state machines of a protocol as Mermaid diagrams, which forges show as pictures. */
import type { StateDiagram } from "../../conform/stream-rule.js";
import { listDeclarations, STREAM_RULES } from "../../conform/stream-rules.js";
import type { Protocol } from "../../protocol/protocol.js";
import { readFamily } from "./events.js";
import { formatLink, formatProse, toPlainText } from "./markdown.js";
import { createSection, type Section } from "./section.js";

/** Writes a diagram as a block of Markdown. */
type DrawDiagram = (diagram: StateDiagram) => string;

/**
 * Creates a section with a diagram for each declaration of states. Machines that `recorded` has are drawn as recordings show
 * them, since all changes make a picture that nobody reads. Returns none if there are none.
 */
export function createStateSections(
  protocol: Protocol,
  recorded: readonly StateDiagram[],
  draw: DrawDiagram,
): Section[] {
  const diagrams = listDiagrams(protocol).map(({ diagram, isMachine }) =>
    isMachine ? (recorded.find(({ name }) => name === diagram.name) ?? diagram) : diagram,
  );
  return createDiagramSections("states", diagrams, draw, (sections) => {
    const all = sections.slugs.get("all states");
    return [
      "Each picture shows the states of one kind of thing, and the events that change them.",
      all === undefined
        ? ""
        : `Of ${formatNames(recorded)}, these are the changes in recordings; ${formatLink("all changes", all)} are at the end.`,
    ];
  });
}

/**
 * Creates a section with all changes of the machines that `recorded` has; none if there are none. Each picture is in the file of
 * the events that make the first change.
 */
export function createAllStatesSections(
  protocol: Protocol,
  recorded: readonly StateDiagram[],
  draw: DrawDiagram,
): Section[] {
  const names = new Set(recorded.map(({ name }) => name));
  const diagrams = listDiagrams(protocol)
    .filter(({ diagram, isMachine }) => isMachine && names.has(diagram.name))
    .map(({ diagram }) => diagram);
  const pictures = createDiagramSections("all states", diagrams, draw, ({ slugs }) => [
    "Writers may make these changes, unless a rule for writers forbids the event in the state before.",
    diagrams
      .map(({ name }, index) => `- ${formatLink(formatProse(name), slugs.get(`all states ${index}`) ?? "")}`)
      .join("\n"),
  ]);
  return pictures.map((section, index) => ({ ...section, ...findFamily(protocol, diagrams[index - 1]) }));
}

/** Returns the family of the event type that makes the first change of a diagram; nothing if there is none. */
function findFamily({ events }: Protocol, diagram: StateDiagram | undefined): { readonly family?: string } {
  const first = diagram?.moves.find(({ cause }) => cause !== undefined)?.cause?.split(",")[0];
  const event = events.find(({ type }) => type === first);
  return event === undefined ? {} : { family: readFamily(event.group) };
}

function formatNames(diagrams: readonly StateDiagram[]): string {
  return diagrams.map(({ name }) => formatProse(name)).join(", ");
}

function listDiagrams({ stream }: Protocol) {
  return STREAM_RULES.flatMap((rule) =>
    listDeclarations(stream?.rules, rule.member).flatMap((declared) => {
      const diagram = rule.draw?.(declared);
      return diagram === undefined ? [] : [{ diagram, isMachine: rule.member === "machines" }];
    }),
  );
}

/** The titles of the sections with diagrams, and the words before the name of a thing. */
const TITLES = {
  states: ["States", "States"],
  "all states": ["All changes of state", "All states"],
} as const;

function createDiagramSections(
  id: keyof typeof TITLES,
  diagrams: readonly StateDiagram[],
  draw: DrawDiagram,
  body: Section["body"],
): Section[] {
  const [title, word] = TITLES[id];
  if (diagrams.length === 0) return [];
  return [
    createSection(id, 2, title, body),
    ...diagrams.map((diagram, index) =>
      createSection(`${id} ${index}`, 3, `${word}: ${diagram.name}`, () => [draw(diagram)]),
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
  // A diagram cannot have a state without a name.
  const shown = toPlainText(text) || "(empty)";
  return shown.replace(/["#%:;<>[\\\]^`{|}~]/g, (mark) =>
    String.fromCodePoint((mark.codePointAt(0) ?? 0) + FULL_WIDTH),
  );
}

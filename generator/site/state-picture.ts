import { Graph, layout } from "@dagrejs/dagre";
import type { PictureWriter } from "../emit/catalog/catalog.js";
import {
  LINE_HEIGHT,
  measureText,
  type Point,
  toLabel,
  writeArrow,
  writeBox,
  writeLines,
  writePicture,
  writeText,
} from "./svg.js";

/** The states of a thing and how they follow each other. */
type StateDiagram = Parameters<PictureWriter["writeStates"]>[0];

/** A node or the label of an edge after the layout; an edge without a label has no place. */
interface Placed extends Partial<Point> {
  readonly width: number;
  readonly height: number;
  readonly points?: readonly Point[];
}

/** A drawn edge. */
interface Drawn {
  readonly arrow: string;
  readonly label: string;
}

const START = "start";
/** The state from which changes begin that may happen in any state. */
const ANY = "any state";
const MAX_LINE = 34;
const MAX_CAUSE = 400;
/** A picture of more changes is unreadable, and its layout takes long. */
const MAX_MOVES = 150;

/** Draws the states of a thing and the changes between them, the first state on top. Very many are listed as text. */
export function drawStates(diagram: StateDiagram): string {
  const { name, initial, moves } = diagram;
  const lines = listMoves(diagram);
  if (moves.length > MAX_MOVES)
    return `<p>These are too many changes for a picture:</p>\n${writeLines(lines)}\n`;
  const graph = new Graph({ multigraph: false });
  graph.setGraph({ rankdir: "TB", nodesep: 28, ranksep: 34, edgesep: 14, marginx: 12, marginy: 12 });
  const states = [
    ...new Set([
      ...(initial === undefined ? [] : [initial]),
      ...moves.flatMap(({ from = ANY, to }) => [from, to]),
    ]),
  ];
  const idOf = (state: string): string => `s${states.indexOf(state)}`;
  for (const state of states)
    graph.setNode(idOf(state), { width: measureText(toLabel(state)) + 20, height: 28 });
  if (initial !== undefined) {
    graph.setNode(START, { width: 14, height: 14 });
    graph.setEdge(START, idOf(initial), { width: 0, height: 0 });
  }
  const labels = new Map<string, readonly string[]>();
  for (const { from = ANY, to, cause } of moves) {
    const key = `${idOf(from)} ${idOf(to)}`;
    labels.set(key, [
      ...(labels.get(key) ?? []),
      ...(cause === undefined ? [] : breakLines(toLabel(cause, MAX_CAUSE))),
    ]);
  }
  for (const [key, texts] of labels) {
    const [from = "", to = ""] = key.split(" ");
    const width = Math.max(0, ...texts.map(measureText)) + (texts.length > 0 ? 10 : 0);
    graph.setEdge(from, to, { width, height: texts.length * LINE_HEIGHT, labelpos: "c" });
  }
  layout(graph);
  const edges = graph.edges().map(({ v, w }: { readonly v: string; readonly w: string }) => {
    const { points = [], x, y, width }: Placed = graph.edge({ v, w });
    const texts = labels.get(`${v} ${w}`) ?? [];
    if (v === w) return drawLoop(graph.node(v), texts, width);
    const at = x === undefined || y === undefined ? undefined : { x, y };
    return { arrow: writeArrow(points), label: at === undefined ? "" : writeText(texts, at) };
  });
  const nodes = graph.nodes().map((id: string) => {
    const { x = 0, y = 0, width, height }: Placed = graph.node(id);
    if (id === START) return `<circle class="head" cx="${x}" cy="${y}" r="6"/>`;
    const state = states[Number(id.slice(1))] ?? "";
    return `${writeBox({ x, y }, width, height, state === ANY ? "note" : "node")}${writeText([toLabel(state)], { x, y })}`;
  });
  const size: Placed = graph.graph();
  return writePicture(
    `States: ${name}`,
    size,
    [...edges.map(({ arrow }: Drawn) => arrow), ...nodes, ...edges.map(({ label }: Drawn) => label)],
    lines,
  );
}

function listMoves({ initial, moves }: StateDiagram): string[] {
  const begin = initial === undefined ? [] : [`begins as ${toLabel(initial)}`];
  const changes = moves.map(({ from = ANY, to, cause }) => {
    const reason = cause === undefined ? "" : `: ${toLabel(cause, MAX_CAUSE)}`;
    return `${toLabel(from)} → ${toLabel(to)}${reason}`;
  });
  return [...begin, ...changes];
}

/** Draws a change from a state to itself, on the right of it. The layout leaves the place for it. */
function drawLoop({ x = 0, y = 0, width }: Placed, lines: readonly string[], labelWidth: number): Drawn {
  const [start, end] = [x + width / 2, x + width / 2 + 26];
  const corners: readonly (readonly [number, number])[] = [
    [start, y - 7],
    [end, y - 12],
    [end, y + 12],
    [start, y + 7],
  ];
  return {
    arrow: writeArrow(corners.map(([left, top]) => ({ x: left, y: top }))),
    label: writeText(lines, { x: end + labelWidth / 2, y }),
  };
}

/** Breaks a text after commas and words into lines. */
function breakLines(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length >= MAX_LINE) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

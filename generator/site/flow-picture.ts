import { type Flow, formatRest, formatStep, listActors } from "../emit/catalog/flows.js";
import { measureText, type Point, toLabel, writeArrow, writeBox, writePicture, writeText } from "./svg.js";

const ROW_HEIGHT = 34;
const MARGIN = 12;
const MIN_DISTANCE = 120;

/** Draws a recorded run: a column for each side, and from top to bottom an arrow or a box for each event. */
export function drawFlow(flow: Flow): string {
  const { name, steps } = flow;
  const actors = listActors(flow);
  const labels = steps.map((step) => toLabel(formatStep(step)));
  const widest = Math.max(MIN_DISTANCE, ...labels.map((label) => measureText(label) + 3 * MARGIN));
  const placeActor = (actor: string): number => MARGIN + widest / 2 + actors.indexOf(actor) * widest;
  const placeRow = (index: number): number => MARGIN + 1.5 * ROW_HEIGHT + index * ROW_HEIGHT;
  const rest = formatRest(flow);
  const rows = steps.length + (rest === undefined ? 0 : 1);
  const height = placeRow(rows) + MARGIN;
  const columns = actors.map((actor) => {
    const [x, top] = [placeActor(actor), { x: placeActor(actor), y: MARGIN + 12 }];
    const line = `<path class="quiet" d="M${x} ${top.y} V${height - MARGIN}"/>`;
    return `${line}${writeBox(top, measureText(actor) + 2 * MARGIN, 24, "node")}${writeText([actor], top)}`;
  });
  const drawNote = (label: string, at: Point): string =>
    `${writeBox(at, measureText(label) + MARGIN, 24, "note")}${writeText([label], at)}`;
  const drawn = steps.map(({ from, to }, index) => {
    const [label = "", y] = [labels[index], placeRow(index)];
    if (from === to) return drawNote(label, { x: placeActor(from), y });
    const [start, end] = [placeActor(from), placeActor(to)];
    // The text of an arrow over several columns stands beside its start.
    const middle = start + Math.sign(end - start) * (widest / 2);
    const arrow = writeArrow([
      { x: start, y: y + 8 },
      { x: end, y: y + 8 },
    ]);
    return `${arrow}${writeText([label], { x: middle, y: y - 2 })}`;
  });
  const last = steps.at(-1);
  const more =
    rest === undefined || last === undefined
      ? []
      : [drawNote(rest, { x: placeActor(last.from), y: placeRow(steps.length) })];
  const size = { width: 2 * MARGIN + actors.length * widest, height };
  const lines = steps.map(
    ({ from, to }, index) => `${from === to ? from : `${from} → ${to}`}: ${labels[index]}`,
  );
  return writePicture(
    `Run ${name}`,
    size,
    [...columns, ...drawn, ...more],
    rest === undefined ? lines : [...lines, rest],
  );
}

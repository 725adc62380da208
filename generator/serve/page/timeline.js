/** Draws the timeline of a run. A click on a bar selects its first event. */
import { createButton, createElement } from "./dom.js";
import { formatCount, formatDuration, formatNumber } from "./format.js";
import { computeTimeline } from "./timeline-bars.js";

/** @typedef {import("./timeline-bars.js").Bar} Bar */
/** @typedef {import("./timeline-bars.js").Timeline} Timeline */
/** @typedef {import("./model.js").ShownEvent} ShownEvent */

const LANE_HEIGHT = 20;
const BAR_HEIGHT = 14;
const AXIS_HEIGHT = 18;
const MIN_BAR_WIDTH = 3;

/**
 * Creates the timeline of a model.
 * @param {import("./model.js").Model} model
 * @param {(event: ShownEvent) => void} select
 * @param {() => ShownEvent | undefined} findSelected
 */
export function createTimeline(model, select, findSelected) {
  /** @type {import("./timeline-bars.js").Scale} */
  let scale = "time";
  const element = createElement("section", { class: "timeline", "aria-label": "Timeline" });
  const svg = createSvg("svg", { role: "img" });
  const switchScale = createButton("By event", () => {
    scale = scale === "time" ? "event" : "time";
    switchScale.textContent = scale === "time" ? "By event" : "By time";
    draw();
  });
  element.append(svg, switchScale);
  /** The bars by their elements. @type {Map<EventTarget, Bar>} */
  let bars = new Map();
  svg.addEventListener("click", ({ target }) => {
    const bar = target === null ? undefined : bars.get(target);
    if (bar) select(bar.event);
  });
  // Elements get their names when the pointer is over them, because a long run has thousands of bars.
  svg.addEventListener("pointerover", ({ target }) => {
    const bar = target === null ? undefined : bars.get(target);
    if (bar && target instanceof Element && target.firstChild === null)
      target.append(createSvg("title", {}, bar.name));
  });
  const draw = () => {
    const timeline = computeTimeline(model, scale);
    switchScale.hidden = timeline.scale !== scale && scale === "time";
    bars = drawTimeline(svg, timeline, element.clientWidth, findSelected());
    element.hidden = timeline.lanes.length === 0;
  };
  const observer = new ResizeObserver(() => draw());
  observer.observe(element);
  return { element, draw, stop: () => observer.disconnect() };
}

/**
 * @param {string} tag
 * @param {{ readonly [attribute: string]: string | number }} attributes
 * @param {string} [text]
 */
function createSvg(tag, attributes, text) {
  const created = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) created.setAttribute(name, String(value));
  if (text !== undefined) created.textContent = text;
  return created;
}

/**
 * Draws a timeline. Returns the bars by their elements.
 * @param {Element} svg
 * @param {Timeline} timeline
 * @param {number} width
 * @param {ShownEvent | undefined} selected
 */
function drawTimeline(svg, timeline, width, selected) {
  const { lanes, first, last } = timeline;
  const left = width < 560 ? 0 : 72;
  const height = lanes.length * LANE_HEIGHT + AXIS_HEIGHT;
  const room = Math.max(1, width - left - MIN_BAR_WIDTH - 1);
  const toX = (/** @type {number} */ position) =>
    left + ((position - first) / Math.max(1e-9, last - first)) * room;
  const draft = document.createDocumentFragment();
  /** @type {Map<EventTarget, Bar>} */
  const drawn = new Map();
  draft.append(...drawAxis(timeline, toX, height));
  for (const [index, lane] of lanes.entries()) {
    const top = index * LANE_HEIGHT;
    if (left > 0) draft.append(createSvg("text", { x: 0, y: top + 12, class: "lane" }, lane.name));
    drawBars(lane.bars, toX, top + 2, { draft, drawn, selected });
  }
  svg.setAttribute("viewBox", `0 0 ${Math.max(1, width)} ${height}`);
  svg.setAttribute("width", String(width));
  svg.setAttribute("height", String(height));
  svg.setAttribute("aria-label", describeTimeline(timeline));
  svg.replaceChildren(draft);
  return drawn;
}

/**
 * Draws the bars of a lane. Neighbours that would cover each other become one.
 * @param {readonly Bar[]} bars
 * @param {(position: number) => number} toX
 * @param {number} top
 * @param {{ draft: DocumentFragment, drawn: Map<EventTarget, Bar>, selected: ShownEvent | undefined }} to
 */
function drawBars(bars, toX, top, { draft, drawn, selected }) {
  let end = Number.NEGATIVE_INFINITY;
  let tone = "";
  for (const bar of bars) {
    const x = toX(bar.start);
    const width = Math.max(MIN_BAR_WIDTH, toX(bar.end) - x);
    const isSelected = selected?.block === bar.event.block;
    if (width === MIN_BAR_WIDTH && x < end && tone === bar.tone && !isSelected) continue;
    end = x + width;
    tone = bar.tone;
    const selection = isSelected ? " selected" : "";
    const rect = createSvg("rect", {
      x,
      y: top,
      width,
      height: BAR_HEIGHT,
      rx: 2,
      class: `bar ${tone}${selection}`,
    });
    drawn.set(rect, bar);
    draft.append(rect);
    const letters = Math.floor((width - 8) / 6.5);
    if (letters < 3) continue;
    const name = bar.name.length > letters ? `${bar.name.slice(0, letters - 1)}…` : bar.name;
    draft.append(createSvg("text", { x: x + 4, y: top + 11, class: "name" }, name));
  }
}

/**
 * @param {Timeline} timeline
 * @param {(position: number) => number} toX
 * @param {number} height
 */
function drawAxis({ first, last, scale }, toX, height) {
  const step = chooseStep((last - first) / Math.max(2, (toX(last) - toX(first)) / 90), scale);
  const elements = [];
  for (let position = first; position <= last; position += step) {
    const x = toX(position);
    const text = scale === "time" ? formatDuration(position) : formatNumber(position);
    const isLast = position + step > last;
    const anchor = isLast && toX(last) - x < 40 ? "end" : "start";
    elements.push(
      createSvg("line", { x1: x, x2: x, y1: 0, y2: height - AXIS_HEIGHT, class: "grid" }),
      createSvg("text", { x, y: height - 4, class: "tick", "text-anchor": anchor }, text),
    );
  }
  return elements;
}

/** Steps between two ticks, in milliseconds. */
const TIME_STEPS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 10e3, 15e3, 30e3, 60e3, 120e3, 300e3, 600e3,
];

/**
 * Returns a round step that is not smaller than the given one.
 * @param {number} least
 * @param {import("./timeline-bars.js").Scale} scale
 */
function chooseStep(least, scale) {
  const step = scale === "time" ? TIME_STEPS.find((each) => each >= least) : undefined;
  if (step !== undefined) return step;
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= least) ?? 10 * power;
}

/** @param {Timeline} timeline */
function describeTimeline({ lanes, last, scale }) {
  const counts = new Map();
  for (const [index, { name, bars }] of lanes.entries()) {
    const named = name || (lanes.slice(0, index).findLast((lane) => lane.name !== "")?.name ?? "");
    counts.set(named, (counts.get(named) ?? 0) + bars.length);
  }
  const parts = [...counts].map(([name, count]) => `${name.toLowerCase()}: ${count}`);
  const size = scale === "time" ? formatDuration(last) : formatCount(last + 1, "event");
  return `${size}. ${parts.join(", ")}`;
}

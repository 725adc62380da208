/** Shows one run: its head, its timeline, its events as they arrive, and the event that is selected. */

import { formatLabel } from "../../view/payload.js";
import { formatAddress } from "./address.js";
import { estimateHeight } from "./blocks.js";
import { createButton, createElement, findPart } from "./dom.js";
import { fetchJson, followRun } from "./feed.js";
import { drawHeader } from "./header.js";
import { drawInspector } from "./inspector.js";
import { createModel } from "./model.js";
import { parseSearch, setCondition } from "./query.js";
import { drawBlockRow, drawEventRow } from "./rows.js";
import { createTimeline } from "./timeline.js";
import { createToolbar } from "./toolbar.js";
import { createVirtualList } from "./virtual-list.js";

/** @typedef {import("./model.js").ShownEvent} ShownEvent */
/** @typedef {import("./model.js").ShownBlock} ShownBlock */
/** @typedef {import("./feed.js").Run} Run */
/** @typedef {import("../../stream/index.js").ConnectionState} ConnectionState */

/**
 * The operations of a shown run.
 * @typedef {object} ShownRun
 * @property {(address: { event?: string | undefined, search?: string | undefined }) => void} goTo
 * @property {(distance: number) => void} move Selects the event that is so many items away in the list.
 * @property {() => boolean} close Closes the inspector. Returns whether it was open.
 * @property {() => void} step Asks the server to send the next event.
 * @property {() => void} copy
 * @property {() => void} stop
 */

/** The milliseconds between two drawings of the header and the timeline. */
const SUMMARY_DELAY = 300;
/** The milliseconds between two requests for findings, and the delay of a repeated request after the run has ended. */
const FINDINGS_DELAY = 1000;
const RETRY_DELAY = 50;
/** The height of the row of an event, in pixels. */
const EVENT_ROW_HEIGHT = 34;

/**
 * Shows a run and follows it.
 * @param {Run} run
 * @param {{ contract: import("./feed.js").ViewContract, types: { [type: string]: import("./inspector.js").TypeEntry }, canStep: boolean, openPanel(isOpen: boolean): void }} options
 * @returns {ShownRun}
 */
export function showRun(run, { contract, types, canStep, openPanel }) {
  const controller = new AbortController();
  const model = createModel(contract);
  const scroller = findPart("run");
  /** @type {ConnectionState} */
  let connection = { kind: "connecting" };
  /** @type {Extract<ConnectionState, { kind: "waiting" }>[]} */
  const interruptions = [];
  /** The interruptions from which the connection has not recovered. @type {typeof interruptions} */
  const pending = [];
  /** @type {ShownEvent | undefined} */
  let selected;
  /** @type {string | undefined} The label of an event that has not arrived yet. */
  let awaited;
  let search = "";
  let isFollowing = false;

  const header = createElement("header", { class: "head-of-run" });
  const list = createElement("ol", { class: "blocks", "aria-label": "Blocks of the run" });
  const formatLink = (/** @type {ShownEvent} */ { label }) => formatAddress({ ...run, event: label, search });
  /** @param {import("../../view/block.js").ApprovalBlock} block */
  const createDecisionButtons = ({ type, key }) => {
    const action =
      connection.kind === "ended" ? undefined : run.decisions.find(({ request }) => request === type);
    if (action === undefined) return [];
    return action.outcomes.map((outcome) =>
      createButton(
        formatLabel(outcome),
        () => void decide(`${action.path}/${encodeURIComponent(key)}`, action.choice, outcome),
      ),
    );
  };
  const decide = (/** @type {string} */ path, /** @type {string} */ choice, /** @type {string} */ outcome) =>
    post(path, { [choice]: outcome });
  const post = (/** @type {string} */ path, /** @type {object} */ body) =>
    fetchJson(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }).catch(({ message }) => toolbar.notify(message));
  const context = {
    formatLink,
    started: () => model.summary.started,
    selected: () => selected,
    createDecisionButtons,
  };

  const select = (/** @type {ShownEvent} */ event) => {
    location.hash = formatLink(event);
  };
  const timeline = createTimeline(model, select, () => selected);
  const goToSearch = (/** @type {string} */ text) => {
    location.hash = formatAddress({ ...run, event: selected?.label, search: text });
  };
  const toolbar = createToolbar({
    model,
    changeSearch: goToSearch,
    changeView: () => rebuild(),
    step: canStep ? () => void step() : undefined,
  });
  scroller.replaceChildren(header, timeline.element, toolbar.element, list);
  scroller.scrollTop = 0;

  /** @type {import("./virtual-list.js").VirtualList<ShownBlock | ShownEvent>} */
  const rows = createVirtualList({
    scroller,
    list,
    estimate: (item) => (isBlock(item) ? estimateHeight(item.block) : EVENT_ROW_HEIGHT),
    draw: (item, row) => {
      if (isBlock(item)) drawBlockRow(item, row, context);
      else drawEventRow(item, row, context);
    },
  });
  list.addEventListener("click", ({ target }) => {
    if (!(target instanceof Element) || target.closest("a, button, pre, summary")) return;
    if (!getSelection()?.isCollapsed) return;
    const link = target.closest("li")?.querySelector("a.place");
    if (link instanceof HTMLAnchorElement) link.click();
  });

  /** @type {import("./query.js").Condition | undefined} */
  let matches;
  const isBlockShown = (/** @type {ShownBlock} */ { block, events }) => {
    if (block.kind === "text" && block.speaker === "thinking" && !toolbar.showsReasoning()) return false;
    return matches === undefined || events.some(matches);
  };
  /** Shows the items of the chosen list that match the search. */
  const rebuild = () => {
    matches = parseSearch(search);
    const isRaw = toolbar.showsEvents();
    list.className = isRaw ? "events" : "blocks";
    list.setAttribute("aria-label", isRaw ? "Events in the order of arrival" : "Blocks of the run");
    const items = isRaw
      ? model.events.filter((event) => matches === undefined || matches(event))
      : [...model.blocks.values()].filter(isBlockShown);
    rows.setItems(items);
    rows.update();
    toolbar.showCount(matches === undefined ? undefined : items.length);
  };
  const drawSummary = () => {
    slowTimer = undefined;
    drawHeader(header, { run, model, connection, interruptions, search: goToSearch });
    timeline.draw();
    toolbar.update();
    document.title = `${model.summary.title ?? run.run} · accrete`;
  };
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let slowTimer;
  const paint = () => {
    frame = 0;
    const { events, added, changed } = model.takeChanges();
    const isAtEnd = isFollowing && scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 40;
    if (toolbar.showsEvents()) {
      for (const event of events) if (matches === undefined || matches(event)) rows.append(event);
    } else {
      for (const block of added) if (!rows.has(block) && isBlockShown(block)) rows.append(block);
      for (const block of changed)
        if (rows.has(block)) rows.redraw(block);
        else if (matches !== undefined && isBlockShown(block)) rows.append(block);
    }
    if (matches !== undefined) toolbar.showCount(rows.items().length);
    rows.update();
    if (isAtEnd) scroller.scrollTop = scroller.scrollHeight;
    if (awaited !== undefined && model.findEvent(awaited)) goTo({ event: awaited, search });
    slowTimer ??= setTimeout(drawSummary, SUMMARY_DELAY);
  };
  let frame = 0;
  const schedulePaint = () => {
    frame ||= requestAnimationFrame(paint);
  };
  scroller.addEventListener("scroll", noteScroll, { passive: true });
  /** Notes whether the reader has left the top, because only then the page follows the end of the run. */
  function noteScroll() {
    isFollowing = scroller.scrollTop > 0;
  }

  /** @type {ShownRun["goTo"]} */
  const goTo = ({ event: label, search: text = "" }) => {
    if (text !== search) {
      search = text;
      toolbar.setSearch(text);
      rebuild();
    }
    const previous = selected;
    selected = label === undefined ? undefined : model.findEvent(label);
    awaited =
      label !== undefined && selected === undefined && connection.kind !== "ended" ? label : undefined;
    if (previous) redrawRow(previous);
    if (label !== undefined && selected === undefined && awaited === undefined)
      toolbar.notify(`There is no event ${label}.`);
    openPanel(selected !== undefined);
    if (selected === undefined) return timeline.draw();
    redrawRow(selected);
    drawInspector(findPart("inspector"), selected, {
      model,
      types,
      formatLink,
      showCall,
      close: () => void close(),
    });
    rows.reveal(toolbar.showsEvents() ? selected : selected.block);
    timeline.draw();
  };
  const redrawRow = (/** @type {ShownEvent} */ event) => {
    rows.redraw(event);
    rows.redraw(event.block);
  };
  const showCall = (/** @type {string} */ call) => goToSearch(setCondition(search, "call", call));
  const close = () => {
    if (selected === undefined) return false;
    location.hash = formatAddress({ ...run, search });
    return true;
  };
  const move = (/** @type {number} */ distance) => {
    const items = rows.items();
    const isRaw = toolbar.showsEvents();
    const current = isRaw ? selected : selected?.block;
    let index = current === undefined ? (distance > 0 ? -1 : items.length) : items.indexOf(current);
    // Gaps have no event of their own, so they are passed over.
    do index += distance;
    while (index >= 0 && index < items.length && findFirstEvent(items[index]) === undefined);
    const event = findFirstEvent(items[index]);
    if (event) select(event);
  };
  const step = () => post(`/step?run=${encodeURIComponent(run.run)}`, {});

  let findingsTimer = setTimeout(updateFindings, FINDINGS_DELAY);
  let checkedEvents = -1;
  /** Asks the server for findings, until the run has ended and all events are checked. */
  async function updateFindings() {
    let isComplete = false;
    const count = model.events.length;
    if (run.paths.findings !== undefined && (count !== checkedEvents || connection.kind === "ended")) {
      const answer = await fetchJson(run.paths.findings).catch(() => undefined);
      if (controller.signal.aborted) return;
      // A request that failed is not repeated after the run has ended.
      isComplete = answer === undefined || answer.finished;
      if (answer !== undefined) model.setFindings(answer.data);
      checkedEvents = isComplete || connection.kind !== "ended" ? count : -1;
      schedulePaint();
    }
    // Tests wait for this attribute.
    if (isComplete && connection.kind === "ended") list.dataset.checked = "";
    else
      findingsTimer = setTimeout(updateFindings, connection.kind === "ended" ? RETRY_DELAY : FINDINGS_DELAY);
  }

  const listener = {
    deliver: (/** @type {import("./feed.js").Delivery} */ delivery) => {
      model.add(delivery);
      schedulePaint();
    },
    changeState: (/** @type {ConnectionState} */ state) => {
      // An interruption counts when the connection is open again, because the close at the end of a run is none.
      if (state.kind === "waiting") pending.push(state);
      if (state.kind === "open") interruptions.push(...pending.splice(0));
      connection = state;
      if (state.kind === "ended") {
        model.end();
        clearTimeout(findingsTimer);
        findingsTimer = setTimeout(updateFindings, 0);
      }
      schedulePaint();
    },
  };
  drawSummary();
  void followRun(run, contract, listener, controller.signal);
  return {
    goTo,
    move,
    close,
    step: () => void (canStep && step()),
    copy: () => selected && void navigator.clipboard?.writeText(JSON.stringify(selected.value, null, 2)),
    stop() {
      controller.abort();
      cancelAnimationFrame(frame);
      clearTimeout(slowTimer);
      clearTimeout(findingsTimer);
      scroller.removeEventListener("scroll", noteScroll);
      timeline.stop();
      rows.stop();
    },
  };
}

/**
 * Returns whether an item of a list is a block.
 * @param {ShownBlock | ShownEvent} item
 * @returns {item is ShownBlock}
 */
function isBlock(item) {
  return "events" in item;
}

/**
 * Returns the event that stands for an item of a list.
 * @param {ShownBlock | ShownEvent | undefined} item
 * @returns {ShownEvent | undefined}
 */
function findFirstEvent(item) {
  if (item === undefined) return undefined;
  return isBlock(item) ? item.events[0] : item;
}

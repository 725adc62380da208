/** Shows one run: its head, its timeline, its events as they arrive, and the event that is selected. */
import { changeAddress, formatEventAddress } from "./address.js";
import { createConnectionLog } from "./connection-log.js";
import { createButton, createElement, findPart } from "./dom.js";
import { followRun } from "./feed.js";
import { formatCount, formatVerb } from "./format.js";
import { drawHeader } from "./header.js";
import { copyText, drawInspector } from "./inspector.js";
import { createItemList } from "./item-list.js";
import { createModel } from "./model.js";
import { pollFindings } from "./poll-findings.js";
import { prepareTexts, setCondition } from "./query.js";
import { postJson } from "./requests.js";
import { WAITS } from "./run-list.js";
import { createFrameTask, createIdleTask, createTimerTask } from "./schedule.js";
import { createTimeline } from "./timeline.js";
import { createToolbar } from "./toolbar.js";

/** @typedef {import("./model.js").ShownEvent} ShownEvent */
/** @typedef {import("./feed.js").Run} Run */

/**
 * The data and the functions with which a run is shown.
 * @typedef {object} RunOptions
 * @property {import("./feed.js").ViewContract} contract
 * @property {{ [type: string]: import("./inspector.js").TypeEntry }} types
 * @property {boolean} canStep True if the server waits for steps.
 * @property {(isOpen: boolean) => void} openPanel Opens or closes the inspector.
 */

/**
 * The operations of a shown run.
 * @typedef {object} ShownRun
 * @property {(address: { event?: string | undefined, search?: string | undefined }) => void} goTo
 * @property {(direction: 1 | -1) => void} move Selects the next or the previous item of the list.
 * @property {() => boolean} close Closes the inspector. Returns true if it was open.
 * @property {() => void} step Asks the server to send the next event, if it waits for steps.
 * @property {() => void} copy Copies the selected event.
 * @property {() => void} stop Stops following the run.
 */

/** The parts of a shown run. @typedef {ReturnType<typeof createParts>} Parts */

/** The milliseconds between two drawings of the header and the timeline, which take longer than those of the list. */
const SUMMARY_DELAY_MS = 300;

/**
 * Shows a run and follows it.
 * @param {Run} run
 * @param {RunOptions} options
 * @returns {ShownRun}
 */
export function showRun(run, options) {
  const parts = createParts(run, options);
  const { model, connection } = parts;
  const controller = new AbortController();
  const { signal } = controller;
  const summaryTask = createTimerTask(() => drawSummary(parts), SUMMARY_DELAY_MS);
  let preparedTexts = 0;
  const searchTask = createIdleTask((hasTime) => {
    preparedTexts = prepareTexts(model.events, preparedTexts, hasTime);
    return preparedTexts < model.events.length;
  });
  const listTask = createFrameTask(() => {
    drawChanges(parts);
    summaryTask.schedule();
    searchTask.schedule();
  });
  const listener = {
    deliver: (/** @type {import("./feed.js").Delivery} */ delivery) => {
      model.add(delivery);
      listTask.schedule();
    },
    changeState: (/** @type {import("../../stream/index.js").ConnectionState} */ state) => {
      connection.setState(state);
      if (connection.hasEnded()) model.end();
      listTask.schedule();
    },
  };
  drawSummary(parts);
  showMatchCount(parts);
  void followRun(run, options.contract, listener, signal);
  void pollFindings(run.paths.findings, { model, connection, signal, showFindings: listTask.schedule })
    .then(connection.waitForEnd)
    .then(() => markChecked(parts));
  return {
    goTo: (address) => goTo(parts, address),
    move: (direction) => move(parts, direction),
    close: () => close(parts),
    step: () => step(parts),
    copy: () => copySelected(parts),
    stop() {
      controller.abort();
      listTask.cancel();
      summaryTask.cancel();
      searchTask.cancel();
      parts.timeline.stop();
      parts.items.stop();
    },
  };
}

/**
 * Creates the parts of a run and puts their elements into the page.
 * @param {Run} run
 * @param {RunOptions} options
 */
function createParts(run, options) {
  const scroller = findPart("run");
  const status = createElement("span", { class: "soft", role: "status" });
  const empty = createElement("p", { class: "empty" });
  const header = createElement("header", { class: "head-of-run" });
  const model = createModel(options.contract);
  const connection = createConnectionLog();
  const selection = createSelection(model);
  const items = createItemList(scroller, model, {
    formatLink: (event) => formatEventAddress(run, event),
    started: () => model.summary.started,
    selected: selection.getEvent,
    createDecisionButtons: (block) =>
      connection.hasEnded() ? [] : createDecisionButtons(run, block, status),
  });
  const timeline = createTimeline(
    model,
    ({ label }) => changeAddress(run, { event: label }),
    selection.getEvent,
  );
  const toolbar = createToolbar({
    model,
    status,
    changeSearch: (search) => changeAddress(run, { search }),
    changeMode: (mode) => {
      items.setMode(mode);
      showMatchCount({ run, connection, items, status, empty });
    },
    toggleTimeline: (isShown) => timeline.element.classList.toggle("is-shown", isShown),
    step: options.canStep ? () => step({ run, options, status }) : undefined,
  });
  scroller.replaceChildren(header, timeline.element, toolbar.element, items.element, empty);
  scroller.scrollTop = 0;
  return { run, options, model, connection, selection, items, timeline, toolbar, header, status, empty };
}

/**
 * Returns the buttons that decide an approval, one for each outcome; none if the protocol has no decision for it.
 * @param {Run} run
 * @param {import("../../view/block.js").ApprovalBlock} block
 * @param {HTMLElement} status Shows why the server refuses a decision.
 */
function createDecisionButtons(run, { type, key }, status) {
  const decision = run.decisions.find(({ request }) => request === type);
  if (decision === undefined) return [];
  const path = `${decision.path}/${encodeURIComponent(key)}`;
  return decision.outcomes.map((outcome) =>
    createButton(formatVerb(outcome), () => void postJson(path, { [decision.choice]: outcome }, status)),
  );
}

/**
 * Shows the number of items that match the search, and why there is no item.
 * @param {Pick<Parts, "run" | "connection" | "items" | "status" | "empty">} parts
 */
function showMatchCount({ run, connection, items, status, empty }) {
  const count = items.countMatches();
  status.textContent = count === undefined ? "" : formatCount(count, "match", "matches");
  empty.hidden = !items.isEmpty();
  if (empty.hidden) return;
  const reason = connection.hasEnded() ? "This run has no events." : "No event has arrived yet.";
  const showAll = createButton("Show all events", () => changeAddress(run, { search: "" }));
  empty.replaceChildren(
    ...(count === undefined ? [reason] : [`Nothing matches “${items.getSearch()}”. `, showAll]),
  );
}

/**
 * Shows the event and the search of an address.
 * @param {Parts} parts
 * @param {{ event?: string | undefined, search?: string | undefined }} address
 */
function goTo(parts, { event: label, search = "" }) {
  const { items, toolbar, selection } = parts;
  if (search !== items.getSearch()) {
    items.setSearch(search);
    toolbar.setSearch(search);
    showMatchCount(parts);
  }
  const previous = selection.getEvent();
  selection.select(label);
  if (previous) items.redraw(previous);
  showSelection(parts);
}

/**
 * Shows the selected event in the inspector, the list and the timeline.
 * @param {Parts} parts
 */
function showSelection(parts) {
  const { run, options, model, connection, selection, items, timeline, status } = parts;
  const event = selection.getEvent();
  const missing = selection.getMissingLabel();
  if (missing !== undefined && connection.hasEnded()) {
    status.textContent = `There is no event ${missing}.`;
    selection.select(undefined);
  }
  options.openPanel(event !== undefined);
  if (event !== undefined) {
    items.redraw(event);
    drawInspector(findPart("inspector"), event, {
      model,
      types: options.types,
      formatLink: (other) => formatEventAddress(run, other),
      showCall: (call) => changeAddress(run, { search: setCondition(items.getSearch(), "call", call) }),
      close: () => void close(parts),
    });
    items.reveal(event);
  }
  timeline.draw();
}

/**
 * Closes the inspector. Returns true if it was open.
 * @param {Parts} parts
 */
function close(parts) {
  if (parts.selection.getEvent() === undefined) return false;
  changeAddress(parts.run, { event: undefined });
  return true;
}

/**
 * Selects the next or the previous item of the list.
 * @param {Parts} parts
 * @param {1 | -1} direction
 */
function move(parts, direction) {
  const event = parts.items.findNeighbour(parts.selection.getEvent(), direction);
  if (event) changeAddress(parts.run, { event: event.label });
}

/** @param {Pick<Parts, "run" | "options" | "status">} parts */
function step({ run, options, status }) {
  if (options.canStep) void postJson(`/step?run=${encodeURIComponent(run.run)}`, {}, status);
}

/** @param {Parts} parts */
function copySelected({ selection }) {
  const event = selection.getEvent();
  if (event) void copyText(JSON.stringify(event.value, null, 2));
}

/**
 * Draws what arrived since the last drawing into the list.
 * @param {Parts} parts
 */
function drawChanges(parts) {
  const { model, connection, selection, items, empty } = parts;
  items.update(model.takeChanges());
  if (items.countMatches() !== undefined || !empty.hidden || items.isEmpty()) showMatchCount(parts);
  const missing = selection.getMissingLabel();
  if (missing !== undefined && (connection.hasEnded() || model.findEvent(missing)))
    goTo(parts, { event: missing, search: items.getSearch() });
}

/**
 * Draws the head, the timeline and the bar above the list.
 * @param {Parts} parts
 */
function drawSummary(parts) {
  const { run, model, connection, timeline, toolbar, header } = parts;
  const question = connection.hasEnded() ? undefined : findOpenQuestion(model);
  drawHeader(header, {
    run,
    model,
    connection: connection.getState(),
    interruptions: connection.listInterruptions(),
    question: question && formatEventAddress(run, question),
    search: (search) => changeAddress(run, { search }),
  });
  timeline.draw();
  toolbar.update();
  const title = model.summary.title ?? run.run;
  document.title = `${question === undefined ? "" : `${WAITS}: `}${title} · accrete`;
}

/**
 * Returns the event of the oldest question that nobody has decided; undefined if there is none.
 * @param {import("./model.js").Model} model
 */
function findOpenQuestion({ listBlocks }) {
  for (const { block, events } of listBlocks())
    if (block.kind === "approval" && block.tone === "open") return events[0];
  return undefined;
}

/**
 * Marks the list of a run that has ended and whose findings are shown. Tests wait for this mark.
 * @param {Parts} parts
 */
function markChecked({ items }) {
  items.element.dataset.checked = "";
}

/**
 * Creates the selection of a run, without an event. The address may name an event that has not arrived yet.
 * @param {import("./model.js").Model} model
 */
function createSelection(model) {
  /** @type {string | undefined} */
  let label;
  /** @type {ShownEvent | undefined} */
  let event;
  return {
    getEvent: () => event,
    /** Returns the label of the selected event while the event has not arrived. */
    getMissingLabel: () => (event === undefined ? label : undefined),
    /**
     * Selects the event with a label; none for `undefined`.
     * @param {string | undefined} chosen
     */
    select(chosen) {
      label = chosen;
      event = chosen === undefined ? undefined : model.findEvent(chosen);
    },
  };
}

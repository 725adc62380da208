/** The list of a run. It shows the blocks or the events, and of these the ones that match the search. */
import { estimateHeight } from "./blocks.js";
import { createElement } from "./dom.js";
import { parseSearch } from "./query.js";
import { drawBlockRow, drawEventRow } from "./rows.js";
import { createVirtualList } from "./virtual-list.js";

/** @typedef {import("./model.js").ShownEvent} ShownEvent */
/** @typedef {import("./model.js").ShownBlock} ShownBlock */
/** @typedef {ShownBlock | ShownEvent} Item */
/** @typedef {{ showsEvents: boolean, showsReasoning: boolean }} ListMode */

/** @typedef {ReturnType<typeof createItemList>} ItemList */

/** The height of the row of an event, in pixels. */
const EVENT_ROW_HEIGHT = 34;
/** The distance from the end in pixels at which the list still follows new items. */
const FOLLOW_DISTANCE = 40;

/**
 * Creates the list of a model.
 * @param {HTMLElement} scroller The element that scrolls.
 * @param {import("./model.js").Model} model
 * @param {import("./rows.js").RowContext} context
 */
export function createItemList(scroller, model, context) {
  const element = createElement("ol");
  /** @type {ListMode} */
  let mode = { showsEvents: false, showsReasoning: false };
  let search = "";
  /** @type {import("./query.js").Condition | undefined} */
  let matches;
  /** @type {import("./virtual-list.js").VirtualList<Item>} */
  const rows = createVirtualList({
    scroller,
    list: element,
    estimate: (item) => (isBlock(item) ? estimateHeight(item.block) : EVENT_ROW_HEIGHT),
    draw: (item, row) =>
      isBlock(item) ? drawBlockRow(item, row, context) : drawEventRow(item, row, context),
  });
  const isShown = (/** @type {Item} */ item) => isItemShown(item, mode, matches);
  const rebuild = () => {
    labelList(element, mode);
    /** @type {Iterable<Item>} */
    const items = mode.showsEvents ? model.events : model.listBlocks();
    rows.setItems([...items].filter(isShown));
    rows.update();
  };
  element.addEventListener("click", followLinkOfRow);
  rebuild();
  return {
    element,
    getSearch: () => search,
    /** Returns the number of items that match the search; undefined without a search. */
    countMatches: () => (matches === undefined ? undefined : rows.items().length),
    isEmpty: () => rows.items().length === 0,
    /** @param {string} text */
    setSearch(text) {
      search = text;
      matches = parseSearch(text);
      rebuild();
    },
    /** @param {Partial<ListMode>} changes */
    setMode(changes) {
      mode = { ...mode, ...changes };
      rebuild();
    },
    /**
     * Shows what changed in the model. A list that the reader has scrolled to its end stays there.
     * @param {import("./model.js").Changes} changes
     */
    update({ events, changed, hasFindings }) {
      const isAtEnd = isScrolledToEnd(scroller);
      let isOutOfOrder = false;
      for (const item of mode.showsEvents ? events : changed) {
        if (rows.has(item)) rows.redraw(item);
        else if (!isShown(item)) continue;
        else if (isAfterEnd(item, rows.items())) rows.append(item);
        else isOutOfOrder = true;
      }
      // A search may match other items because of findings. In the list of events, any row may have got one.
      if (isOutOfOrder || (hasFindings && (matches !== undefined || mode.showsEvents))) rebuild();
      else rows.update();
      if (isAtEnd) scroller.scrollTop = scroller.scrollHeight;
    },
    /** @param {ShownEvent} event */
    redraw(event) {
      rows.redraw(event);
      rows.redraw(event.block);
    },
    /** @param {ShownEvent} event */
    reveal: (event) => rows.reveal(mode.showsEvents ? event : event.block),
    /**
     * Returns the event of the item after the selected one, or before it.
     * @param {ShownEvent | undefined} selected
     * @param {1 | -1} direction
     */
    findNeighbour: (selected, direction) =>
      findNeighbour(rows.items(), mode.showsEvents ? selected : selected?.block, direction),
    stop: rows.stop,
  };
}

/**
 * Returns true if an item of a list is a block.
 * @param {Item} item
 * @returns {item is ShownBlock}
 */
function isBlock(item) {
  return "events" in item;
}

/**
 * Returns true if the list shows an item.
 * @param {Item} item
 * @param {ListMode} mode
 * @param {import("./query.js").Condition | undefined} matches
 */
function isItemShown(item, { showsReasoning }, matches) {
  if (!isBlock(item)) return matches === undefined || matches(item);
  const { block, events } = item;
  if (block.kind === "text" && block.speaker === "thinking" && !showsReasoning) return false;
  return matches === undefined || events.some(matches);
}

/**
 * Returns true if an item comes after all items of a list. A block that is older matches a search when it changes.
 * @param {Item} item
 * @param {readonly Item[]} items
 */
function isAfterEnd(item, items) {
  const last = items.at(-1);
  return last === undefined || !isBlock(item) || !isBlock(last) || item.block.id > last.block.id;
}

/**
 * @param {HTMLElement} list
 * @param {ListMode} mode
 */
function labelList(list, { showsEvents }) {
  list.className = showsEvents ? "events" : "blocks";
  list.setAttribute("aria-label", showsEvents ? "Events in the order of arrival" : "Blocks of the run");
}

/**
 * Returns true if the reader has scrolled to the end. A list that has not been scrolled does not count, so that a run is
 * read from its beginning.
 * @param {HTMLElement} scroller
 */
function isScrolledToEnd({ scrollTop, clientHeight, scrollHeight }) {
  return scrollTop > 0 && scrollTop + clientHeight >= scrollHeight - FOLLOW_DISTANCE;
}

/**
 * Selects the item of a row that is clicked beside its links and buttons. Text of the row can still be marked and copied.
 * @param {MouseEvent} event
 */
function followLinkOfRow({ target }) {
  if (!(target instanceof Element) || target.closest("a, button, pre, summary")) return;
  if (!getSelection()?.isCollapsed) return;
  const link = target.closest("li")?.querySelector("a.place");
  if (link instanceof HTMLAnchorElement) link.click();
}

/**
 * Returns the first event of the next item in a direction. Items without events, such as gaps, are skipped.
 * @param {readonly Item[]} items
 * @param {Item | undefined} current
 * @param {1 | -1} direction
 */
function findNeighbour(items, current, direction) {
  const place = current === undefined ? -1 : items.indexOf(current);
  const start = place === -1 && direction === -1 ? items.length : place;
  for (let index = start + direction; index >= 0 && index < items.length; index += direction) {
    const event = findFirstEvent(items[index]);
    if (event !== undefined) return event;
  }
  return undefined;
}

/**
 * Returns the event that stands for an item.
 * @param {Item | undefined} item
 * @returns {ShownEvent | undefined}
 */
function findFirstEvent(item) {
  if (item === undefined) return undefined;
  return isBlock(item) ? item.events[0] : item;
}

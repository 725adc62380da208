/** The events and the blocks of the run that is shown, with the relations between them. */
import { toMilliseconds } from "../../view/payload.js";
import { createSummaryCollector } from "../../view/summary.js";
import { createView } from "../../view/view.js";

/** @typedef {import("../../view/block.js").Block} Block */
/** @typedef {import("../../view/payload.js").ViewContract} ViewContract */
/** @typedef {import("../../stream/index.js").Delivery<unknown, unknown>} Delivery */
/** @typedef {{ event?: number, rule: string, severity: string, message: string, hint?: string, pointer: string }} Finding */

/**
 * An event that arrived, once.
 * @typedef {object} ShownEvent
 * @property {string} label Its number or, without one, its position among the events that arrived.
 * @property {string} type
 * @property {unknown} value
 * @property {"known" | "unknown" | "late" | "conflict" | "invalid"} kind
 * @property {number | undefined} time In milliseconds since 1970.
 * @property {ShownBlock} block The block that shows it.
 * @property {string[]} keys The ids of the calls and approvals that it is about.
 * @property {"plain" | "open" | "good" | "bad"} tone The tone of its block after it arrived.
 * @property {Finding[]} findings
 * @property {string} [text] The text that is searched, once it is needed.
 */

/**
 * A block and the events that it shows.
 * @typedef {object} ShownBlock
 * @property {Block} block
 * @property {ShownEvent[]} events
 */

/**
 * What changed since the last call of `takeChanges`.
 * @typedef {object} Changes
 * @property {ShownEvent[]} events Events that arrived.
 * @property {ShownBlock[]} added
 * @property {ShownBlock[]} changed Blocks that changed, also added ones.
 */

/** @typedef {ReturnType<typeof createModel>} Model */

/**
 * Creates an empty model.
 * @param {ViewContract} contract
 */
export function createModel(contract) {
  const view = createView(contract);
  const collector = createSummaryCollector(contract);
  /** @type {ShownEvent[]} */
  const events = [];
  /** @type {Map<string, ShownEvent>} */
  const byLabel = new Map();
  /** @type {Map<number, ShownBlock>} */
  const blocks = new Map();
  /** @type {Map<string, ShownBlock>} */
  const blocksByKey = new Map();
  /** The findings about the run, and about events that have not arrived, by label. @type {Map<string, Finding[]>} */
  let otherFindings = new Map();
  /** @type {{ events: ShownEvent[], added: ShownBlock[], changed: Set<ShownBlock> }} */
  let changes = { events: [], added: [], changed: new Set() };

  /** @param {Block} block */
  const findOrAddBlock = (block) => {
    const known = blocks.get(block.id);
    if (known) return known;
    const shown = { block, events: [] };
    blocks.set(block.id, shown);
    changes.added.push(shown);
    if ("key" in block) blocksByKey.set(block.key, shown);
    return shown;
  };
  /** @param {readonly Block[]} changed */
  const addChanged = (changed) => {
    for (const block of changed) changes.changed.add(findOrAddBlock(block));
  };
  return {
    contract,
    summary: collector.summary,
    listTools: collector.listTools,
    events,
    blocks,
    /** @param {string} label */
    findEvent: (label) => byLabel.get(label),
    /** @param {string} key */
    findBlockByKey: (key) => blocksByKey.get(key),
    /**
     * Adds a delivery of the feed.
     * @param {Delivery} delivery
     */
    add(delivery) {
      const changed = view.take(delivery);
      collector.add(delivery, changed);
      addChanged(changed);
      const last = changed.at(-1);
      if (last === undefined) return;
      const event = createShownEvent(contract, delivery, collector.summary.events, findOrAddBlock(last));
      events.push(event);
      if (!byLabel.has(event.label)) byLabel.set(event.label, event);
      event.findings = otherFindings.get(event.label) ?? [];
      otherFindings.delete(event.label);
      event.block.events.push(event);
      changes.events.push(event);
    },
    /** Ends the blocks that are still open. */
    end: () => addChanged(view.end()),
    /**
     * Replaces the findings.
     * @param {readonly Finding[]} findings
     */
    setFindings(findings) {
      for (const event of events)
        if (event.findings.length > 0) {
          event.findings = [];
          changes.changed.add(event.block);
        }
      otherFindings = new Map();
      for (const finding of findings) {
        const label = String(finding.event ?? "");
        const event = byLabel.get(label);
        if (event === undefined) otherFindings.set(label, [...(otherFindings.get(label) ?? []), finding]);
        else {
          event.findings.push(finding);
          changes.changed.add(event.block);
        }
      }
    },
    /** Returns the findings that belong to no event. */
    listRunFindings: () => otherFindings.get("") ?? [],
    /**
     * Returns what changed since the last call.
     * @returns {Changes}
     */
    takeChanges() {
      const taken = { ...changes, changed: [...changes.changed] };
      changes = { events: [], added: [], changed: new Set() };
      return taken;
    },
  };
}

/**
 * @param {ViewContract} contract
 * @param {Delivery} delivery
 * @param {number} position
 * @param {ShownBlock} block
 * @returns {ShownEvent}
 */
function createShownEvent(contract, delivery, position, block) {
  const value = delivery.kind === "invalid" ? delivery.value : delivery.event;
  const { kind: blockKind, sequence } = block.block;
  const own = delivery.kind === "invalid" || delivery.kind === "conflict" ? sequence : delivery.sequence;
  const time = contract.stream?.time;
  return {
    label: String(own ?? position),
    type: readType(value, contract.envelope.discriminator),
    value,
    kind: findKind(delivery),
    time: toMilliseconds(time === undefined ? undefined : readField(value, time)),
    block,
    keys: listKeys(block.block),
    tone: blockKind === "fault" ? "bad" : "tone" in block.block ? block.block.tone : "plain",
    findings: [],
  };
}

/**
 * @param {Delivery} delivery
 * @returns {ShownEvent["kind"]}
 */
function findKind(delivery) {
  if (delivery.kind === "invalid" || delivery.kind === "conflict") return delivery.kind;
  if (!delivery.known) return "unknown";
  return delivery.kind === "late" ? "late" : "known";
}

/** @param {Block} block */
function listKeys(block) {
  if (block.kind === "tool") return [block.key];
  return block.kind === "approval" ? [block.key, ...(block.call === undefined ? [] : [block.call])] : [];
}

/**
 * Returns the label of the type of a received value.
 * @param {unknown} value
 * @param {string} discriminator
 */
function readType(value, discriminator) {
  const type = readField(value, discriminator);
  return typeof type === "string" ? type : "not an event";
}

/**
 * @param {unknown} value
 * @param {string} name
 */
function readField(value, name) {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return /** @type {Record<string, unknown>} */ (value)[name];
}

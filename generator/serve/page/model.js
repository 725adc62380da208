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
 * The changes since the last call of `takeChanges`.
 * @typedef {object} Changes
 * @property {ShownEvent[]} events Events that arrived.
 * @property {Set<ShownBlock>} changed Blocks that are new or changed, in the order of their first changes.
 * @property {boolean} hasFindings True if the findings were replaced.
 */

/** @typedef {ReturnType<typeof createModel>} Model */

/**
 * Creates an empty model.
 * @param {ViewContract} contract
 */
export function createModel(contract) {
  const view = createView(contract);
  const collector = createSummaryCollector(contract);
  const blocks = createBlockIndex();
  const findings = createFindingIndex();
  /** @type {ShownEvent[]} */
  const events = [];
  /** @type {Map<string, ShownEvent>} */
  const byLabel = new Map();
  let changes = createChanges();

  /** @param {readonly Block[]} changed */
  const addChanged = (changed) => {
    for (const block of changed) changes.changed.add(blocks.findOrAdd(block));
  };
  return {
    contract,
    summary: collector.summary,
    listTools: collector.listTools,
    events,
    listBlocks: blocks.list,
    findBlockByKey: blocks.findByKey,
    /** @param {string} label */
    findEvent: (label) => byLabel.get(label),
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
      const event = createShownEvent(contract, delivery, collector.summary.events, blocks.findOrAdd(last));
      events.push(event);
      event.block.events.push(event);
      changes.events.push(event);
      if (byLabel.has(event.label)) return;
      byLabel.set(event.label, event);
      event.findings = findings.take(event.label);
    },
    /** Ends the blocks that are still open. */
    end: () => addChanged(view.end()),
    /**
     * Replaces the findings.
     * @param {readonly Finding[]} replacement
     */
    setFindings(replacement) {
      const before = events.filter((event) => event.findings.length > 0);
      for (const event of before) event.findings = [];
      const after = findings.replace(replacement, byLabel);
      for (const { block } of [...before, ...after]) changes.changed.add(block);
      changes.hasFindings ||= before.length + after.length > 0;
    },
    /** Returns the findings that belong to no event. */
    listRunFindings: findings.listRunFindings,
    /** Returns what changed since the last call. */
    takeChanges() {
      const taken = changes;
      changes = createChanges();
      return taken;
    },
  };
}

/** @returns {Changes} */
function createChanges() {
  return { events: [], changed: new Set(), hasFindings: false };
}

/** Creates an index of blocks without a block. */
function createBlockIndex() {
  /** @type {Map<number, ShownBlock>} */
  const byId = new Map();
  /** @type {Map<string, ShownBlock>} */
  const byKey = new Map();
  return {
    list: () => byId.values(),
    /** @param {string} key The id of a call or an approval. */
    findByKey: (key) => byKey.get(key),
    /**
     * Returns the shown block of a block.
     * @param {Block} block
     * @returns {ShownBlock}
     */
    findOrAdd(block) {
      const known = byId.get(block.id);
      if (known !== undefined) return known;
      const shown = { block, events: [] };
      byId.set(block.id, shown);
      if ("key" in block) byKey.set(block.key, shown);
      return shown;
    },
  };
}

/** Creates an index of the findings about the run, and about events that have not arrived. */
function createFindingIndex() {
  /** @type {Map<string, Finding[]>} */
  let byLabel = new Map();
  return {
    /** Returns the findings that belong to no event. */
    listRunFindings: () => byLabel.get("") ?? [],
    /**
     * Returns the findings of an event that has arrived, and removes them from the index.
     * @param {string} label
     */
    take(label) {
      const findings = byLabel.get(label) ?? [];
      byLabel.delete(label);
      return findings;
    },
    /**
     * Gives findings to their events, and keeps those of other events. Returns the events that got one.
     * @param {readonly Finding[]} findings
     * @param {ReadonlyMap<string, ShownEvent>} events
     */
    replace(findings, events) {
      byLabel = new Map();
      for (const finding of findings) {
        const label = String(finding.event ?? "");
        const known = byLabel.get(label);
        if (known === undefined) byLabel.set(label, [finding]);
        else known.push(finding);
      }
      return [...byLabel.keys()].flatMap((label) => {
        const event = events.get(label);
        if (event === undefined) return [];
        event.findings = byLabel.get(label) ?? [];
        byLabel.delete(label);
        return event;
      });
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
  const number = delivery.kind === "invalid" || delivery.kind === "conflict" ? sequence : delivery.sequence;
  const time = contract.stream?.time;
  return {
    label: String(number ?? position),
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

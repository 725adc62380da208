/** Compares the stream contract of a protocol with those of its baselines. */

import { listMachines } from "../../conform/check-plan.js";
import { formatCanonicalJson, isObject, type Json, toJson } from "../../json.js";
import { collectEventFields } from "../../protocol/event-fields.js";
import { getEnvelopeFields } from "../../protocol/message-layout.js";
import type { Protocol } from "../../protocol/protocol.js";
import type { StreamRules } from "../../protocol/stream-rules.js";
import { type Change, type ComparedChange, isBreak, type Rule } from "../change.js";
import { findHighestStability } from "../policy.js";
import { EVENT_RULES } from "../rules/events.js";
import { FIELD_RULES } from "../rules/fields.js";
import { LIST_RULES } from "../rules/lists.js";
import { STREAM_CONTRACT_RULES } from "../rules/streams.js";
import { type BaselineSide, rankStability, type Side } from "../side.js";

/**
 * Returns the changes of the stream contract of `current` against its baselines, newest first, each change once. Equal
 * contracts are not compared.
 */
export async function compareStreams(
  current: Side,
  baselines: readonly BaselineSide[],
  changes: readonly Change[],
): Promise<ComparedChange[]> {
  const streamChanges = new Map<string, ComparedChange>();
  const now = createContractText(current.protocol);
  const comparedKeys = new Set<string>();
  const renames = new Map(changes.flatMap(listRenamedNames));
  for (const side of baselines) {
    if (areRenamed(side.protocol, current.protocol, renames)) continue;
    const baseline = renameTypes(side, renames);
    const contract = createContractText(baseline.protocol);
    if (contract === now || comparedKeys.has(contract)) continue;
    comparedKeys.add(contract);
    // The stream rules are loaded only if they are needed, because loading takes longer than comparing equal contracts.
    const { compareStreamContracts } = await import("./compare-stream-contracts.js");
    for (const change of await compareStreamContracts(baseline, current)) {
      if (repeatsRename(change, renames)) continue;
      const key = createChangeKey(change);
      const knownChange = streamChanges.get(key);
      // The finding about the more stable contract replaces the other one.
      if (
        knownChange === undefined ||
        rankStability(findHighestStability(knownChange)) < rankStability(findHighestStability(change))
      )
        streamChanges.set(key, change);
    }
  }
  return dropRedundantNotes([...streamChanges.values()]);
}

/** Returns the changes without the note that no stream is affected, if another change affects one. */
function dropRedundantNotes(changes: readonly ComparedChange[]): ComparedChange[] {
  const isAffected = changes.some(({ proof }) => isBreak(proof));
  return changes.filter(({ rule }) => !isAffected || rule !== STREAM_CONTRACT_RULES["stream-changed"]);
}

const RENAME_RULES: ReadonlySet<Rule> = new Set([
  EVENT_RULES["event-renamed"],
  FIELD_RULES["field-renamed"],
  LIST_RULES["enum-value-renamed"],
]);

function listRenamedNames({ rule, from, to, rename }: Change): (readonly [string, string])[] {
  if (!RENAME_RULES.has(rule)) return [];
  return [...(rename?.members ?? []), [String(from), String(to)]];
}

/** Members of stream rules whose keys are names of the contract. */
const MEMBERS_WITH_NAMES_AS_KEYS = new Set(["moves", "totals", "where", "when", "forbidsWhen"]);

/** Replaces names in stream rules. If `hasNamesAsKeys` is true, the keys of `value` are names, too. */
function renameAll(value: Json, names: ReadonlyMap<string, string>, hasNamesAsKeys = false): Json {
  if (typeof value === "string") return names.get(value) ?? value;
  if (Array.isArray(value)) return value.map((each) => renameAll(each, names));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      hasNamesAsKeys ? (names.get(name) ?? name) : name,
      renameAll(each, names, MEMBERS_WITH_NAMES_AS_KEYS.has(name)),
    ]),
  );
}

/** Returns whether a change only repeats a rename. */
function repeatsRename({ from, to }: Change, names: ReadonlyMap<string, string>): boolean {
  return (
    from !== undefined &&
    to !== undefined &&
    formatCanonicalJson(renameAll(from, names)) === formatCanonicalJson(to)
  );
}

/**
 * Returns whether the stream contracts differ only in names whose renaming is a separate finding. Rules that still have
 * an old name that no longer exists count as renamed, too: `accrete lint` reports them.
 */
function areRenamed(before: Protocol, after: Protocol, names: ReadonlyMap<string, string>): boolean {
  const old = toJson(before.stream ?? null);
  const now = toJson(after.stream ?? null);
  if (names.size === 0) return false;
  if (formatCanonicalJson([...before.guarantees]) !== formatCanonicalJson([...after.guarantees]))
    return false;
  const renamedText = formatCanonicalJson(renameAll(old, names));
  if (formatCanonicalJson(old) !== formatCanonicalJson(now) && renamedText === formatCanonicalJson(now))
    return true;
  return hasUnknownOldName(after, names) && renamedText === formatCanonicalJson(renameAll(now, names));
}

/** Returns whether the stream contract uses an old name although no event type or field has it any more. */
function hasUnknownOldName(protocol: Protocol, names: ReadonlyMap<string, string>): boolean {
  const { events, envelope, stream } = protocol;
  const knownNames = new Set([
    ...events.flatMap((event) => [event.type, ...collectEventFields(protocol, event)]),
    ...Object.keys(getEnvelopeFields(envelope)),
  ]);
  const text = JSON.stringify(stream ?? null);
  return [...names.keys()].some((name) => !knownNames.has(name) && text.includes(JSON.stringify(name)));
}

/** Returns the baseline with the current names of its event types. The renames are findings about the events. */
function renameTypes(side: BaselineSide, names: ReadonlyMap<string, string>): BaselineSide {
  const { protocol } = side;
  const types = protocol.events.map(({ type }) => type).filter((type) => names.has(type));
  if (types.length === 0) return side;
  const typeNames = new Map(types.map((type) => [type, names.get(type) ?? type]));
  const events = protocol.events.map((event) => ({
    ...event,
    type: typeNames.get(event.type) ?? event.type,
  }));
  const { rules, ...frame } = protocol.stream ?? { key: [] };
  const renamedRules = rules && (renameAll(rules as Json, typeNames) as StreamRules);
  const stream = { ...frame, ...(renamedRules && { rules: renamedRules }) };
  return { ...side, protocol: { ...protocol, events, ...(protocol.stream && { stream }) } };
}

/** Returns everything that determines a stream contract, as a text. */
function createContractText(protocol: Protocol): string {
  const { stream, guarantees, major } = protocol;
  // Event types and their fields decide what families and keys mean, so they are part of the machines.
  const machines = listMachines(protocol, "writer").map(({ machine }) => machine);
  return formatCanonicalJson(toJson([major, stream ?? null, guarantees, machines]));
}

/** Returns a key of a change without its baseline, so that a break against several releases is one finding. */
function createChangeKey({ rule, name, from, to, places: [first] }: ComparedChange): string {
  const isElement = first?.path.endsWith("/-") === true;
  return formatCanonicalJson([
    rule.id,
    name,
    first?.path ?? "",
    isElement ? [from ?? null, to ?? null] : null,
  ]);
}

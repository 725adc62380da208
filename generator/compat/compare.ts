/** Compares two protocol versions: every difference once, with its proof. */
import type { Json } from "../json.js";
import type { Protocol } from "../protocol/protocol.js";
import {
  type Change,
  type ComparedChange,
  type Direction,
  isBreak,
  type Proof,
  type ProvenChange,
  type Rule,
} from "./change.js";
import { type AlignedProtocols, alignProtocols } from "./diff/align.js";
import { combineRepurposed } from "./diff/combine-repurposed.js";
import { createSubjectKey } from "./diff/literal-key.js";
import { locateDifference } from "./diff/locate-difference.js";
import { groupChanges } from "./group.js";
import { createContractContent } from "./history/released-names.js";
import { findResidualBreaks, type ResidualBreak } from "./proof/backstop.js";
import {
  type InclusionChecks,
  isEventPair,
  prepareInclusionChecks,
  type SubjectPair,
} from "./proof/inclusion-checks.js";
import {
  allowsMore,
  type ProofContext,
  proveAddition,
  proveChanges,
  proveRemoval,
} from "./proof/prove-changes.js";
import { acceptsEventTypeName, type ContainmentCache } from "./proof/readings.js";
import { findEventRenames, findResourceRenames, type SubjectRename } from "./renames/event-renames.js";
import { groupRenameFamilies } from "./renames/field-families.js";
import { combineFieldRenames } from "./renames/field-renames.js";
import { alignLayoutNames } from "./renames/layout-names.js";
import { dropRenameDuplicates } from "./renames/rename-duplicates.js";
import { CONTENT_RULES } from "./rules/content.js";
import { DECODING_RULES, proveDecoding } from "./rules/decodings.js";
import { EVENT_RULES } from "./rules/events.js";
import { FIELD_RULES } from "./rules/fields.js";
import { RESOURCE_RULES } from "./rules/resources.js";
import { type BaselineSide, createSpot, deriveEnvelopeStability, rankStability, type Side } from "./side.js";
import {
  createWholeChange,
  createWholePlace,
  listSubjects,
  parseResourceKey,
  type Subject,
} from "./subjects.js";

/** The results of earlier comparisons of the contract. */
interface EarlierComparisons {
  /** The versions of event types that were compared already. */
  readonly compared: Set<string>;
  /** Returns whether a newer comparison reported the change, and whether a waiver covered it there. */
  findReport(change: Change): { readonly waived: boolean } | undefined;
  /** Returns whether a waiver covers the change. */
  isWaived(change: ProvenChange): boolean;
}

const createEmptyResults = (): EarlierComparisons => ({
  compared: new Set(),
  findReport: () => undefined,
  isWaived: () => false,
});

/** Returns the proven changes between two versions that no earlier comparison reported. Deterministic. */
export async function compare(
  before: BaselineSide,
  after: Side,
  cache: ContainmentCache,
  earlier: EarlierComparisons = createEmptyResults(),
): Promise<ComparedChange[]> {
  const named = alignLayoutNames(before, after);
  if (!named) return compareAligned(before, after, cache, earlier);
  // Resources have no layout names, so they are compared unchanged.
  const isResource = ({ places: [first] }: Change): boolean =>
    parseResourceKey(first?.event ?? "") !== undefined;
  const isWanted = (change: Change): boolean => isResource(change) || named.isLayoutRename(change);
  const names = await compareAligned(before, after, cache, { ...earlier, compared: new Set() }, isWanted);
  const rest = await compare(dropResources(named.side), dropResources(after), cache, earlier);
  return [
    ...names,
    ...rest.map((change) => ({ ...change, proof: restoreWitness(change.proof, named.restoreNames) })),
  ];
}

function dropResources<T extends Side>(side: T): T {
  const protocol: Protocol = { ...side.protocol, resources: [] };
  return { ...side, protocol };
}

/** Restores the layout names of the baseline in its witness. */
function restoreWitness(proof: Proof, restoreNames: (event: Json) => Json): Proof {
  return proof.backward === undefined ? proof : { ...proof, backward: restoreNames(proof.backward) };
}

/** The rules about names that only one side has. */
interface NameRules {
  readonly removed: Rule;
  readonly added: Rule;
}

const EVENT_NAMES: NameRules = {
  removed: EVENT_RULES["event-removed"],
  added: EVENT_RULES["event-added"],
};
const RESOURCE_NAMES: NameRules = {
  removed: RESOURCE_RULES["resource-removed"],
  added: RESOURCE_RULES["resource-added"],
};

/** Compares two versions with the same layout. `wanted` limits the changes that are reported. */
async function compareAligned(
  before: BaselineSide,
  after: Side,
  cache: ContainmentCache,
  { compared, findReport, isWaived }: EarlierComparisons,
  wanted?: (change: Change) => boolean,
): Promise<ComparedChange[]> {
  const all = alignProtocols(before, after, compared);
  const aligned = wanted ? { ...all, changes: all.changes.filter(wanted), added: [], removed: [] } : all;
  const checks = prepareInclusionChecks(before.protocol, after.protocol, cache);
  const context = createProofContext(checks, aligned);
  const addWaiver = <T extends ProvenChange>(change: T) => ({ ...change, waived: isWaived(change) });
  const fields = combineFieldRenames(aligned.changes, before, after);
  const renames = findRenamedEvents(checks, aligned, fields);
  const pairs = aligned.pairs.filter(isEventPair);
  const detected = combineRepurposed(dropRenameDuplicates(fields, renames), pairs, checks);
  const reports = detected.map((change) => ({ change, report: findReport(change) }));
  const fresh = reports.flatMap(({ change, report }) => (report ? [] : [change]));
  const earlier = reports.flatMap(({ change, report }) => (report ? [{ ...change, ...report }] : []));
  const proven = (await proveDetected(context, groupChanges(fresh))).map(addWaiver);
  const residual = await findResidualBreaks(
    wanted ? limitToResources(context) : context,
    [...proven, ...earlier],
    aligned.labelledFields,
  );
  const events = await compareNames(checks, aligned, renames, EVENT_NAMES);
  const renamedResources = findResourceRenames(aligned.resources, checks);
  const resources = await compareNames(checks, aligned.resources, renamedResources, RESOURCE_NAMES);
  const whole = [
    ...events.map((change) => dropProofOfEnvelopeBreak(change, proven, checks)),
    ...resources,
  ].map((change) => (isBreak(change.proof) ? addContent(change, checks) : change));
  const otherMajor = before.protocol.major !== after.protocol.major;
  return [
    ...whole.map(addWaiver),
    ...proven,
    ...residual.map((found) => addWaiver(createResidualChange(found, checks))),
  ]
    .filter(({ rule, proof }) => rule.isReportedUnbroken || isBreak(proof))
    .map((change) => ({ ...change, against: before.label, otherMajor }));
}

/** Proves changes inside of messages that both versions have. */
async function proveDetected(context: ProofContext, changes: readonly Change[]): Promise<ProvenChange[]> {
  const [decodings, others] = [true, false].map((isDecoding) =>
    changes.filter(({ rule }) => (rule === DECODING_RULES["decoding-changed"]) === isDecoding),
  );
  const units = groupRenameFamilies(await dropIneffectiveOpenings(context, others ?? []));
  const found = await proveChanges(context, units);
  for (const change of decodings ?? [])
    found.push({ ...change, proof: await proveDecoding(context.checks, change) });
  return found;
}

/** Returns the change for a broken inclusion that no other change explains. */
function createResidualChange(
  { pair, direction, stability, proof }: ResidualBreak,
  checks: InclusionChecks,
): ProvenChange {
  const change = createWholeChange(selectContractRule(direction, proof), pair.before, pair.after);
  return {
    ...addContent(change, checks),
    places: [{ ...createWholePlace(pair.before), stability }],
    ...findDifferingSpots(pair, checks),
    proof,
  };
}

/** Returns where an event type differs: in its payload or, if that is equal, in the envelope. */
function findDifferingSpots(pair: SubjectPair, checks: InclusionChecks): Pick<Change, "before" | "after"> {
  const payloads = [pair.before, pair.after].map(({ payload, at }) => createSpot(payload, at));
  const envelopes = [checks.before, checks.after].map(({ envelope: { schema, at } }) =>
    createSpot(schema, at),
  );
  const isSame = createSubjectKey(checks.before, pair.before) === createSubjectKey(checks.after, pair.after);
  const [old, now] = isSame ? envelopes : payloads;
  if (!old || !now) return {};
  const [before, after] = locateDifference(old, now, checks);
  return { before, after };
}

/** Drops changes that open an object although no more events are accepted. */
async function dropIneffectiveOpenings(context: ProofContext, changes: readonly Change[]): Promise<Change[]> {
  const kept: Change[] = [];
  for (const change of changes)
    if (change.rule !== CONTENT_RULES["content-opened"] || (await allowsMore(context, change)))
      kept.push(change);
  return kept;
}

function selectContractRule(direction: Direction, proof: Proof): Rule {
  if (proof.undecided !== undefined) return EVENT_RULES["contract-undecided"];
  return direction === "backward" ? EVENT_RULES["contract-narrowed"] : EVENT_RULES["contract-widened"];
}

/** Returns the messages that may differ: those of all events if the envelope differs. */
function createProofContext(checks: InclusionChecks, { pairs, differing }: AlignedProtocols): ProofContext {
  const resources = differing.filter((pair) => !isEventPair(pair));
  const asked = checks.hasSameEnvelope ? differing : [...pairs.filter(isEventPair), ...resources];
  return { checks, pairs: new Map(asked.map((pair) => [pair.before.type, pair])) };
}

function limitToResources({ checks, pairs }: ProofContext): ProofContext {
  return { checks, pairs: new Map([...pairs].filter(([, pair]) => !isEventPair(pair))) };
}

function findRenamedEvents(
  { before, after }: InclusionChecks,
  { removed, added }: AlignedProtocols,
  changes: readonly Change[],
): SubjectRename[] {
  const fields = changes.filter(({ rule }) => rule === FIELD_RULES["field-renamed"]);
  const renamed = new Map(fields.map(({ from, to }) => [String(from), String(to)]));
  return findEventRenames(removed, added, { protocol: before, renamed }, after);
}

/** Returns a proven change for each event type or resource that only one side has. */
async function compareNames(
  checks: InclusionChecks,
  { removed, added }: { readonly removed: readonly Subject[]; readonly added: readonly Subject[] },
  renames: readonly SubjectRename[],
  rules: NameRules,
): Promise<ProvenChange[]> {
  const renamed = new Set(renames.flatMap(({ members }) => members.flat()));
  const found: ProvenChange[] = [];
  for (const rename of renames) found.push(await proveRename(checks, rename));
  for (const subject of removed.filter((each) => !renamed.has(each)))
    found.push({ ...createWholeChange(rules.removed, subject), proof: await proveRemoval(checks, subject) });
  for (const subject of added.filter((each) => !renamed.has(each))) {
    const proof = await proveAddition(checks, subject);
    // Readers that do not know the type do not know its stability either: to them it is part of the protocol's messages.
    const stability = isBreak(proof) ? deriveEnvelopeStability(checks.before) : subject.stability;
    found.push({ ...createWholeChange(rules.added, undefined, { ...subject, stability }), proof });
  }
  return found;
}

async function proveRename(checks: InclusionChecks, rename: SubjectRename): Promise<ProvenChange> {
  const { rule, from, to, members, declared, score, ties } = rename;
  const [first] = members;
  const names = members.map(([old, now]) => [old.type, now.type] as const);
  return {
    ...createWholeChange(rule, first?.[0], first?.[1]),
    name: [from].flat().join(", "),
    from,
    to,
    places: [...new Set(members.map(([old]) => old))].map(createWholePlace),
    // A split or a merge is described by its names alone.
    ...(typeof from === "string" && {
      rename: { declared, score, ties, ...(members.length > 1 && { members: names }) },
    }),
    proof: first ? await proveRemoval(checks, first[0]) : { affects: [] },
  };
}

/** Adds the contents of both versions, which distinguish the change from others of the same event. */
function addContent<T extends Change>(change: T, { before, after }: InclusionChecks): T {
  const findContent = (protocol: Protocol, name: Json | undefined): Json => {
    const subject = listSubjects(protocol).find(
      (each) => (each.resource ?? each.type) === (name ?? change.name),
    );
    return subject ? createContractContent(protocol, subject) : null;
  };
  return { ...change, content: [findContent(before, change.from), findContent(after, change.to)] };
}

/** Drops the proof of a new event type if a change of the envelope makes readers refuse every event. */
function dropProofOfEnvelopeBreak(
  change: ProvenChange,
  proven: readonly Change[],
  { before }: InclusionChecks,
): ProvenChange {
  const blamed = proven.some(
    ({ proof, places: [first], waived }) =>
      proof?.forward !== undefined &&
      first?.event === "" &&
      !waived &&
      rankStability(first.stability) >= rankStability(deriveEnvelopeStability(before)),
  );
  return change.rule === EVENT_RULES["event-added"] && blamed && acceptsEventTypeName(before, change.name)
    ? { ...change, proof: { affects: [] } }
    : change;
}

/** Compares two versions of a protocol. */
import type { Json } from "../json.js";
import type { Protocol } from "../protocol/protocol.js";
import { createSpot } from "../schema/describe.js";
import {
  type Change,
  type ComparedChange,
  type Direction,
  isBreak,
  type Proof,
  type ProvenChange,
  type Rule,
} from "./change.js";
import { addContent, compareNames } from "./compare-names.js";
import { type AlignedProtocols, alignProtocols } from "./diff/align.js";
import { combineChangesOfRepurposedEvents } from "./diff/combine-repurposed.js";
import { createSubjectKey } from "./diff/literal-key.js";
import { locateDifference } from "./diff/locate-difference.js";
import { groupChanges } from "./group.js";
import { findResidualBreaks, type ResidualBreak } from "./proof/backstop.js";
import { describeBreaks } from "./proof/describe-breaks.js";
import {
  createMessageSchemas,
  type InclusionChecks,
  isEventPair,
  prepareInclusionChecks,
  type SubjectPair,
} from "./proof/inclusion-checks.js";
import { allowsMore, type ProofContext, proveChanges } from "./proof/prove-changes.js";
import { type ContainmentCache, explainRefusal } from "./proof/readings.js";
import { findRenames } from "./renames/event-renames.js";
import { groupRenameFamilies } from "./renames/field-families.js";
import { type AlignedLayout, alignLayoutNames } from "./renames/layout-names.js";
import { dropRenameDuplicates } from "./renames/rename-duplicates.js";
import { CONTENT_RULES, limitWriters } from "./rules/content.js";
import { DECODING_RULES, proveDecoding } from "./rules/decodings.js";
import { EVENT_RULES } from "./rules/events.js";
import type { BaselineSide, Side } from "./side.js";
import { createRootPlace, createSubjectChange, isAboutResource, type Subject } from "./subjects.js";

/** The results of the comparisons with newer baselines. */
interface NewerBaselineResults {
  /** Keys of the versions of subjects that were compared already. */
  readonly compared: Set<string>;
  /** Returns the report of a newer baseline on the change, and whether a waiver covered it there; undefined if there is none. */
  findReport(change: Change): { readonly waived: boolean } | undefined;
  /** Returns whether a waiver covers the change. */
  isWaived(change: ProvenChange): boolean;
}

const createEmptyResults = (): NewerBaselineResults => ({
  compared: new Set(),
  findReport: () => undefined,
  isWaived: () => false,
});

/** Returns the proven changes between two versions that no comparison with a newer baseline reported, each once. */
export async function compare(
  before: BaselineSide,
  after: Side,
  cache: ContainmentCache,
  newerBaselines: NewerBaselineResults = createEmptyResults(),
): Promise<ComparedChange[]> {
  const layout = alignLayoutNames(before, after);
  if (!layout) return compareAligned(before, after, cache, newerBaselines);
  // The names of the layout and the resources are compared first, then everything else under the new names.
  const nameChanges = await compareAligned(
    before,
    after,
    cache,
    { ...newerBaselines, compared: new Set() },
    layout,
  );
  const otherChanges = await compare(dropResources(layout.side), dropResources(after), cache, newerBaselines);
  const restoredChanges = otherChanges.map((change) => ({
    ...change,
    proof: restoreWitness(change.proof, layout.restoreNames),
  }));
  return [...nameChanges, ...restoredChanges];
}

function dropResources<T extends Side>(side: T): T {
  const protocol: Protocol = { ...side.protocol, resources: [] };
  return { ...side, protocol };
}

/** Restores the layout names of the baseline in its witness. */
function restoreWitness(proof: Proof, restoreNames: (event: Json) => Json): Proof {
  return proof.backward === undefined ? proof : { ...proof, backward: restoreNames(proof.backward) };
}

/**
 * Compares two versions. If `layout` is given, compares only the resources and the names of the layout; otherwise these
 * names are the same in both versions.
 */
async function compareAligned(
  before: BaselineSide,
  after: Side,
  cache: ContainmentCache,
  newerBaselines: NewerBaselineResults,
  layout?: AlignedLayout<BaselineSide>,
): Promise<ComparedChange[]> {
  const all = alignProtocols(before, after, newerBaselines.compared);
  const alignment = layout ? selectLayoutAndResources(all, layout) : all;
  const writers =
    before.imported && after.imported
      ? limitWriters(alignment.changes, before.protocol, after.imported.closesObjects)
      : undefined;
  const checks = prepareInclusionChecks(before.protocol, after.protocol, cache, writers);
  const context = createProofContext(checks, alignment);
  const renames = findRenames(alignment, before, after);
  const combinedChanges = combineChangesOfRepurposedEvents(
    dropRenameDuplicates(renames.changes, renames.events),
    alignment.pairs.filter(isEventPair),
    { before: before.protocol, after: after.protocol },
  );
  const { fresh, reported } = separateReportedChanges(combinedChanges, newerBaselines);
  const addWaiver = (change: ProvenChange) => ({ ...change, waived: newerBaselines.isWaived(change) });
  const renamedPairs = renames.renamedPairs.map((pair) => [pair.before.type, pair] as const);
  const allPairs = new Map([...context.pairs, ...renamedPairs]);
  const provenChanges = (await proveChangesByRule({ ...context, pairs: allPairs }, groupChanges(fresh))).map(
    addWaiver,
  );
  const residual = await findResidualBreaks(
    layout ? selectResources(context) : context,
    [...provenChanges, ...reported],
    alignment.lessStableFields,
  );
  const nameChanges = await compareNames(checks, alignment, renames.events, provenChanges);
  const otherMajor = before.protocol.major !== after.protocol.major;
  return [
    ...nameChanges.map(addWaiver),
    ...(await describeBreaks({ ...context, pairs: allPairs }, provenChanges)),
    ...residual.map((found) => addWaiver(createResidualChange(found, checks))),
  ]
    .filter(({ rule, proof }) => rule.isReportedUnbroken || isBreak(proof))
    .map((change) => ({ ...change, against: before.label, otherMajor }));
}

/** Keeps the changes of the layout's names and of resources. Event types that only one side has are not compared. */
function selectLayoutAndResources(
  aligned: AlignedProtocols,
  { isLayoutRename }: AlignedLayout<BaselineSide>,
): AlignedProtocols {
  const changes = aligned.changes.filter((change) => isAboutResource(change) || isLayoutRename(change));
  return { ...aligned, changes, added: [], removed: [] };
}

/** Separates changes that a comparison with a newer baseline reported already. They get the waiver of that report. */
function separateReportedChanges(
  changes: readonly Change[],
  { findReport }: NewerBaselineResults,
): { readonly fresh: readonly Change[]; readonly reported: readonly Change[] } {
  const fresh: Change[] = [];
  const reported: Change[] = [];
  for (const change of changes) {
    const report = findReport(change);
    if (report === undefined) fresh.push(change);
    else reported.push({ ...change, waived: report.waived });
  }
  return { fresh, reported };
}

/** Proves changes in messages that both versions have. */
async function proveChangesByRule(
  context: ProofContext,
  changes: readonly Change[],
): Promise<ProvenChange[]> {
  const isDecodingChange = ({ rule }: Change): boolean => rule === DECODING_RULES["decoding-changed"];
  const others = changes.filter((change) => !isDecodingChange(change));
  const groups = groupRenameFamilies(await dropIneffectiveOpenings(context, others));
  const provenChanges = await proveChanges(context, groups);
  for (const change of changes.filter(isDecodingChange))
    provenChanges.push({ ...change, proof: await proveDecoding(context.checks, change) });
  return provenChanges;
}

/** Returns the change for a broken inclusion that no other change explains. */
function createResidualChange(
  { pair, direction, stability, proof }: ResidualBreak,
  checks: InclusionChecks,
): ProvenChange {
  const change = createSubjectChange(selectContractRule(direction, proof), pair.before, pair.after);
  const witness = proof[direction];
  const [, refusing] = createMessageSchemas(checks, pair, direction);
  return {
    ...addContent(change, checks),
    places: [{ ...createRootPlace(pair.before), stability }],
    ...findDifferingSpots(pair, checks),
    ...(witness !== undefined && { detail: explainRefusal(refusing, witness) }),
    proof,
  };
}

/** Returns the spots in which the versions of a subject differ: in its payload or, if that is equal, in the envelope. */
function findDifferingSpots(pair: SubjectPair, checks: InclusionChecks): Pick<Change, "before" | "after"> {
  const isPayloadEqual =
    createSubjectKey(checks.before, pair.before) === createSubjectKey(checks.after, pair.after);
  const createDifferingSpot = ({ envelope }: Protocol, { payload, at }: Subject) =>
    isPayloadEqual ? createSpot(envelope.schema, envelope.at) : createSpot(payload, at);
  const [before, after] = locateDifference(
    createDifferingSpot(checks.before, pair.before),
    createDifferingSpot(checks.after, pair.after),
    checks,
  );
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

/** Returns the context for the pairs whose messages may differ. If the envelopes differ, these are all event types. */
function createProofContext(checks: InclusionChecks, { pairs, differing }: AlignedProtocols): ProofContext {
  const resources = differing.filter((pair) => !isEventPair(pair));
  const mayDiffer = checks.hasSameEnvelope ? differing : [...pairs.filter(isEventPair), ...resources];
  return { checks, pairs: new Map(mayDiffer.map((pair) => [pair.before.type, pair])) };
}

/** Returns the context with the resources alone. */
function selectResources({ checks, pairs }: ProofContext): ProofContext {
  return { checks, pairs: new Map([...pairs].filter(([, pair]) => !isEventPair(pair))) };
}

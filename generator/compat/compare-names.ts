/** Compares the names of event types and resources: those that only one side has, and renamed ones. */
import type { Json } from "../json.js";
import type { Protocol } from "../protocol/protocol.js";
import { type Change, isBreak, NO_BREAK, type ProvenChange, type Rule } from "./change.js";
import type { AlignedProtocols } from "./diff/align.js";
import { createContractContent } from "./history/released-names.js";
import type { InclusionChecks } from "./proof/inclusion-checks.js";
import { proveAddition, proveRemoval } from "./proof/prove-changes.js";
import { acceptsEventTypeName } from "./proof/readings.js";
import { findResourceRenames, type SubjectRename } from "./renames/event-renames.js";
import { EVENT_RULES } from "./rules/events.js";
import { RESOURCE_RULES } from "./rules/resources.js";
import { deriveEnvelopeStability, rankStability } from "./side.js";
import { createRootPlace, createSubjectChange, listSubjects, type Subject } from "./subjects.js";

/**
 * Returns a proven change for each event type or resource that only one side has. `proven` are the changes of those that
 * both sides have.
 */
export async function compareNames(
  checks: InclusionChecks,
  aligned: AlignedProtocols,
  eventRenames: readonly SubjectRename[],
  proven: readonly ProvenChange[],
): Promise<ProvenChange[]> {
  const events = await compareSubjects(checks, aligned, eventRenames, {
    removed: EVENT_RULES["event-removed"],
    added: EVENT_RULES["event-added"],
  });
  const resourceRenames = findResourceRenames(aligned.resources, checks);
  const resources = await compareSubjects(checks, aligned.resources, resourceRenames, {
    removed: RESOURCE_RULES["resource-removed"],
    added: RESOURCE_RULES["resource-added"],
  });
  const changes = [...events.map((change) => dropProofOfEnvelopeBreak(change, proven, checks)), ...resources];
  return changes.map((change) => (isBreak(change.proof) ? addContent(change, checks) : change));
}

/** Returns a proven change for each renamed, removed or added subject. */
async function compareSubjects(
  checks: InclusionChecks,
  { removed, added }: { readonly removed: readonly Subject[]; readonly added: readonly Subject[] },
  renames: readonly SubjectRename[],
  rules: { readonly removed: Rule; readonly added: Rule },
): Promise<ProvenChange[]> {
  const renamedMembers = new Set(renames.flatMap(({ members }) => members.flat()));
  const changes: ProvenChange[] = [];
  for (const rename of renames) changes.push(await createRenameChange(checks, rename));
  for (const subject of removed.filter((each) => !renamedMembers.has(each)))
    changes.push({
      ...createSubjectChange(rules.removed, subject),
      proof: await proveRemoval(checks, subject),
    });
  for (const subject of added.filter((each) => !renamedMembers.has(each))) {
    const proof = await proveAddition(checks, subject);
    // Readers that do not know the type do not know its stability, either. To them the type is as stable as the envelope.
    const stability = isBreak(proof) ? deriveEnvelopeStability(checks.before) : subject.stability;
    changes.push({ ...createSubjectChange(rules.added, undefined, { ...subject, stability }), proof });
  }
  return changes;
}

async function createRenameChange(checks: InclusionChecks, rename: SubjectRename): Promise<ProvenChange> {
  const { rule, from, to, members, declared, score, ties } = rename;
  const [firstOld, firstNow] = members[0] ?? [];
  const names = members.map(([old, now]) => [old.type, now.type] as const);
  return {
    ...createSubjectChange(rule, firstOld, firstNow),
    name: typeof from === "string" ? from : from.join(", "),
    from,
    to,
    places: [...new Set(members.map(([old]) => old))].map(createRootPlace),
    // A split or a merge is described by its names alone.
    ...(typeof from === "string" && {
      rename: { declared, score, ties, ...(members.length > 1 && { members: names }) },
    }),
    proof: firstOld ? await proveRemoval(checks, firstOld) : NO_BREAK,
  };
}

/** Adds the contents of both versions, which distinguish the change from other changes of the same subject. */
export function addContent<T extends Change>(change: T, { before, after }: InclusionChecks): T {
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
  proven: readonly ProvenChange[],
  { before }: InclusionChecks,
): ProvenChange {
  const isEnvelopeBroken = proven.some(
    ({ proof, places: [first], waived }) =>
      proof.forward !== undefined &&
      first?.event === "" &&
      !waived &&
      rankStability(first.stability) >= rankStability(deriveEnvelopeStability(before)),
  );
  return change.rule === EVENT_RULES["event-added"] &&
    isEnvelopeBroken &&
    acceptsEventTypeName(before, change.name)
    ? { ...change, proof: NO_BREAK }
    : change;
}

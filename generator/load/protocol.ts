import { createErrorFinding, type Finding, type Location } from "../finding.js";
import type { Protocol } from "../protocol/protocol.js";
import { readReferences } from "../schema/read-files.js";
import type { Source } from "../source/source.js";
import { buildProtocol } from "./build.js";
import { collectDefinitions, lintCycles } from "./definitions.js";
import type { Files } from "./files.js";
import { listEventTypes, nameWholeFile, readSchemaFiles } from "./folder.js";
import { lintAppliedSchemas } from "./lint/applied-schemas.js";
import { lintBranches } from "./lint/branches.js";
import { lintDeclarations } from "./lint/declarations.js";
import { lintExamples } from "./lint/examples.js";
import { lintImpossible } from "./lint/impossible.js";
import type { LintInput } from "./lint/input.js";
import { lintKnownValues } from "./lint/known-values.js";
import { lintEnvelope, lintPlacement, lintReservedFields } from "./lint/layout.js";
import { lintCases, lintDuplicates, lintTypeNames } from "./lint/names.js";
import { lintPatternSpeed } from "./lint/patterns.js";
import { lintConditions, lintRequirements, lintVersionField } from "./lint/promotion.js";
import { lintRequired } from "./lint/required.js";
import { lintRows } from "./lint/rows.js";
import { lintSchema } from "./lint/schema.js";
import { lintStateFeed } from "./lint/state-feed.js";
import { lintTexts } from "./lint/texts.js";
import { lintTombstones } from "./lint/tombstones.js";
import { lintUpcasts } from "./lint/upcasts.js";
import { lintBounds, lintClosedObjects, lintDefaults, lintListedValues, lintSince } from "./lint/values.js";
import { checkManifest } from "./manifest.js";

/** A protocol and its findings. */
export interface LoadedProtocol {
  /** Absent if there is an error among the findings. */
  readonly protocol?: Protocol;
  readonly findings: readonly Finding[];
  /** The findings about declarations of protocol.json, if they do not matter to the caller. */
  readonly declarationFindings?: readonly Finding[];
}

/** The checks to make while loading. */
export interface LoadOptions {
  /** True to check examples. They are not part of the contract, and the check compiles a validator for each event type. */
  readonly examples: boolean;
  /** True to check schemas for contradictions. The default is the value of `examples`. Schemas of others are loaded as they are. */
  readonly contradictions?: boolean;
  /** False to load a protocol also if declarations of protocol.json name what does not exist. The default is true. */
  readonly declarations?: boolean;
}

/** The lint rules that check a whole protocol. */
const PROTOCOL_CHECKS: readonly ((input: LintInput) => readonly Finding[])[] = [
  lintCases,
  lintTypeNames,
  lintEnvelope,
  lintPlacement,
  lintReservedFields,
  lintTombstones,
  lintRequired,
  lintAppliedSchemas,
  lintBranches,
  lintKnownValues,
  lintRequirements,
  lintConditions,
  lintVersionField,
  lintSince,
];

/** The options for comparisons, which must also work while a declaration still names a renamed event type. */
export const CONTRACT_ONLY: LoadOptions = { examples: false, declarations: false };

/** Loads the protocol in folder `id` of `files`. Findings about files that cannot be parsed are in `files.findings`. */
export async function loadProtocol(
  files: Files,
  id: string,
  { examples, contradictions = examples, declarations = true }: LoadOptions,
): Promise<LoadedProtocol> {
  const earlierCount = files.findings.length;
  const manifestSource = files.read(`${id}/protocol.json`);
  const schemas = readSchemaFiles(files, id);
  const references = await readReferences(files, schemas.files);
  const findings = [...schemas.findings, ...references.findings];
  findings.push(...lintTexts(schemas), ...lintDuplicates(schemas));
  const sources = [...schemas.files, ...references.reached].map(({ source }) => source);
  for (const source of sources) findings.push(...lintSchema(source));
  const checked = manifestSource && checkManifest(manifestSource, id);
  findings.push(...(checked?.findings ?? []));
  for (const [index, name] of (checked?.manifest?.formerNames ?? []).entries())
    if (manifestSource && files.listDirectly(name).folders.some((folder) => /\/v\d+$/.test(folder)))
      findings.push(createTakenNameFinding(name, manifestSource.locate(`/formerNames/${index}`)));
  const isBroken = () =>
    !schemas.isComplete ||
    files.findings.length > earlierCount ||
    findings.some(({ severity }) => severity === "error");
  const envelope = schemas.files.find(({ kind }) => kind === "envelope");
  const manifest = checked?.manifest;
  if (!manifestSource || !manifest || !envelope) return { findings };
  const filesByPath = new Map(schemas.files.map((file) => [file.relative, file]));
  const definitions = collectDefinitions(references, (relative) => nameWholeFile(filesByPath.get(relative)));
  const protocol = buildProtocol(manifest, manifestSource, schemas.files, definitions, id);
  findings.push(...definitions.findings, ...lintCycles(definitions.definitions));
  const input = { manifest, manifestSource, files: schemas.files, sources, protocol };
  for (const check of PROTOCOL_CHECKS) findings.push(...check(input));
  const listTypesOfMajor = (major: number) => listEventTypes(files, `${protocol.name}/v${major}`);
  const declarationFindings = [
    ...lintDeclarations(input),
    ...lintRows(input),
    ...lintStateFeed(input),
    ...lintUpcasts(input, listTypesOfMajor),
  ];
  // An event type that could not be read is not missing.
  const isWhole = schemas.isComplete && !schemas.findings.some(({ rule }) => rule === "file-unexpected");
  if (declarations && isWhole) findings.push(...declarationFindings);
  if (examples && !isBroken()) findings.push(...(await lintSpeed(files, id, sources)));
  if (contradictions && !isBroken()) findings.push(...lintBounds(input), ...lintListedValues(input));
  // A value that a schema lists by mistake would be reported again as an example, or as a field without a value.
  if (examples && !isBroken()) findings.push(...lintExamples(input));
  if (contradictions && !isBroken())
    findings.push(...lintDefaults(input), ...lintClosedObjects(input), ...(await lintImpossible(input)));
  if (isBroken()) return { findings: dropConsequences(findings) };
  return { protocol, findings, ...(!declarations && { declarationFindings }) };
}

/** Returns the findings without those that follow from a misspelt or misused keyword of the same schema. */
function dropConsequences(findings: readonly Finding[]): readonly Finding[] {
  const faults = findings.filter(({ rule }) => rule === "keyword-unknown" || rule === "keyword-invalid");
  const hasFault = ({ at }: Finding, test: (fault: Finding) => boolean): boolean =>
    faults.some((fault) => fault.at.file === at.file && test(fault));
  return findings.filter((finding) => {
    const [, missing] = /^(title|description|stability)-missing$/.exec(finding.rule) ?? [];
    if (missing !== undefined)
      return !hasFault(finding, ({ at, hint = "" }) => {
        const holder = at.pointer.slice(0, at.pointer.lastIndexOf("/"));
        const isMeant = holder === finding.at.pointer && new RegExp(`"(x-)?${missing}"`).test(hint);
        return at.pointer === finding.at.pointer || isMeant;
      });
    if (finding.rule !== "required-undeclared") return true;
    return !hasFault(
      finding,
      ({ at, hint = "" }) => /\/properties$/.test(at.pointer) || hint.includes('"properties"'),
    );
  });
}

/** Reports slow patterns. The releases are read only if there are any. */
async function lintSpeed(files: Files, id: string, sources: readonly Source[]): Promise<Finding[]> {
  const isReleased = (pattern: string): boolean =>
    files
      .listDirectly(`${id}/releases`)
      .files.some((file) =>
        JSON.stringify(files.read(file)?.document ?? null).includes(JSON.stringify(pattern)),
      );
  return lintPatternSpeed(sources, isReleased);
}

function createTakenNameFinding(name: string, at: Location): Finding {
  const message = `${JSON.stringify(name)} is a former name of this protocol, and there is a folder ${name} again.`;
  const hint = `If its files belong to this protocol (a merge may have added them), move them here. Another protocol needs another name, because releases of this one were called ${name}.`;
  return createErrorFinding("protocol-invalid", message, at, hint);
}

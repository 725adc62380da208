/** Creates a protocol from JSON Schemas: from a union of events, or from several schemas of one event each. */
import type { Location } from "../finding.js";
import { getMembers, getOwn, isObject, type Json, type JsonObject, joinPointer, listItems } from "../json.js";
import type { OutputFile } from "../protocol/protocol.js";
import { derivePossibleTypes } from "../schema/possible-types.js";
import { type Definitions, getTargetName } from "../schema/reference.js";
import { formatCount } from "../text.js";
import { type Bundle, bundleSchemas, GENERATED_UNION, readStatedDialect } from "./bundle.js";
import { isSealed } from "./closed-objects.js";
import { keyPayloads, tagMessages } from "./external-tags.js";
import { assignFileNames, describeFileNames } from "./file-names.js";
import { ImportError } from "./import-error.js";
import {
  type EventNames,
  groupForms,
  type NamingInput,
  nameEvents,
  nameEventsByScalars,
} from "./name-events.js";
import { formatLoss, ImportNotes } from "./notes.js";
import { hasOpenList } from "./open-lists.js";
import { type OpeningOptions, openObjects } from "./open-objects.js";
import {
  describeMessage,
  formatId,
  formatWrapper,
  type MessageLayout,
  type ProtocolParts,
  WRAPPER,
} from "./protocol-files.js";
import type { Documents } from "./resources.js";
import { findSharedFields, type SharedFields } from "./shared-fields.js";
import { type SplitMessage, splitMessage } from "./split-message.js";
import { suggestStream } from "./suggest-stream.js";
import {
  type Alternative,
  acceptsAnything,
  collectFields,
  findListedScalars,
  findListedTexts,
  joinAlternatives,
  listAlternatives,
  requiresField,
} from "./union.js";
import { type UpgradedSchema, upgradeBundle } from "./upgrade.js";

/** The name of the new protocol, and how to read the schemas. */
export interface ImportSettings {
  readonly name: string;
  readonly version: string;
  /** True if writers may send fields that the schemas do not list. The default is false. */
  readonly open?: boolean;
  /** The field that holds the event type. By default, the import looks for it. */
  readonly discriminator?: string | undefined;
  /** The folder whose files references may lead to. The default is the folder that the operand names, or that of its file. */
  readonly root?: string | undefined;
  /** The files that stand for URLs in references, by URL without fragment. */
  readonly map?: ReadonlyMap<string, string>;
  /** The fields that the envelope may have; undefined for all that the events share. */
  readonly envelopeFields?: ReadonlySet<string> | undefined;
  /**
   * True if the schemas are only compared. Then a schema may be that of a single event; by default, it must be a union.
   */
  readonly isCompared?: boolean;
}

/** A protocol that was made from something else. */
export interface Imported {
  readonly parts: ProtocolParts;
  /** Sentences about what was recognised and what was changed. */
  readonly notes: readonly string[];
  /** Those of the notes that a comparison needs: about lost constraints, and about messages in an envelope. */
  readonly readings: readonly string[];
  /** The original schemas of the events; absent if the protocol was created from samples. */
  readonly originals?: Originals;
  /** The fixtures. Their paths are relative to the folder of all fixtures. */
  readonly fixtures: readonly OutputFile[];
}

/** The original schemas of the events within a bundle, by event type. */
export interface Originals {
  readonly bundle: Bundle;
  readonly schemas: ReadonlyMap<string, JsonObject>;
  /** True if writers may send less than the original accepts: no fields or values that it does not list. */
  readonly isNarrower: boolean;
}

/** The option that helps if no field tells events apart. */
const DISCRIMINATOR_HINT =
  "--discriminator names the field that holds the event type, or its path, such as event.type.";

/** The origin of a union. */
interface UnionSource {
  /** The file or folder, as the user named it. */
  readonly name: string;
  /** The number of events that the union must have. */
  readonly minEvents: number;
  /** The origin of the names of alternatives, for messages: "the file name". */
  readonly nameSource: string;
  /** True if the union was made of schemas that have names, so that each is an event of its name. */
  readonly isMadeOfNamed?: boolean;
}

/** Imports the union in `file`, or at `fragment` in it. Throws an ImportError if it is no union of distinguishable events. */
export function importUnion(
  file: string,
  documents: Documents,
  settings: ImportSettings,
  fragment?: string,
): Imported {
  const minEvents = settings.isCompared ? 1 : 2;
  const source = { name: file, minEvents, nameSource: "the name of the definition" };
  const isNamedByFile = settings.isCompared === true && isPlainObject(documents.read(file));
  if (fragment === undefined && !isNamedByFile)
    return importBundle(bundleSchemas(file, documents), settings, source);
  const $ref = `${encodeURIComponent(file)}#${fragment ?? ""}`;
  const $schema = readStatedDialect(documents.read(file));
  const union = { ...($schema !== undefined && { $schema }), $ref };
  return importGeneratedUnion(union, documents, settings, {
    ...source,
    name: fragment === undefined ? file : `${file}#${fragment}`,
  });
}

/** Returns whether a document is the schema of an object and not a union, so that only its file names the event. */
function isPlainObject(document: Json | undefined): boolean {
  return (
    isObject(document) &&
    isObject(document.properties) &&
    ![document, ...listItems(document.allOf)].some((part) => isObject(part) && Object.hasOwn(part, "$ref")) &&
    listAlternatives(document, {}).length === 1
  );
}

/** Imports a union that is not in a file. Its references are relative to the folder of the documents. */
export function importGeneratedUnion(
  union: JsonObject,
  documents: Documents,
  settings: ImportSettings,
  source: UnionSource,
): Imported {
  const read = (file: string): Json | undefined => (file === GENERATED_UNION ? union : documents.read(file));
  return importBundle(bundleSchemas(GENERATED_UNION, { ...documents, read }), settings, source);
}

function importBundle(
  bundle: Bundle,
  { name, version, open = false, discriminator, envelopeFields, isCompared = false }: ImportSettings,
  source: UnionSource,
): Imported {
  const notes = new ImportNotes();
  const mayBeTagged = discriminator === undefined && source.isMadeOfNamed !== true;
  const tagged = mayBeTagged ? tagMessages(bundle, isCompared) : undefined;
  const original = tagged?.bundle ?? bundle;
  const upgradedBundle = upgradeBundle(original, notes, isCompared);
  const pairs = pairAlternatives(original, upgradedBundle, source, discriminator);
  const { originals, alternatives, forms, whole } = pairs;
  const names = nameAlternatives(alternatives, upgradedBundle.definitions, source, whole.field);
  refuseOtherTypes(alternatives, upgradedBundle.definitions, names, source);
  const { field } = names;
  const branches = names.types.flatMap((types, index) => types.map((type) => ({ type, index })));
  const fileNames = assignFileNames(branches.map(({ type }) => type));
  // If no field of the message holds the event type, the import chooses it.
  const types = branches.map(({ type }, i) => (field === undefined ? (fileNames[i] ?? type) : type));
  const shared =
    field === undefined || isCompared
      ? undefined
      : findSharedFields(alternatives, field, upgradedBundle.definitions, envelopeFields);
  const { isNarrower, payloads, definitions, message, fields } = createPayloads(
    { alternatives, field, message: whole.message, shared },
    upgradedBundle,
    { opensAll: open, notes },
  );
  const inlineEvents = branches
    .map(({ index }, i) => ({
      type: types[i] ?? "",
      name: fileNames[i] ?? types[i] ?? "",
      payload: payloads[index] ?? {},
      origin: locateAlternative(alternatives[index], original.definitions, source.name),
    }))
    .sort((a, b) => (a.type < b.type ? -1 : 1));
  const keyedEvents = tagged && keyPayloads(inlineEvents, definitions);
  const events = keyedEvents ?? inlineEvents;
  const layout = createLayout(field, fields, keyedEvents !== undefined);
  const wrapped = field === undefined ? [WRAPPED_NOTE] : [];
  const untied = whole.isUntied === true ? [UNTIED_NOTE] : [];
  return {
    parts: {
      name,
      version,
      events,
      definitions,
      source: source.name,
      layout,
      ...(message && { message: { event: whole.pointer, schema: message } }),
      stability: "candidate",
    },
    notes: [
      `${source.name}: ${formatCount(branches.length, "event")}, distinguished by ${names.distinguishedBy}`,
      ...wrapped,
      ...(tagged?.notes ?? []),
      describeDialect(original),
      ...(message ? [describeMessage(whole.pointer)] : []),
      ...untied,
      ...describeFields(fields),
      ...describeForms(forms, names),
      ...describeOtherTypes(alternatives, names),
      ...describeRepeated(alternatives, names),
      ...describeFileNames(types, fileNames),
      ...notes.list(),
      ...(field === undefined ? [describeWrapper(types[0])] : []),
      ...(envelopeFields ? [] : suggestStream(formatId({ name, version }), fields, definitions)),
    ],
    readings: [...wrapped, ...(tagged?.notes ?? []), ...untied, ...notes.list("losses")],
    originals: {
      bundle: original,
      isNarrower: isNarrower || hasOpenList(upgradedBundle),
      schemas: collectOriginals(originals, names, types),
    },
    fixtures: [],
  };
}

/** Lists the alternatives of the original and of the upgraded bundle, pairwise, with forms of one event joined. */
function pairAlternatives(
  original: Bundle,
  upgraded: UpgradedSchema,
  source: UnionSource,
  discriminator: string | undefined,
) {
  const [wholeOriginal, whole] = [original, upgraded].map((bundle) =>
    separateEvents(bundle, source, discriminator),
  ) as [Separated, Separated];
  const allOriginals = listAlternatives(wholeOriginal.event, original.definitions);
  const allAlternatives = listAlternatives(whole.event, upgraded.definitions);
  if (allOriginals.length !== allAlternatives.length)
    throw new ImportError(`${source.name}: its alternatives cannot be distinguished in ${original.dialect}.`);
  const forms = groupForms(describeNames(allAlternatives, upgraded.definitions), whole.field);
  const [originals, alternatives] = [allOriginals, allAlternatives].map((each) =>
    joinAlternatives(each, forms),
  ) as [Alternative[], Alternative[]];
  return { originals, alternatives, forms, whole };
}

/** Returns the original schema of each of the event types `types`, which are in the order of the names. */
function collectOriginals(
  originals: readonly Alternative[],
  { field, types: typesByIndex }: EventNames,
  types: readonly string[],
): ReadonlyMap<string, JsonObject> {
  const schemas = typesByIndex.flatMap((typesOfOne, index) => {
    const schema = originals[index]?.schema ?? {};
    return typesOfOne.map((type) =>
      field === undefined || typesOfOne.length === 1
        ? schema
        : { allOf: [schema], properties: { [field]: { enum: [type] } } },
    );
  });
  return new Map(schemas.map((schema, i) => [types[i] ?? "", schema]));
}

/** Returns the layout of messages whose event type is in `field`, or of wrapped ones if there is no such field. */
function createLayout(
  field: string | undefined,
  fields: SharedFields | undefined,
  isKeyed: boolean,
): MessageLayout {
  return field === undefined ? WRAPPER : { discriminator: field, ...(fields && { fields }), isKeyed };
}

/** Throws an ImportError for an alternative that accepts no object. */
function refuseOtherTypes(
  alternatives: readonly Alternative[],
  definitions: Definitions,
  { types }: EventNames,
  { name }: UnionSource,
): void {
  const index = alternatives.findIndex(
    ({ schema }) => !derivePossibleTypes(schema, definitions).has("object"),
  );
  if (index !== -1)
    throw new ImportError(
      `${name}: the message ${types[index]?.[0] ?? ""} is never an object. An event must be one.`,
    );
}

const WRAPPED_NOTE = `no field of a message holds the event type: each message is wrapped in an envelope ${formatWrapper("the event type")}`;
const UNTIED_NOTE = formatLoss(
  "the original has several forms of the document around an event, each for some event types; the import accepts each form around every event",
);

/** The schema of events, and that of the document around each event if there is one. */
interface Separated extends Partial<Pick<SplitMessage, "message" | "isUntied">> {
  readonly event: Json;
  /** The pointer to the event in the document. */
  readonly pointer: string;
  /** The chosen field of the event. */
  readonly field: string | undefined;
}

/** Separates events from the documents around them if the chosen field is a path such as `params.update.kind`. */
function separateEvents(
  { schema, definitions }: Pick<Bundle, "schema" | "definitions">,
  source: UnionSource,
  discriminator: string | undefined,
): Separated {
  const names = discriminator?.split(".") ?? [];
  const isPath =
    names.length > 1 &&
    !listAlternatives(schema, definitions).some((alternative) =>
      collectFields(alternative.schema, definitions).includes(discriminator ?? ""),
    );
  if (!isPath) return { event: schema, pointer: "", field: discriminator };
  const path = names.slice(0, -1);
  const parts = splitMessage(schema, path, definitions);
  if (!parts) throw new ImportError(`${source.name}: no message declares ${path.join(".")}.`);
  return { ...parts, pointer: joinPointer("", ...path), field: names.at(-1) };
}

/** Returns the place of an alternative in the original files. An alternative outside of all definitions is in `rootFile`. */
function locateAlternative(
  alternative: Alternative | undefined,
  definitions: Definitions,
  rootFile: string,
): Location {
  const { names = [], pointer = "" } = alternative ?? {};
  const definition = getOwn(definitions, names.at(-1) ?? "");
  if (definition === undefined) return { file: rootFile, pointer };
  return { file: definition.at.file, pointer: definition.at.pointer + pointer };
}

/** Describes the fields that the envelope has because all events share them. */
function describeFields(fields: SharedFields | undefined): string[] {
  return fields
    ? [`the envelope has the fields that all events share: ${Object.keys(fields.properties).join(", ")}`]
    : [];
}

/** Describes the events that several alternatives are forms of. */
function describeForms(forms: readonly (readonly number[])[], { types }: EventNames): string[] {
  const joined = forms.flatMap((form, index) =>
    form.length > 1 ? [`${types[index]?.[0] ?? ""} (${form.length})`] : [],
  );
  return joined.length === 0
    ? []
    : [`alternatives that are forms of one event were joined: ${joined.join(", ")}`];
}

/**
 * Describes the parts of alternatives that decide how their events are named. With `findTexts`, the listed values of fields
 * need not be texts.
 */
function describeNames(
  alternatives: readonly Alternative[],
  definitions: Definitions,
  findTexts: typeof findListedTexts = findListedTexts,
): NamingInput[] {
  return alternatives.map(({ names, schema }) => ({
    names,
    listed: findTexts(schema, definitions),
    coversOthers: (field) => acceptsAnything(schema) || requiresField(schema, field, definitions),
  }));
}

/** Names the events. One alternative can be several events if it lists several texts for their field. */
function nameAlternatives(
  alternatives: readonly Alternative[],
  definitions: Definitions,
  { name, minEvents, nameSource }: UnionSource,
  discriminator: string | undefined,
): EventNames {
  const names =
    nameEvents(describeNames(alternatives, definitions), nameSource, discriminator) ??
    nameEventsByScalars(
      describeNames(alternatives, definitions, findListedScalars),
      nameSource,
      discriminator,
    );
  if (names !== undefined && names.types.flat().length >= minEvents) return names;
  const [only] = alternatives;
  const branches = alternatives.length > 1 ? alternatives : (only?.schema.oneOf ?? only?.schema.anyOf);
  if (!Array.isArray(branches) || branches.length < 2)
    throw new ImportError(
      `${name} is not a union of events: its root has no oneOf or anyOf with at least two alternatives.`,
    );
  throw discriminator === undefined
    ? new ImportError(
        `${name}: its ${branches.length} alternatives cannot be distinguished: they have no required field with a different text as the constant of each, and no names.`,
        DISCRIMINATOR_HINT,
      )
    : new ImportError(
        `${name}: the field ${discriminator} is not a required field with other texts as constants in each alternative.`,
      );
}

/**
 * Creates the payload of each event: the whole message, or the message without `field`, which holds the event type. Opens
 * the document around events, too.
 */
function createPayloads(
  {
    alternatives,
    field,
    message,
    shared,
  }: {
    readonly alternatives: readonly Alternative[];
    readonly field: string | undefined;
    readonly message: JsonObject | undefined;
    readonly shared: SharedFields | undefined;
  },
  { definitions }: UpgradedSchema,
  opening: OpeningOptions,
): CreatedPayloads {
  const sharedNames = Object.keys(shared?.properties ?? {});
  const moved = new Set([field, ...sharedNames]);
  const roots = alternatives.map(({ schema }) =>
    field === undefined
      ? { schema, isClosed: false, hasOtherFields: false }
      : {
          schema: removeFields(schema, moved, definitions, collectFields(schema, definitions)),
          isClosed: isSealed(schema, definitions),
          hasOtherFields: true,
        },
  );
  const documents = [message ?? [], ...(shared ? [{ properties: shared.properties }] : [])].flat();
  const { schemas, ...rest } = openObjects(
    [
      ...roots,
      ...documents.map((schema) => ({ schema, isClosed: schema !== message, hasOtherFields: false })),
    ],
    definitions,
    opening,
  );
  const opened = schemas.slice(roots.length);
  const fields = shared && getMembers(opened.at(-1)?.properties);
  return {
    ...rest,
    payloads: schemas.slice(0, roots.length),
    message: message && opened[0],
    fields: shared && sharedNames.length > 0 ? { ...shared, properties: fields ?? {} } : undefined,
  };
}

/** The payloads of events, the document around them, and the fields of their envelope, in which objects are opened. */
interface CreatedPayloads extends Pick<ProtocolParts, "definitions">, Pick<Originals, "isNarrower"> {
  readonly payloads: readonly JsonObject[];
  readonly message: JsonObject | undefined;
  readonly fields: SharedFields | undefined;
}

/**
 * Returns `schema` without the fields `names`. It replaces a reference by a copy of the definition without them. The
 * writer reading closes the whole message, and not its parts, so a closed part forbids those of `allFields` that only other
 * parts declare.
 */
function removeFields(
  schema: JsonObject,
  names: ReadonlySet<Json | undefined>,
  definitions: Definitions,
  allFields: readonly string[],
  visited: readonly Json[] = [],
): JsonObject {
  if (visited.includes(schema)) return schema;
  const copy = (part: Json): Json =>
    isObject(part) ? removeFields(part, names, definitions, allFields, [...visited, schema]) : part;
  const { properties, required, additionalProperties, $ref: _reference, ...rest } = schema;
  const target = getTargetName(schema);
  const definition = target === undefined ? undefined : getOwn(definitions, target);
  const isOther = (field: Json): boolean => !names.has(field);
  const declaredFields = isObject(properties)
    ? Object.entries(properties).filter(([field]) => isOther(field))
    : [];
  const isForbidden = (field: string): boolean =>
    additionalProperties === false &&
    isOther(field) &&
    !declaredFields.some(([declaredField]) => declaredField === field);
  const forbiddenFields = rest.patternProperties === undefined ? allFields.filter(isForbidden) : [];
  const fields = [...declaredFields, ...forbiddenFields.map((field) => [field, false] as const)];
  const requiredFields = Array.isArray(required) ? required.filter(isOther) : [];
  const parts = [
    ...(definition ? [copy(definition.schema)] : []),
    ...(Array.isArray(rest.allOf) ? rest.allOf.map(copy) : []),
  ];
  const isClosed = additionalProperties === undefined || additionalProperties === false;
  const unions = (["anyOf", "oneOf"] as const).flatMap((keyword) =>
    Array.isArray(rest[keyword]) ? [[keyword, rest[keyword].map(copy)] as const] : [],
  );
  return {
    ...rest,
    ...Object.fromEntries(unions),
    ...((isObject(properties) || fields.length > 0) && { properties: Object.fromEntries(fields) }),
    ...(requiredFields.length > 0 && { required: requiredFields }),
    ...(parts.length > 0 && { allOf: parts }),
    ...(!isClosed && { additionalProperties }),
  };
}

/** Describes how messages without an event type have to be wrapped before they are valid. */
function describeWrapper(type: string | undefined): string {
  const wrapper = formatWrapper(JSON.stringify(type));
  return `WRAPPED: recordings are not valid in their current form. Put each message into ${wrapper} before it is validated or served`;
}

/** Describes the alternatives that accept all other event types. */
function describeOtherTypes(alternatives: readonly Alternative[], { field, types }: EventNames): string[] {
  return alternatives.flatMap(({ names, pointer, schema }, i) =>
    types[i]?.length === 0
      ? [
          `the alternative ${[...names, pointer].join("")} accepts any other ${field}: such events are of unknown type, which readers accept and ignore${acceptsAnything(schema) ? `; it also accepts messages without ${field}, which readers refuse` : ""}`,
        ]
      : [],
  );
}

/** Describes the alternatives that the original refuses, because a `oneOf` has them more than once. */
function describeRepeated(alternatives: readonly Alternative[], { types }: EventNames): string[] {
  return alternatives.flatMap(({ isRepeated }, i) =>
    isRepeated === true
      ? (types[i] ?? []).map(
          (type) =>
            `CHANGED ${type}: the original refuses it, because a oneOf has this alternative repeatedly`,
        )
      : [],
  );
}

function describeDialect({ dialect, isStated }: Bundle): string {
  if (!isStated)
    return `it names no $schema and was read as ${dialect}${dialect === "2020-12" ? "" : ", which its keywords suggest, and upgraded to 2020-12; state $schema if that is wrong"}`;
  return `read as ${dialect}${dialect === "2020-12" ? "" : ", upgraded to 2020-12"}`;
}

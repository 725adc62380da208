/**
 * Collects the values that events of one type consist of, each with its place in the language of steps: fields, items of lists,
 * positions of tuples, values of maps, branches of unions, and definitions that hold themselves at any depth.
 */
import { createView, type View } from "../compat/diff/view.js";
import { isObject, type Json, type JsonObject, joinPointer, listItems } from "../json.js";
import { findPayloadCarrier } from "../protocol/message-layout.js";
import type { EventType, Protocol } from "../protocol/protocol.js";
import { EVERY_DEPTH, isSelector, MEMBERS } from "../protocol/step-places.js";
import { createSpot, createSpotBelow, listStatements, type Spot } from "../schema/describe.js";
import {
  collectClosedLists,
  deriveTypes,
  listStatedValues,
  mergeFields,
  readAnnotation,
} from "../schema/merge.js";

/** A field of a site. */
export interface SiteField {
  readonly name: string;
  readonly isRequired: boolean;
  readonly deprecated: boolean;
  readonly renamedFrom?: string;
  readonly replacedBy?: string;
  /** The schemas that state `renamedFrom` and `replacedBy`. */
  readonly statedBy: readonly JsonObject[];
}

/** A listed value of a site. */
export interface SiteValue {
  readonly value: Json;
  /** True for the only value of its place. */
  readonly isFixed: boolean;
}

/** A field whose values tell the branches of a union apart. */
export interface Tag {
  /** The object with the field. */
  readonly parent: string;
  readonly name: string;
  /** The former name of the field, as the branch states it. */
  readonly renamedFrom: string | undefined;
  readonly values: readonly Json[];
  /** True if the branch holds for all other values. */
  readonly isExcluded: boolean;
}

/** A branch of a union that a site is part of. */
export interface Branch {
  /** What the branches of one union have in common. */
  readonly union: string;
  /** The pointer of the branch in its file. */
  readonly pointer: string;
  readonly tag?: Tag | undefined;
}

/** A value of events, or an alternative of one, with what the schema states about it. */
export interface Site {
  /** The place in the language of steps. */
  readonly path: string;
  /** The branches that must hold, the outer ones first. */
  readonly branches: readonly Branch[];
  /** "" for a value of the envelope, else the event type. */
  readonly owner: string;
  readonly fields: readonly SiteField[];
  readonly values: readonly SiteValue[];
  /** The schemas that state this. */
  readonly spots: readonly Spot[];
  readonly mayBeObject: boolean;
}

/** Returns whether a site has a field. */
export function hasField({ fields }: Pick<Site, "fields">, name: string): boolean {
  return fields.some((field) => field.name === name);
}

/** The most sites of an event type. Definitions that refer to each other may have more places than can be listed. */
export const MAX_SITES = 1_000;

/** The sites of an event type. */
export interface Sites {
  readonly list: readonly Site[];
  /** False if there are more than `MAX_SITES`. */
  readonly isComplete: boolean;
  /** The paths from an object to the next ones of the same definition, by the place of the object at every depth. */
  readonly loops: ReadonlyMap<string, readonly string[]>;
  /** Places below which no step can lead, with the reasons. */
  readonly blocked: ReadonlyMap<string, string>;
}

/** A value among whose parts the current one is. */
interface Ancestor {
  readonly schemas: readonly JsonObject[];
  readonly path: string;
}

type Place = Pick<Site, "path" | "branches" | "owner">;

/** Returns the sites of the events of one type: those of the envelope first. They are collected once for each event type. */
export function collectSites(protocol: Protocol, event: EventType): Sites {
  const known = SITES.get(protocol) ?? new Map<EventType, Sites>();
  SITES.set(protocol, known);
  const sites = known.get(event) ?? collectSitesOf(protocol, event);
  known.set(event, sites);
  return sites;
}

const SITES = new WeakMap<Protocol, Map<EventType, Sites>>();

function collectSitesOf(protocol: Protocol, event: EventType): Sites {
  const collector = new SiteCollector(protocol);
  const { envelope } = protocol;
  const carrier = findPayloadCarrier(envelope, event);
  collector.enter([createSpot(envelope.schema, envelope.at)], { path: "", branches: [], owner: "" }, []);
  const path = carrier === undefined ? "" : joinPointer("", carrier);
  collector.enter([createSpot(event.payload, event.at)], { path, branches: [], owner: event.type }, []);
  if (envelope.placement === "keyed" && carrier !== undefined) collector.addCarrier(carrier, event.type);
  return collector.finish();
}

class SiteCollector {
  private readonly sites: Site[] = [];
  private isComplete = true;
  private readonly loops = new Map<string, Set<string>>();
  private readonly blocked: { readonly path: string; readonly token?: string; readonly reason: string }[] =
    [];

  constructor(private readonly protocol: Protocol) {}

  addCarrier(name: string, owner: string): void {
    const field = { name, isRequired: true, deprecated: false, statedBy: [] };
    this.sites.push({
      path: "",
      branches: [],
      owner,
      fields: [field],
      values: [],
      spots: [],
      mayBeObject: true,
    });
  }

  /** Adds the sites of a value to which all of `spots` apply. */
  enter(spots: readonly Spot[], place: Place, ancestors: readonly Ancestor[]): void {
    if (this.sites.length >= MAX_SITES) {
      this.isComplete = false;
      return;
    }
    const view = createView(spots, this.protocol);
    const schemas = view.parts.map(({ schema }) => schema);
    const ancestor = ancestors.find((each) => each.schemas.some((schema) => schemas.includes(schema)));
    if (ancestor !== undefined) {
      this.addLoop(ancestor, place.path, schemas);
      return;
    }
    const { envelope } = this.protocol;
    // The payload repeats fields of the envelope, whose sites are collected from the envelope.
    const repeated =
      place.owner !== "" && ancestors.length === 0 ? new Set(envelope.payloadFields) : new Set();
    const fields = [...mergeFields(view).values()].filter(({ name }) => !repeated.has(name));
    this.sites.push({
      ...place,
      fields: fields.map((field) => this.readField(field)),
      values: listStatedValues(view).map(({ value, isFixed }) => ({ value, isFixed })),
      spots: view.parts,
      mayBeObject: deriveTypes(view).set.has("object"),
    });
    const below = [...ancestors, { schemas, path: place.path }];
    const enterMember = (token: string, member: readonly Spot[]): void =>
      this.enter(member, { ...place, path: joinPointer(place.path, token) }, below);
    for (const { name, spots: member } of fields) if (!isSelector(name)) enterMember(name, member);
    this.enterItems(view, enterMember);
    this.enterMap(view, place.path, fields.length, enterMember);
    this.enterUnions(view, place, below);
  }

  private readField({
    name,
    spots,
    isRequired,
  }: {
    name: string;
    spots: readonly Spot[];
    isRequired: boolean;
  }): SiteField {
    const view = createView(spots, this.protocol);
    const renamedFrom = readAnnotation(view, "x-renamed-from");
    const replacedBy = readAnnotation(view, "x-replaced-by");
    return {
      name,
      isRequired,
      deprecated: readAnnotation(view, "deprecated") === true,
      ...(typeof renamedFrom === "string" && { renamedFrom }),
      ...(typeof replacedBy === "string" && { replacedBy }),
      statedBy: view.parts
        .map(({ schema }) => schema)
        .filter((schema) => typeof renamedFrom === "string" && schema["x-renamed-from"] === renamedFrom),
    };
  }

  private enterItems(view: View, enterMember: (token: string, spots: readonly Spot[]) => void): void {
    const positions = listStatements(view, "prefixItems").flatMap(({ value, spot }) =>
      listItems(value).map((schema, index) => ({ index, spot: createSpotBelow(spot, schema, index) })),
    );
    const count = Math.max(0, ...positions.map(({ index }) => index + 1));
    for (let position = 0; position < count; position++)
      enterMember(
        `[${position}]`,
        positions.filter(({ index }) => index === position).map(({ spot }) => spot),
      );
    const items = listStatements(view, "items").filter(({ value }) => isObject(value));
    if (items.length > 0)
      enterMember(
        count === 0 ? "*" : `[${count}..]`,
        items.map(({ spot }) => spot),
      );
  }

  private enterMap(
    view: View,
    path: string,
    fieldCount: number,
    enterMember: (token: string, spots: readonly Spot[]) => void,
  ): void {
    const others = listStatements(view, "additionalProperties").filter(({ value }) => isObject(value));
    const patterns = listStatements(view, "patternProperties").flatMap(({ value, spot }) =>
      Object.entries(isObject(value) ? value : {}).map(([pattern, schema]) =>
        createSpotBelow(spot, schema, pattern),
      ),
    );
    const schemas = [...others.map(({ spot }) => spot), ...patterns];
    if (schemas.length === 0) return;
    const block = (reason: string) => this.blocked.push({ path, token: MEMBERS, reason });
    if (fieldCount > 0) block("fields stand beside the values of the map");
    if (patterns.length > 0 && schemas.length > 1)
      block("the values of the map depend on patterns of their names");
    for (const spot of schemas) enterMember(MEMBERS, [spot]);
  }

  private enterUnions(view: View, place: Place, ancestors: readonly Ancestor[]): void {
    const enterBranch = (spot: Spot, branch: Branch): void =>
      this.enter([spot], { ...place, branches: [...place.branches, branch] }, ancestors);
    for (const keyword of ["anyOf", "oneOf"] as const)
      for (const { value, spot } of listStatements(view, keyword)) {
        const spots = listItems(value).map((schema, index) => createSpotBelow(spot, schema, index));
        const union = `${place.path} ${spot.file}#${spot.pointer}`;
        const tags = this.findTags(spots, place.path);
        for (const [index, each] of spots.entries())
          enterBranch(each, { union, pointer: each.pointer, tag: tags[index] });
      }
    for (const part of view.parts) {
      const { schema } = part;
      const union = `${place.path} ${part.file}#${part.pointer} if`;
      const tag = this.findConditionTag(schema.if, place.path);
      for (const [keyword, isExcluded] of [
        ["then", false],
        ["else", true],
      ] as const)
        if (schema.if !== undefined && (schema.then ?? schema.else) !== undefined)
          enterBranch(createSpotBelow(part, schema[keyword] ?? {}, keyword), {
            union,
            pointer: joinPointer(part.pointer, keyword),
            tag: tag && { ...tag, isExcluded },
          });
      for (const [name, dependent] of Object.entries(getObject(schema.dependentSchemas))) {
        const branch = {
          union: `${union} ${name}`,
          pointer: joinPointer(part.pointer, "dependentSchemas", name),
        };
        enterBranch(createSpotBelow(part, dependent, "dependentSchemas", name), branch);
        enterBranch(createSpotBelow(part, {}, "dependentSchemas"), { ...branch, pointer: "" });
      }
    }
  }

  /** Returns the tag of each branch: a field of all branches that may be objects, with different values. */
  private findTags(branches: readonly Spot[], path: string): readonly (Tag | undefined)[] {
    const views = branches.map((spot) => createView([spot], this.protocol));
    const objects = views.filter((view) => deriveTypes(view).set.has("object"));
    const [first] = objects;
    if (first === undefined || objects.length < 2) return [];
    for (const name of mergeFields(first).keys()) {
      const values = objects.map((view) => this.listFieldValues(view, name));
      const texts = values.flatMap((list) => (list ?? []).map((value) => JSON.stringify(value)));
      if (values.some((list) => list === undefined) || new Set(texts).size < texts.length) continue;
      return views.map((view): Tag | undefined => {
        const list = this.listFieldValues(view, name);
        const renamedFrom = this.readFormerName(view, name);
        return objects.includes(view) && list
          ? { parent: path, name, renamedFrom, values: list, isExcluded: false }
          : undefined;
      });
    }
    return [];
  }

  private findConditionTag(condition: Json | undefined, path: string): Tag | undefined {
    if (!isObject(condition)) return undefined;
    const view = createView([createSpot(condition, { file: "", pointer: "" })], this.protocol);
    const [field, ...others] = [...mergeFields(view).values()];
    const keywords = Object.keys(condition).filter(
      (keyword) => !["properties", "required", "type"].includes(keyword),
    );
    if (field === undefined || others.length > 0 || keywords.length > 0) return undefined;
    const values = this.listFieldValues(view, field.name);
    return values && field.isRequired
      ? { parent: path, name: field.name, renamedFrom: undefined, values, isExcluded: false }
      : undefined;
  }

  private readFormerName(view: View, name: string): string | undefined {
    const field = mergeFields(view).get(name);
    return field && this.readField(field).renamedFrom;
  }

  /** Returns the values that a field may have, if they are listed. */
  private listFieldValues(view: View, name: string): readonly Json[] | undefined {
    const field = mergeFields(view).get(name);
    const [list] = field ? collectClosedLists(createView(field.spots, this.protocol)) : [];
    return list && listItems(list.value);
  }

  private addLoop(ancestor: Ancestor, path: string, schemas: readonly JsonObject[]): void {
    const loop = path.slice(ancestor.path.length);
    if (loop === "") return;
    const known = this.loops.get(ancestor.path) ?? new Set();
    this.loops.set(ancestor.path, known.add(loop));
    const hasFields = (schema: JsonObject) =>
      Object.keys(schema).some((keyword) => !ANNOTATIONS.has(keyword));
    if (ancestor.schemas.some((schema) => hasFields(schema) && !schemas.includes(schema)))
      this.blocked.push({
        path: ancestor.path,
        reason: "the definition holds itself with other fields than at its first level",
      });
  }

  /** Returns the sites, whose places lead through all levels of recursive definitions. */
  finish(): Sites {
    const convert = (path: string): string => this.enterLoops(path);
    const loops = [...this.loops].map(([path, list]): [string, readonly string[]] => [
      convert(path),
      [...list],
    ]);
    for (const [path, list] of this.loops)
      for (const loop of list)
        if (convert(path + loop) !== convert(path) + loop)
          this.blocked.push({
            path,
            reason: "the definition holds itself below another one that holds itself",
          });
    return {
      isComplete: this.isComplete,
      list: this.sites.map((site) => ({
        ...site,
        path: convert(site.path),
        branches: site.branches.map((branch) => ({
          ...branch,
          tag: branch.tag && { ...branch.tag, parent: convert(branch.tag.parent) },
        })),
      })),
      loops: new Map(loops),
      blocked: new Map(
        this.blocked.map(({ path, token, reason }) => [
          token === undefined ? convert(path) : joinPointer(convert(path), token),
          reason,
        ]),
      ),
    };
  }

  private enterLoops(path: string): string {
    const tokens = path.split("/").slice(1);
    let [plain, converted] = ["", this.loops.has("") ? `/${EVERY_DEPTH}` : ""];
    for (const token of tokens) {
      plain += `/${token}`;
      converted += `/${token}`;
      if (this.loops.has(plain)) converted += `/${EVERY_DEPTH}`;
    }
    return converted;
  }
}

/** Keywords beside a reference that state nothing about the fields of an object. */
const ANNOTATIONS = new Set([
  "$ref",
  "title",
  "description",
  "x-renamed-from",
  "deprecated",
  "x-deprecated-since",
  "x-replaced-by",
  "x-since",
]);

function getObject(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

/** What a consumer claims to show: families of things, event types, and fields. */
import { didYouMean } from "../nearest.js";
import { chooseView, findRole, type Role } from "../protocol/view-roles.js";
import { memoizeByObject } from "../sample/memoize.js";
import { listPayloadFields } from "../sample/merged-schema.js";
import type { Adapter } from "./adapter.js";
import { type Course, listCourses } from "./declared-ends.js";
import { inferShown, type Shown } from "./infer-shown.js";
import { getModel, type KitProtocol } from "./kit-protocol.js";
import { prepareShownContext } from "./only.js";
import type { Steps } from "./steps.js";

/** An event type, or a field of its payload. */
export interface Fact {
  readonly type: string;
  readonly field?: string;
}

/** A claim. */
export interface Claim {
  readonly name: string;
  /** Lists of facts. Of each list, a consumer shows at least one, for example a text in pieces or as a whole. */
  readonly facts: readonly (readonly Fact[])[];
  /** The things whose ends look different. */
  readonly courses: readonly Course[];
}

/** A part of a claim that follows from the role of one event type. */
interface Part extends Fact {
  readonly family: string;
  /** Parts of a family with the same aspect are alternatives. */
  readonly aspect: string;
}

/** Returns what may be claimed of a protocol by the name of a family. The families follow from its view and its stream rules. */
export const listFamilies = memoizeByObject((protocol: KitProtocol): ReadonlyMap<string, Claim> => {
  const { view, rules = {} } = protocol;
  const { roles } = chooseView({ ...(view && { view }), stream: { rules } });
  const fields = new Set(listPayloadFields(getModel(protocol)).map(({ type, field }) => `${type}/${field}`));
  const parts = Object.keys(protocol.schemas.events).flatMap((type) => {
    const role = findRole(roles, type);
    const all = role === undefined ? [] : listParts(type, role);
    return all.filter(({ field }) => field === undefined || fields.has(`${type}/${field.split("/")[0]}`));
  });
  const courses = listCourses(protocol).flatMap((course) => {
    const role = findRole(roles, course.starts[0] ?? "");
    if (course.key === undefined) return [{ family: "status", course }];
    if (role?.as !== "tool" && role?.as !== "approval") return [];
    return [{ family: `${role.as}s`, course }];
  });
  const names = new Set([...parts, ...courses].map(({ family }) => family));
  return new Map(
    [...names].sort().map((name) => {
      const own = parts.filter(({ family }) => family === name);
      const aspects = new Set(own.map(({ aspect }) => aspect));
      const facts = [...aspects].map((aspect) => own.filter((part) => part.aspect === aspect));
      const ownCourses = courses.flatMap(({ family, course }) => (family === name ? [course] : []));
      return [name, { name, facts, courses: ownCourses }] as const;
    }),
  );
});

/** Returns what the role of an event type adds to the families. */
function listParts(type: string, role: Role): readonly Part[] {
  const make = (family: string, aspect: string, paths: readonly (string | undefined)[]): Part[] =>
    paths.flatMap((path) => (path === undefined ? [] : [{ type, family, aspect, field: path }]));
  if (role.as === "text")
    return make(role.speaker === "assistant" ? "text" : role.speaker, "text", [role.field]);
  if (role.as === "tool")
    return [
      ...make("tools", "name", [role.name]),
      ...make("inputs", "input", [role.input]),
      ...make("outputs", "output", [role.output]),
    ];
  if (role.as === "approval")
    return role.tone === "open"
      ? make("approvals", "subject", [...(role.subject ?? []), ...(role.facts ?? [])])
      : [];
  if (role.as === "gap") return [{ type, family: "gaps", aspect: "gap" }];
  return [
    ...Object.entries(role.totals ?? {}).flatMap(([name, path]) => make(name, "total", [path])),
    ...(role.turn === "start" ? [{ type, family: "turns", aspect: "start" }] : []),
  ];
}

/** Returns the claims with these names. Throws a TypeError if one is neither a family, nor an event type, nor a field of one. */
export function readClaims(protocol: KitProtocol, names: readonly string[]): readonly Claim[] {
  if (!Array.isArray(names)) throw new TypeError("`claims` has to be a list of names.");
  const families = listFamilies(protocol);
  const types = Object.keys(protocol.schemas.events);
  const fields = listPayloadFields(getModel(protocol)).map(({ type, field }) => ({ type, field }));
  return names.map((name) => {
    const family = families.get(name);
    if (family) return family;
    const fact: Fact | undefined = types.includes(name)
      ? { type: name }
      : fields.find(({ type, field }) => `${type}/${field}` === name);
    if (fact) return { name, facts: [[fact]], courses: [] };
    const known = [...families.keys(), ...types, ...fields.map(({ type, field }) => `${type}/${field}`)];
    throw new TypeError(
      `\`claims\` lists ${JSON.stringify(name)}, which ${protocol.id} does not have${didYouMean(String(name), known)} A claim is an event type, a field such as "type/field", or one of ${[...families.keys()].join(", ")}.`,
    );
  });
}

/** Returns whether a consumer shows what a claim is about, as far as plain streams tell. */
function isShown({ facts, courses }: Claim, { types, fields }: Shown): boolean {
  const isFactShown = ({ type, field }: Fact): boolean =>
    field === undefined ? types.has(type) : fields.get(type)?.has(field.split("/")[0] ?? "") === true;
  return (
    facts.every((alternatives) => alternatives.some(isFactShown)) &&
    courses.every(({ starts, ends }) =>
      [...starts, ...ends.map(({ type }) => type)].some((type) => types.has(type)),
    )
  );
}

/** The largest number of event types that are listed. */
const MAX_LISTED = 6;

/** Says what the consumers of `adapter` show, and about what nothing was tested. */
export function* describeShown(
  adapter: Adapter,
  {
    protocol,
    claims,
    only,
  }: {
    readonly protocol: KitProtocol;
    readonly claims?: readonly string[] | undefined;
    readonly only?: readonly string[] | undefined;
  },
): Steps<string> {
  const context = prepareShownContext(protocol, only);
  const shown = yield* inferShown(adapter, protocol, context);
  return describeClaims(protocol, shown, claims && readClaims(protocol, claims));
}

/** Says what a consumer shows by its claims, or as far as plain streams tell, and about what nothing was tested. */
function describeClaims(protocol: KitProtocol, shown: Shown, claims: readonly Claim[] | undefined): string {
  const families = [...listFamilies(protocol).values()];
  const list = (names: readonly string[]): string => names.join(", ") || "nothing";
  const types = Object.keys(protocol.schemas.events);
  const hidden = types.filter((type) => !shown.types.has(type));
  const listed = hidden.slice(0, MAX_LISTED).join(", ");
  const others = hidden.length > MAX_LISTED ? ` and ${hidden.length - MAX_LISTED} others` : "";
  const counts = `Of ${types.length} event types, ${types.length - hidden.length} change the snapshot${hidden.length === 0 ? "" : `, not ${listed}${others}`}.`;
  const inferred = families.filter((family) => isShown(family, shown));
  if (claims === undefined) {
    const rest = families.filter((family) => !inferred.includes(family)).map(({ name }) => name);
    const untested =
      rest.length === 0
        ? ""
        : ` Not tested, because it is not shown: ${rest.join(", ")}. List in \`claims\` what the consumer has to show.`;
    return `Shown, as plain streams tell: ${list(inferred.map(({ name }) => name))}.${untested} ${counts}`;
  }
  const names = claims.map(({ name }) => name);
  const more = inferred.map(({ name }) => name).filter((name) => !names.includes(name));
  const rest = families
    .map(({ name }) => name)
    .filter((name) => !names.includes(name) && !more.includes(name));
  return `Claimed: ${list(names)}. Shown without a claim: ${list(more)}. Neither claimed nor shown: ${list(rest)}. ${counts}`;
}

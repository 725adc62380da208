/** Orders classes and aliases so that each refers to earlier ones. */
import type { AliasPlan, ClassPlan, MemberPlan, ProtocolPlan, ValuePlan } from "./plan.js";

type Declaration = ClassPlan | AliasPlan;

/** The state of sorting. */
interface Sorting {
  readonly declarations: ReadonlyMap<string, Declaration>;
  readonly sorted: Map<string, Declaration>;
  /** The names of the declarations whose references are being visited. */
  readonly open: Set<string>;
}

/**
 * Returns the classes and aliases of a plan, each after those that it refers to, so that pydantic completes each class at
 * once. In a cycle, a class may refer to later declarations. An alias may not: where aliases refer to each other without a
 * class in between, one of them refers to any value.
 */
export function sortDeclarations({ envelope, classes, aliases }: ProtocolPlan): readonly Declaration[] {
  const all: Declaration[] = [envelope, ...classes, ...aliases];
  const sorting: Sorting = {
    declarations: new Map(all.map((each) => [each.name, each])),
    sorted: new Map(),
    open: new Set(),
  };
  for (const each of all) visit(sorting, each);
  // An alias waits for a class around it.
  for (const each of aliases) visit(sorting, each);
  for (const alias of aliases) {
    if (sorting.sorted.has(alias.name)) continue;
    sorting.sorted.set(alias.name, { ...alias, value: dropMissing(alias.value, sorting.sorted) });
    for (const each of aliases) visit(sorting, each);
  }
  return [...sorting.sorted.values()];
}

/** Adds a declaration after those that it refers to. An alias is only added if all of them are there. */
function visit(sorting: Sorting, declaration: Declaration): void {
  const { declarations, sorted, open } = sorting;
  const { name } = declaration;
  if (sorted.has(name) || open.has(name)) return;
  open.add(name);
  const references = listReferences(declaration);
  for (const reference of references) {
    const target = declarations.get(reference);
    if (target !== undefined) visit(sorting, target);
  }
  open.delete(name);
  if ("fields" in declaration || references.every((each) => sorted.has(each))) sorted.set(name, declaration);
}

function listReferences(declaration: Declaration): string[] {
  if ("value" in declaration) return listNames(declaration.value);
  const { fields, others } = declaration;
  return [...fields.map(({ value }) => value), ...(others ? [others] : [])].flatMap(listNames);
}

function listNames({ members }: ValuePlan): string[] {
  return members.flatMap((member) => {
    if (member.kind === "reference" || member.kind === "object") return [member.name];
    if (member.kind === "list") return listNames(member.items);
    return member.kind === "map" ? listNames(member.values) : [];
  });
}

/** Returns the value with any value in place of references to declarations that are missing. */
function dropMissing(value: ValuePlan, sorted: ReadonlyMap<string, Declaration>): ValuePlan {
  const drop = (member: MemberPlan): MemberPlan => {
    if (member.kind === "reference" && !sorted.has(member.name)) return { kind: "any" };
    if (member.kind === "list") return { ...member, items: dropMissing(member.items, sorted) };
    return member.kind === "map" ? { ...member, values: dropMissing(member.values, sorted) } : member;
  };
  return { ...value, members: value.members.map(drop) };
}

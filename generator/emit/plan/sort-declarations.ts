/** Orders classes and aliases so that each refers to earlier ones. */
import type { AliasPlan, ClassPlan, MemberPlan, ProtocolPlan, ValuePlan } from "./plan.js";

type Declaration = ClassPlan | AliasPlan;

interface SortState {
  readonly declarations: ReadonlyMap<string, Declaration>;
  readonly sorted: Map<string, Declaration>;
  /** The names of the declarations whose references are being visited. */
  readonly activeNames: Set<string>;
}

/**
 * Returns the classes and aliases of a plan, each after those that it refers to, so that pydantic completes each class at
 * once. In a cycle, a class may refer to later declarations. An alias may not: where aliases refer to each other without a
 * class in between, one of them refers to any value.
 */
export function sortDeclarations({ envelope, classes, aliases }: ProtocolPlan): readonly Declaration[] {
  const declarations: Declaration[] = [envelope, ...classes, ...aliases];
  const sortedDeclarations = new Map<string, Declaration>();
  const state: SortState = {
    declarations: new Map(declarations.map((each) => [each.name, each])),
    sorted: sortedDeclarations,
    activeNames: new Set(),
  };
  for (const declaration of declarations) addDeclaration(state, declaration);
  // An alias that refers to a class around it could not be added before that class.
  for (const alias of aliases) addDeclaration(state, alias);
  for (const alias of aliases) {
    if (sortedDeclarations.has(alias.name)) continue;
    sortedDeclarations.set(alias.name, {
      ...alias,
      value: dropMissingReferences(alias.value, sortedDeclarations),
    });
    for (const each of aliases) addDeclaration(state, each);
  }
  return [...sortedDeclarations.values()];
}

/** Adds a declaration after those that it refers to. An alias is only added if all of them are there. */
function addDeclaration(state: SortState, declaration: Declaration): void {
  const { declarations, sorted, activeNames } = state;
  const { name } = declaration;
  if (sorted.has(name) || activeNames.has(name)) return;
  activeNames.add(name);
  const references = listReferences(declaration);
  for (const reference of references) {
    const target = declarations.get(reference);
    if (target !== undefined) addDeclaration(state, target);
  }
  activeNames.delete(name);
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
function dropMissingReferences(value: ValuePlan, sorted: ReadonlyMap<string, Declaration>): ValuePlan {
  const drop = (member: MemberPlan): MemberPlan => {
    if (member.kind === "reference" && !sorted.has(member.name)) return { kind: "any" };
    if (member.kind === "list") return { ...member, items: dropMissingReferences(member.items, sorted) };
    return member.kind === "map"
      ? { ...member, values: dropMissingReferences(member.values, sorted) }
      : member;
  };
  return { ...value, members: value.members.map(drop) };
}

import type { ClassPlan, ProtocolPlan, ValuePlan } from "./plan.js";

/** Returns the names of the classes and aliases that contain themselves without a list or map in between. */
export function findRecursiveNames({
  classes,
  aliases,
}: Pick<ProtocolPlan, "classes" | "aliases">): ReadonlySet<string> {
  const edges = new Map<string, readonly string[]>([
    ...classes.map((each): [string, string[]] => [each.name, listDirectNames(each)]),
    ...aliases.map(({ name, value }): [string, string[]] => [name, listValueNames(value)]),
  ]);
  const reaches = (from: string, target: string, visited: Set<string>): boolean =>
    (edges.get(from) ?? []).some((next) => {
      if (next === target) return true;
      if (visited.has(next)) return false;
      visited.add(next);
      return reaches(next, target, visited);
    });
  return new Set([...edges.keys()].filter((name) => reaches(name, name, new Set())));
}

function listDirectNames({ fields }: ClassPlan): string[] {
  return fields.flatMap(({ value }) => listValueNames(value));
}

function listValueNames({ members }: ValuePlan): string[] {
  const [member, ...others] = members;
  if (member === undefined || others.length > 0) return [];
  return member.kind === "object" || member.kind === "reference" ? [member.name] : [];
}

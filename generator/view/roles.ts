import type { Role, ViewDeclaration } from "../protocol/view-roles.js";

const NOTICE: Role = { as: "notice" };

/** Returns a function that gives the role of an event type; a type without a role is a notice. */
export function roleFinder({ roles }: ViewDeclaration): (type: string) => Role {
  const families = Object.keys(roles).filter((type) => type.endsWith("*"));
  return (type) => {
    if (Object.hasOwn(roles, type)) return roles[type] as Role;
    const family = families.find((prefix) => type.startsWith(prefix.slice(0, -1)));
    return family === undefined ? NOTICE : (roles[family] as Role);
  };
}

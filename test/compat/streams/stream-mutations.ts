/** Mutates stream rules: removes each declaration, and changes each of its parameters. */
import { isObject, type Json, type JsonObject } from "../../../generator/json.js";
import { collectEventFields } from "../../../generator/protocol/event-fields.js";
import type { Protocol, Stream } from "../../../generator/protocol/protocol.js";

/** A contract with one change of its stream rules. */
export interface StreamMutation {
  readonly name: string;
  readonly member: string;
  readonly protocol: Protocol;
}

/** Replaces the stream rules of a contract. */
export function replaceStreamRules(protocol: Protocol, rules: JsonObject): Protocol {
  return { ...protocol, stream: { ...protocol.stream, rules } as unknown as Stream };
}

/** Returns a copy of the stream rules of a contract. */
export function copyStreamRules({ stream }: Protocol): JsonObject {
  return JSON.parse(JSON.stringify(stream?.rules ?? {})) as JsonObject;
}

/** Returns mutations of a contract, each with one change of its stream rules. */
export function mutateStreamRules(protocol: Protocol): StreamMutation[] {
  const rules = copyStreamRules(protocol);
  return Object.entries(rules).flatMap(([member, declared]) => {
    const createMutation = (what: string, value: Json | undefined): StreamMutation => {
      const { [member]: _old, ...rest } = rules;
      const changed = value === undefined ? rest : { ...rules, [member]: value };
      return {
        name: `${protocol.id} ${member} ${what}`,
        member,
        protocol: replaceStreamRules(protocol, changed),
      };
    };
    if (!Array.isArray(declared))
      return isObject(declared)
        ? [
            createMutation("removed", undefined),
            ...listChanges(protocol, member, declared).map(([what, value]) => createMutation(what, value)),
          ]
        : [];
    return declared.flatMap((each, index) => {
      const replaceDeclaration = (value: Json): Json =>
        declared.map((other, at) => (at === index ? value : other));
      return [
        createMutation(
          `${index} removed`,
          declared.filter((_, at) => at !== index),
        ),
        ...listChanges(protocol, member, each as JsonObject).map(([what, value]) =>
          createMutation(`${index} ${what}`, replaceDeclaration(value)),
        ),
      ];
    });
  });
}

/** Members that are lists of event types. */
const TYPE_LISTS = new Set(["opens", "types", "after", "start", "end", "restart", "reset"]);
/** Flags of each rule. */
const FLAGS: { readonly [member: string]: readonly string[] } = {
  terminal: ["final", "once"],
  lifecycles: ["needsStart"],
};
/** Lists that may be absent. */
const OPTIONAL: { readonly [member: string]: readonly string[] } = {
  openings: ["after"],
  lifecycles: ["after"],
  texts: ["restart"],
  offsets: ["start"],
};

function listChanges(protocol: Protocol, member: string, declared: JsonObject): [string, JsonObject][] {
  const found: [string, JsonObject][] = [];
  const addChange = (what: string, name: string, value: Json | undefined): void => {
    const { [name]: _old, ...rest } = declared;
    found.push([what, value === undefined ? rest : { ...declared, [name]: value }]);
  };
  for (const flag of FLAGS[member] ?? [])
    addChange(`${flag} flipped`, flag, declared[flag] === true ? undefined : true);
  if (!["terminal", "gaps"].includes(member))
    addChange("profile flipped", "profile", declared.profile === "writer" ? undefined : "writer");
  for (const [name, value] of Object.entries(declared)) {
    if (Array.isArray(value)) {
      const isRequired = value.length === 1 || (member === "offsets" && name === "key");
      for (const each of isRequired ? [] : value)
        addChange(
          `${name} without ${JSON.stringify(each)}`,
          name,
          value.filter((other) => other !== each),
        );
      if (TYPE_LISTS.has(name)) {
        const more = findOtherType(protocol, declared, value);
        if (more !== undefined) addChange(`${name} with ${more}`, name, [...value, more]);
      }
    } else if (isObject(value) && name === "moves") {
      for (const [state, next] of Object.entries(value))
        for (const target of next as readonly Json[])
          addChange(`move ${state} to ${target} removed`, name, {
            ...value,
            [state]: (next as readonly Json[]).filter((each) => each !== target),
          });
      const [first] = Object.keys(value);
      const last = Object.keys(value).at(-1);
      if (first !== undefined && last !== undefined)
        addChange(`move ${last} to ${first} added`, name, {
          ...value,
          [last]: [...(value[last] as readonly Json[]), first],
        });
    } else if (isObject(value) && (name === "totals" || name === "where")) {
      for (const key of Object.keys(value)) {
        const { [key]: _gone, ...rest } = value;
        addChange(`${name} without ${key}`, name, rest);
      }
    } else if (["first", "last", "unless", "end"].includes(name) && typeof value === "string")
      addChange(`${name} removed`, name, undefined);
  }
  for (const name of OPTIONAL[member] ?? [])
    if (declared[name] === undefined) {
      const more = findOtherType(protocol, declared, []);
      if (more !== undefined) addChange(`${name} with ${more}`, name, [more]);
    }
  if (member === "lifecycles") {
    const other = findOtherKey(protocol, declared);
    if (other !== undefined) addChange(`key is ${other}`, "key", other);
  }
  return found;
}

/** Returns an event type that the declaration does not name, preferably one that has its key. */
function findOtherType(protocol: Protocol, declared: JsonObject, list: readonly Json[]): string | undefined {
  const text = JSON.stringify(declared);
  const isFree = ({ type }: { readonly type: string }): boolean =>
    !text.includes(JSON.stringify(type)) && !list.includes(type);
  const key = Array.isArray(declared.key) ? declared.key[0] : declared.key;
  const fitting = protocol.events.filter(
    (event) => isFree(event) && (typeof key !== "string" || collectEventFields(protocol, event).has(key)),
  );
  return (fitting[0] ?? protocol.events.find(isFree))?.type;
}

/** Returns another field that all event types of the declaration have. */
function findOtherKey(protocol: Protocol, declared: JsonObject): string | undefined {
  const types = [...(declared.start as readonly string[]), ...(declared.end as readonly string[])];
  const fields = protocol.events
    .filter(({ type }) => types.includes(type))
    .map((event) => collectEventFields(protocol, event));
  return [...(fields[0] ?? [])].find(
    (name) => name !== declared.key && fields.every((each) => each.has(name)),
  );
}

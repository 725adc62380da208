/** Steps that put fields at other places or add them. */
import { not, or } from "../../contain/preimage/predicate.js";
import { addShape, SCALAR } from "../../contain/preimage/presence.js";
import type { Source } from "../../contain/preimage/pull-back-schema.js";
import { areEqual, joinPointer, splitPointer } from "../../json.js";
import type { ConstantStep, DefaultStep, MoveStep, RenameTypeStep } from "../../protocol/upcast.js";
import { describeAlias, describeReplacement, isBlocked } from "./place-effects.js";
import { addDefaultShape, describeValue, moveShape } from "./place-shapes.js";
import { findField, type StepBehaviour } from "./step-kind.js";

/** Gives events another type. */
export function readRenameType({ to, field }: RenameTypeStep): StepBehaviour {
  return {
    changeShape: (shape, discriminator) => addShape(shape, [field ?? discriminator], SCALAR),
    change: (_event, { discriminator }) => {
      const place = joinPointer("", field ?? discriminator);
      return { kind: "changed", removed: [place], targets: [{ to: place, value: to }] };
    },
    describeEffect: (_places, discriminator) => ({
      isActive: true,
      domain: true,
      changes: [{ path: [field ?? discriminator], source: { kind: "constant", value: to } }],
    }),
    follow: (findMatch, discriminator) => {
      const found = findMatch(joinPointer("", field ?? discriminator));
      return found?.rest.length === 0 ? { fate: "mapped", found: { ...found, isPartial: false } } : undefined;
    },
    formatCall: (discriminator) => ["set_value", [field ?? discriminator], to],
    formatSql: (sql, discriminator) => ({
      isActive: "true",
      changes: [sql.setValue([field ?? discriminator], sql.formatJson(to))],
    }),
    invert: () => "an event type does not tell which one it was before.",
  };
}

/** Moves or renames a field. */
export function readMove({ from, to, alias = false }: MoveStep): StepBehaviour {
  const [path, target] = [splitPointer(from), splitPointer(to)];
  const source: Source = { kind: "same", path };
  return {
    changeShape: (shape) => moveShape(shape, [path], [target]),
    change: (event) => {
      const value = findField(event, from);
      if (value === undefined) return undefined;
      const isMerged = alias && findField(event, to) !== undefined;
      return { kind: "changed", removed: [from], targets: isMerged ? [] : [{ to, value }] };
    },
    describeEffect: (places) =>
      alias
        ? describeAlias(path, target, source, places)
        : describeReplacement({ paths: [path], schema: true }, [{ path: target, source }], places),
    follow: (findMatch) => {
      const found = findMatch(from);
      if (found !== undefined) return { fate: alias ? "merged" : "moved", found, move: { from, to: [to] } };
      const blocked = findMatch(to);
      return blocked && { fate: alias ? "merged" : "in the way", found: blocked };
    },
    formatCall: () => [alias ? "move_alias" : "move", path, target],
    formatSql: (sql) => {
      const found = sql.find("event", path);
      // If both names are there, the value at the old one is left out.
      const isFree = `${sql.find("event", target)} IS NULL`;
      return {
        isActive: `${found} IS NOT NULL`,
        value: alias ? `CASE WHEN ${isFree} THEN ${found} END` : found,
        changes: [
          sql.removeValue(path),
          `CASE WHEN value IS NULL THEN event ELSE ${sql.addValue(target, "value")} END`,
        ],
      };
    },
    // Readers of the earlier version know both names of an alias.
    invert: () => (alias ? [] : [{ step: "move", from: to, to: from }]),
  };
}

/** Adds a field with a fixed value. */
export function readConstant({ to, value, replaces }: ConstantStep): StepBehaviour {
  const path = splitPointer(to);
  return {
    changeShape: (shape) => addShape(shape, path, describeValue(value)),
    change: (event) => {
      const present = findField(event, to);
      const isReplaced = replaces !== undefined && present !== undefined && areEqual(present, replaces);
      return { kind: "changed", removed: isReplaced ? [to] : [], targets: [{ to, value }] };
    },
    describeEffect: (places) => ({
      isActive: true,
      domain: or(
        not(isBlocked(path, places)),
        replaces === undefined ? false : places.hasValueAt(path, { const: replaces }),
      ),
      changes: [{ path, source: { kind: "constant", value } }],
    }),
    follow: (findMatch) => {
      const found = findMatch(to);
      const isReplaced = replaces !== undefined && found?.rest.length === 0;
      return found && { fate: isReplaced ? "mapped" : "in the way", found };
    },
    formatCall: () => (replaces === undefined ? ["add", path, value] : ["replace", path, value, replaces]),
    formatSql: (sql) => {
      const added = sql.addValue(path, sql.formatJson(value));
      if (replaces === undefined) return { isActive: "true", changes: [added] };
      const replaced = sql.setValue(path, sql.formatJson(value));
      return {
        isActive: "true",
        value: sql.find("event", path),
        changes: [`CASE WHEN ${sql.isOneOf("value", [replaces])} THEN ${replaced} ELSE ${added} END`],
      };
    },
    invert: () =>
      replaces === undefined
        ? []
        : [{ step: "constant", to, value: replaces, replaces: value, when: { [to]: [value] } }],
  };
}

/** Adds a field where it is absent. */
export function readDefault({ to, value }: DefaultStep): StepBehaviour {
  const path = splitPointer(to);
  return {
    changeShape: (shape) => addDefaultShape(shape, path, value),
    change: (event) =>
      findField(event, to) === undefined
        ? { kind: "changed", removed: [], targets: [{ to, value }] }
        : undefined,
    describeEffect: (places) => ({
      isActive: not(places.isPresentAt(path)),
      domain: not(isBlocked(path, places)),
      changes: [{ path, source: { kind: "constant", value } }],
    }),
    follow: () => undefined,
    formatCall: () => ["add_default", path, value],
    formatSql: (sql) => ({
      isActive: "value IS NULL",
      value: sql.find("event", path),
      changes: [sql.addValue(path, sql.formatJson(value))],
    }),
    invert: () => [],
  };
}

import { lifecycleMembers } from "../../conform/rules/lifecycles.js";
import { canonical, type Json } from "../../json.js";
import type { KitEvent } from "../../sample/event-maker.js";
import { remembered } from "../../sample/remembered.js";
import { payloadOf, withPayload } from "../alter.js";
import type { KitProtocol } from "../kit-protocol.js";
import { type Law, needsRules } from "../law.js";
import type { Trial } from "../trial.js";
import { sameView } from "../view.js";
import { expectSame } from "./basic.js";

/** Ids are names and nothing else; and some may be missing. */
export const idLaws: readonly Law[] = [
  {
    id: "proto-id",
    law: "An id may be __proto__, constructor or any other name of a built-in property.",
    absent: needsRules("lifecycles"),
    ended: false,
    check: (trial) => renamed(trial, [trial.random.pick(INHERITED)]),
  },
  {
    id: "id-opaque",
    law: "Ids are strings: they are not numbers, even if they look like numbers, and they do not imply an order.",
    absent: needsRules("lifecycles"),
    ended: false,
    check: (trial) =>
      renamed(
        trial,
        trial.random.pick(NUMERIC).map((id) => [lettered(id), id] as const),
      ),
  },
  {
    id: "artifact-missing",
    law: "Tool events work without any artifact id.",
    absent: (protocol) =>
      artifactFields(protocol).length === 0 ? "no event of this protocol may have an artifact id" : undefined,
    check: checkArtifacts,
  },
];

/** A harmless name of the same length, and the one that is in its place. */
type Renaming = readonly [harmless: string, id: string];

const INHERITED: readonly [Renaming, ...Renaming[]] = [
  ["__prot0__", "__proto__"],
  ["c0nstruct0r", "constructor"],
  ["t0String", "toString"],
  ["has0wnProperty", "hasOwnProperty"],
];

/** Ids that are one number, numbers that are rounded, and whole numbers, which objects put in order. */
const NUMERIC: readonly [readonly [string, string], ...(readonly [string, string])[]] = [
  ["0070000001", "0000000000070000001"],
  ["9007199254740993", "9007199254740992"],
  ["70000001", "30000001"],
];

function lettered(id: string): string {
  return id.replace(/\d/g, (digit) => "qrstuvwxyz".charAt(Number(digit)));
}

/** Things with these ids look like things with the harmless ones. */
function renamed(trial: Trial, renamings: readonly Renaming[]): void {
  for (const rule of trial.rules.lifecycles ?? []) {
    const members = lifecycleMembers(trial.model, rule);
    const middle = [...new Set([0, 1, 2].map(() => trial.random.below(members.length)))].flatMap(
      (at) => members[at] ?? [],
    );
    const types = [rule.start[0], ...middle, rule.end[0]].flatMap((type) =>
      type === undefined ? [] : [type],
    );
    const tell = (ids: readonly string[]): KitEvent[] => {
      const builder = trial.builder();
      const told = types.flatMap((type, at) =>
        ids.map((id) => builder.send(builder.cursor(0), { type, wanted: { [rule.key]: id } }, at + 1)),
      );
      return told.filter((event) => event !== undefined);
    };
    const harmless = tell(renamings.map(([name]) => name));
    const weird = tell(renamings.map(([, id]) => id));
    if (harmless.length === 0 || weird.length !== harmless.length) continue;
    const wanted = trial.tryView([...trial.events, ...harmless]);
    if (wanted === undefined) continue;
    const longestFirst = renamings.toSorted(([a], [b]) => b.length - a.length);
    const back = (text: string): string =>
      longestFirst.reduce((all, [name, id]) => all.replaceAll(name, id), text);
    const found = trial.view([...trial.events, ...weird]);
    const names = renamings.map(([, id]) => `"${id}"`).join(" and ");
    expectSame(trial, JSON.parse(back(canonical(wanted))) as Json, found, `With ${names} as ${rule.key}`);
  }
}

interface ArtifactField {
  readonly type: string;
  readonly fields: readonly string[];
}

/** Optional fields with ids of artifacts in events that have a life of their own. */
const artifactFields = remembered(({ schemas, rules }: KitProtocol): readonly ArtifactField[] => {
  const keys = (rules?.lifecycles ?? []).map(({ key }) => key);
  return Object.entries(schemas.events).flatMap(([type, { payload }]) => {
    const { properties = {}, required = [] } = payload as {
      readonly properties?: { readonly [name: string]: unknown };
      readonly required?: readonly string[];
    };
    const names = Object.keys(properties);
    if (!keys.some((key) => names.includes(key))) return [];
    const fields = names.filter((name) => /artifact\w*_ids?$/i.test(name) && !required.includes(name));
    return fields.length === 0 ? [] : [{ type, fields }];
  });
});

function checkArtifacts(trial: Trial): void {
  const { protocol, rules } = trial;
  const fields = artifactFields(protocol);
  const chosen = fields[trial.random.below(fields.length)];
  const key = rules.lifecycles?.find(({ key }) => {
    const { properties = {} } = (protocol.schemas.events[chosen?.type ?? ""]?.payload ?? {}) as {
      readonly properties?: object;
    };
    return Object.hasOwn(properties, key);
  })?.key;
  if (chosen === undefined || key === undefined) return;
  const builder = trial.builder();
  const start = rules.lifecycles?.find((rule) => rule.key === key)?.start[0] ?? "";
  const id = builder.fresh(chosen.type, key, 1);
  const begun =
    start === chosen.type
      ? undefined
      : builder.send(builder.cursor(0), { type: start, wanted: { [key]: id } }, 1);
  const artifacts = Object.fromEntries(
    chosen.fields.map((field) => [field, builder.fresh(chosen.type, field, 2)]),
  );
  const full = builder.send(builder.cursor(0), { type: chosen.type, wanted: { ...artifacts, [key]: id } }, 2);
  if (full === undefined || Object.keys(payloadOf(protocol, full)).length === 0) return;
  const bare = withPayload(protocol, full, (payload) =>
    Object.fromEntries(Object.entries(payload).filter(([name]) => !chosen.fields.includes(name))),
  );
  if (protocol.decodeEvent(bare).kind !== "known") return;
  const before = [...trial.events, ...(begun ? [begun] : [])];
  const without = trial.tryView(before);
  const shown = trial.view([...before, bare]);
  if (without !== undefined && trial.matters(before, [full]) === true && sameView(without, shown))
    trial.fail(`${chosen.type} is shown with ${chosen.fields.join(" and ")} only`);
}

/** Names that went, each once, and what has been said of them already. */
import type { Protocol } from "../../protocol/protocol.js";
import { isBreak, type Judged } from "../change.js";
import type { Evidence, Fact } from "../rules/rule.js";
import { resourceNamed, resourceSubjects } from "../subjects.js";
import { keyOf, type Ledger, type Name, type PastNames, withoutShared } from "./released-names.js";

/** A fact about a name; `name` of the current side stands in `after`, one of a release in `before`. */
export function factOf(
  kind: string,
  { name, event, path, stability, spot }: Name,
  side: "before" | "after",
  more: object = {},
): Fact {
  const occurrences = [{ event, path, steps: [], stability }];
  return { kind, name, occurrences, claim: {}, [side]: spot, ...more };
}

/** The name that another one says it replaces. */
export function declared(name: Name): Name | undefined {
  if (name.renamedFrom === undefined) return undefined;
  return { ...name, name: name.renamedFrom, ...(name.kind === "event" && { event: name.renamedFrom }) };
}

/** Names that went and are known, with the newest version that held each; not those that an error speaks of already. */
export function gone({ ledger, changes }: Evidence): { name: Name; from: PastNames }[] {
  const found = new Map<string, { name: Name; from: PastNames }>();
  const binding = ledger.past.filter((each) => each.released && each.binding);
  const spoken = spokenOf(changes);
  const narrowed = narrowedBy(changes);
  for (const version of binding) {
    const { names, protocol, compared } = version;
    const missing = [...names.values()].filter((name) => !ledger.current.names.has(keyOf(name)));
    for (const name of withoutShared(missing)) {
      const key = keyOf(name);
      const lost = comparable(name, protocol, ledger) && !name.fixed;
      if (lost && !spoken(name) && (!compared || name.kind === "event" || narrowed(name)))
        found.set(key, { name, from: version });
    }
  }
  const resources = new Set(resourceSubjects(ledger.current.protocol).map(({ type }) => type));
  const eventGone = ({ event, kind }: Name) =>
    kind !== "event" &&
    event !== "" &&
    !resources.has(event) &&
    !ledger.current.names.has(keyOf({ kind: "event", name: event, event, path: "" }));
  // With an event or resource its fields are gone, and with a field those inside of it.
  return [...found.values()].filter(
    ({ name }) => !eventGone(name) && !(name.kind !== "event" && holderGone(name, ledger)),
  );
}

/** Whether an event has lost anything: where all that could be said still can be, a name is only written otherwise. */
function narrowedBy(changes: readonly Judged[]): (name: Name) => boolean {
  const lost = changes.filter(({ proof }) => proof.left !== undefined || proof.undecided !== undefined);
  const events = new Set(lost.flatMap(({ occurrences }) => occurrences.map(({ event }) => event)));
  return ({ event }) => events.has(event) || events.has("") || (event === "" && events.size > 0);
}

/** Whether a name's place means the same in both versions: it does not where messages are laid out differently. */
function comparable({ kind, event }: Name, { envelope: old }: Protocol, { current }: Ledger): boolean {
  const now = current.protocol.envelope;
  const isLaidOut = kind !== "event" && resourceNamed(event) === undefined;
  return !isLaidOut || (old.placement === now.placement && old.property === now.property);
}

/** Whether one of the fields that lead to a name is gone. */
function holderGone({ event, path }: Name, { past, current }: Ledger): boolean {
  const tokens = path.split("/").filter((token) => token !== "*");
  const keys = tokens.map((name, i) =>
    keyOf({ kind: "field", event, path: tokens.slice(0, i).join("/"), name }),
  );
  return keys.slice(1).some((key) => !current.names.has(key) && past.some(({ names }) => names.has(key)));
}

/** Kinds that can take all names below their place with them. */
const STRUCTURAL = /^(event-|layout-|branch|contract-|condition-changed|type-changed|type-narrowed)/;

/** Whether a finding about the removal itself is an error already: it says all there is to do. */
export function spokenOf(changes: readonly Judged[]): (name: Name) => boolean {
  const errors = changes.filter(
    ({ proof, otherMajor, waived, occurrences }) =>
      !otherMajor &&
      waived !== true &&
      isBreak(proof) &&
      occurrences.some(({ stability }) => stability !== "experimental"),
  );
  const known = new Set(
    errors.flatMap(({ name, from, occurrences, rename }) => {
      const paths = [
        name,
        ...[from ?? []].flat().map(String),
        ...(rename?.members ?? []).map(([old]) => old),
      ];
      // A move says where from.
      const names = paths.flatMap((each) => [each, each.slice(each.lastIndexOf("/") + 1)]);
      return occurrences.flatMap(({ event }) => names.map((each) => `${event} ${each}`));
    }),
  );
  const places = errors.filter(({ kind }) => STRUCTURAL.test(kind)).flatMap(({ occurrences }) => occurrences);
  const inside = ({ event, path }: Name): boolean =>
    places.some((at) => (at.event === event || at.event === "") && `${path}/`.startsWith(`${at.path}/`));
  return (name) => known.has(`${name.event} ${name.name}`) || known.has(` ${name.name}`) || inside(name);
}

import type { Json } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
import type { KitEvent } from "../../sample/event-maker.js";
import { firstDemands } from "../../sample/merged-schema.js";
import { remembered } from "../../sample/remembered.js";
import { statements } from "../../schema/describe.js";
import { withPayload } from "../alter.js";
import type { Trial } from "../trial.js";
import { differences } from "../view.js";

/** Texts about the first thing, about the second, and a text that replaces either. */
export const [ONE, TWO, OTHER] = ["qzalpha words", "qzgamma words", "qzother words"] as const;

/** An event type, and a field of its payload. */
export interface Said {
  readonly type: string;
  readonly field: string;
}

/** An event out of `types` and a field of it that takes any text, by chance; none if there is none. */
export function spoken(trial: Trial, types: readonly string[]): Said | undefined {
  return spokenOf(trial, types, 1)[0];
}

/** As `spoken`, up to `count` different ones: a consumer may show few types. */
export function spokenOf({ model, random }: Trial, types: readonly string[], count: number): readonly Said[] {
  const left = freeFields(model).filter(({ type }) => types.includes(type));
  return Array.from({ length: Math.min(count, left.length) }, () =>
    left.splice(random.below(left.length), 1),
  ).flat();
}

const freeFields = remembered(({ events, definitions }: Protocol): readonly Said[] => {
  return events.flatMap(({ type, payload }) =>
    [...firstDemands([payload], definitions).properties].flatMap(([field, declared]) => {
      const { types, values, description } = firstDemands(declared, definitions);
      const isLimited = (["pattern", "format", "maxLength", "items"] as const).some(
        (keyword) => statements(description, keyword).length > 0,
      );
      return types?.[0] === "string" && values === undefined && !isLimited ? [{ type, field }] : [];
    }),
  );
});

/** The places of a snapshot that show the first thing, and those that show the second. */
interface Places {
  readonly one: readonly string[];
  readonly two: readonly string[];
}

/** The depth at which the places of two things part, one after the other: that of the box, the line or the run. */
export function depthOf({ one: [one = ""], two: [two = ""] }: Places): number {
  const [a, b] = [one.split("/"), two.split("/")];
  const parting = a.findIndex((token, index) => token !== b[index]);
  return parting === -1 ? a.length : parting + 1;
}

/** Whether both things are in one place, seen no deeper than `depth`. */
export function shared({ one, two }: Places, depth: number): boolean {
  const outer = (place: string): string => place.split("/").slice(0, depth).join("/");
  const places = new Set(two.map(outer));
  return one.some((place) => places.has(outer(place)));
}

/** Whether each thing has a place, and no other has it. */
export function areApart(places: Places | undefined): places is Places {
  if (places === undefined || places.one.length === 0 || places.two.length === 0) return false;
  return !shared(places, depthOf(places));
}

/** Returns the places where the snapshot changes with the text about the first thing, and with that about the second. */
export function placesOf(
  trial: Trial,
  events: readonly KitEvent[],
  field: string,
  quiet: boolean,
): Places | undefined {
  const view = quiet ? trial.tryView(events) : trial.view(events);
  const without = (text: string): Json | undefined =>
    trial.tryView(
      events.map((event) =>
        withPayload(trial.protocol, event, (payload) =>
          payload[field] === text ? { ...payload, [field]: OTHER } : payload,
        ),
      ),
    );
  const [one, two] = [without(ONE), without(TWO)];
  if (view === undefined || one === undefined || two === undefined) return undefined;
  return { one: differences(view, one), two: differences(view, two) };
}

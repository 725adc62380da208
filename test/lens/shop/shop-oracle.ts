/** Decides by running consumers on random streams whether a change of the shop reaches them. It knows neither lenses nor the kit. */
import { isDeepStrictEqual } from "node:util";
import { isObject, type Json, type JsonObject } from "../../../generator/json.js";
import { createRandom, type Random } from "../../../generator/random.js";
import { SHOP } from "./shop.js";
import type { ShopChange, ShopEvent } from "./shop-changes.js";

/** What a consumer shows of events. */
type Show = (events: readonly ShopEvent[]) => unknown;

const STREAMS = 80;
const EVENTS = 25;

/** Returns a value that a schema of the shop allows. */
function makeValue(schema: JsonObject, random: Random): Json {
  const listed = schema.enum ?? schema["x-extensible-enum"];
  if (Array.isArray(listed)) return random.pick(listed);
  if (schema.type === "boolean") return random.chance(0.5);
  if (schema.type === "array") {
    const count = random.below(Number(schema.maxItems) + 1);
    return Array.from({ length: count }, () => makeValue(schema.items as JsonObject, random));
  }
  if (isObject(schema.properties)) {
    const fields = Object.entries(schema.properties);
    return Object.fromEntries(fields.map(([name, field]) => [name, makeValue(field as JsonObject, random)]));
  }
  if (schema.format === "date-time") return new Date(random.below(2_000_000_000) * 1000).toISOString();
  if (schema.type === "string") return "word ".repeat(random.below(Number(schema.maxLength ?? 50) / 5));
  const { minimum, maximum = 100 } = schema as { minimum: number; maximum?: number };
  // Small values are as frequent as others.
  const span = random.chance(0.3) ? (maximum - minimum) / 500 : maximum - minimum;
  const value = minimum + random.next() * span;
  return schema.type === "integer" ? Math.round(value) : value;
}

function makeStream(seed: number): ShopEvent[] {
  const random = createRandom(seed);
  return Array.from({ length: EVENTS }, (_, index) => {
    const type = random.pick(Object.keys(SHOP));
    const { fields = {}, required = [] } = SHOP[type] ?? {};
    const data = Object.entries(fields).flatMap(([name, schema]): [string, Json][] =>
      required.includes(name) || random.chance(0.5) ? [[name, makeValue(schema, random)]] : [],
    );
    const shop = random.pick(["north", "south"]);
    return { type, shop, id: `${seed}-${index}`, number: 0, data: Object.fromEntries(data) };
  });
}

/** Returns the events with the numbers that a writer gives them. */
function numberEvents(events: readonly ShopEvent[]): ShopEvent[] {
  const next = new Map<string, number>();
  return events.map((event) => {
    const number = next.get(event.shop) ?? 0;
    next.set(event.shop, number + 1);
    return { ...event, number };
  });
}

function showOrThrow(show: Show, events: readonly ShopEvent[]): unknown {
  try {
    return show(numberEvents(events));
  } catch (error) {
    return `threw ${String(error)}`;
  }
}

/** Returns whether the consumer shows something else after a change. */
export function isReachedInStreams(show: Show, { carries, isChosen = false }: ShopChange): boolean {
  const streams = Array.from({ length: STREAMS }, (_, seed) => makeStream(seed + 1));
  const isDifferent = (carry: ShopChange["carries"][number]): boolean =>
    streams.some((events) => {
      const carried = events.map(carry).filter((event) => event !== undefined);
      return !isDeepStrictEqual(showOrThrow(show, carried), showOrThrow(show, events));
    });
  return isChosen ? carries.every(isDifferent) : carries.some(isDifferent);
}

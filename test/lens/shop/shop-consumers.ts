/** Consumers of the shop in JavaScript. `consumers.py` has the same ones in Python. */
import type { Json, JsonObject } from "../../../generator/json.js";
import type { Adapter } from "../../../generator/kit/index.js";

interface Event {
  readonly type: string;
  readonly shop: string;
  readonly number: number;
  // biome-ignore lint/suspicious/noExplicitAny: these consumers trust the contract, as untyped frontends do.
  readonly data: any;
}

type Show = (events: readonly Event[]) => unknown;

const select = (events: readonly Event[], type: string): readonly Event["data"][] =>
  events.filter((event) => event.type === type).map(({ data }) => data);

const count = (values: readonly unknown[]): number => values.filter(Boolean).length;

const KNOWN = ["order.placed", "order.paid", "order.shipped", "order.cancelled"];
const HIDDEN = ["stock.changed", "review.left", "heartbeat"];

/** What the consumers show, by their names. */
export const SHOP_VIEWS: { readonly [name: string]: Show } = {
  nothing: () => "ready",
  types: (events) => events.map(({ type }) => type),
  timeline: (events) =>
    events.flatMap(({ type }) =>
      HIDDEN.includes(type) ? [] : [KNOWN.includes(type) ? type : `unknown: ${type}`],
    ),
  unknown_types: (events) =>
    events.filter(({ type }) => !KNOWN.includes(type) && !HIDDEN.includes(type)).map(({ type }) => type),
  large_orders: (events) => count(select(events, "order.placed").map(({ total }) => total > 500_000)),
  small_orders: (events) => count(select(events, "order.placed").map(({ total }) => total < 2_000)),
  revenue: (events) => select(events, "order.placed").reduce((sum, { total }) => sum + total, 0),
  pounds: (events) => count(select(events, "order.placed").map(({ currency }) => currency === "GBP")),
  channels: (events) =>
    select(events, "order.placed").map(({ channel }) =>
      channel === "web" ? "W" : channel === "app" ? "A" : "other",
    ),
  methods: (events) => select(events, "order.paid").map(({ method }) => method ?? null),
  cards: (events) =>
    select(events, "order.paid").map(({ method }) => (method === "card" ? "card" : "something else")),
  carriers: (events) =>
    select(events, "order.shipped").map(({ carrier }) => {
      if (carrier === "dhl") return "yellow";
      if (carrier === "ups") return "brown";
      if (carrier === "post") return "red";
      throw new Error(`unknown carrier ${carrier}`);
    }),
  heavy: (events) => count(select(events, "order.shipped").map(({ weight }) => weight > 50)),
  light: (events) => count(select(events, "order.shipped").map(({ weight }) => weight < 10)),
  arrivals: (events) => select(events, "order.shipped").map(({ eta }) => String(eta ?? "soon").slice(0, 10)),
  refunds: (events) =>
    select(events, "order.cancelled").map(({ refund }) => (refund ? "money back" : "kept")),
  frauds: (events) => count(select(events, "order.cancelled").map(({ reason }) => reason === "fraud")),
  bad_reviews: (events) =>
    select(events, "review.left").flatMap(({ rating, text }) => (rating <= 2 ? [text ?? "no words"] : [])),
  stars: (events) => select(events, "review.left").map(({ rating }) => `${rating} of 5`),
  low_stock: (events) => count(select(events, "stock.changed").map(({ level }) => level < 100)),
  jumps: (events) =>
    count(select(events, "stock.changed").map(({ delta }) => delta > 5_000 || delta < -5_000)),
  articles: (events) =>
    select(events, "order.placed").flatMap(({ items }) =>
      (items ?? []).map(({ sku }: JsonObject) => sku ?? null),
    ),
  many_items: (events) => count(select(events, "order.placed").map(({ items }) => (items ?? []).length > 20)),
  long_notes: (events) => count(select(events, "order.placed").map(({ note }) => (note ?? "").length > 250)),
  fees: (events) => select(events, "order.paid").map(({ fee }) => fee ?? 0),
  overload: (events) => count(select(events, "heartbeat").map(({ load }) => load > 0.9)),
  last: (events) => events.at(-1)?.type ?? null,
  gaps: (events) => {
    const next = new Map<string, number>();
    return events.flatMap(({ shop, number }) => {
      const expected = next.get(shop) ?? number;
      next.set(shop, Math.max(expected, number + 1));
      return number > expected ? [`${shop}: ${expected}`] : [];
    });
  },
  notes_in_pounds: (events) =>
    select(events, "order.placed").flatMap(({ currency, note }) => (currency === "GBP" ? [note ?? "-"] : [])),
  large_on_web: (events) =>
    count(select(events, "order.placed").map(({ total, channel }) => total > 300_000 && channel === "web")),
  best_order: (events) =>
    select(events, "order.placed").toSorted((a, b) => b.total - a.total)[0]?.order_id ?? null,
  five_stars: (events) => count(select(events, "review.left").map(({ rating }) => rating === 5)),
  load_colours: (events) => select(events, "heartbeat").map(({ load }) => (load < 0.5 ? "green" : "red")),
  sold_out: (events) => count(select(events, "stock.changed").map(({ level }) => level === 0)),
  directions: (events) => select(events, "stock.changed").map(({ delta }) => (delta < 0 ? "down" : "up")),
  mean_weight: (events) => {
    const weights = select(events, "order.shipped").map(({ weight }) => weight);
    return weights.length === 0
      ? 0
      : Math.round(weights.reduce((sum, each) => sum + each, 0) / weights.length);
  },
  tags: (events) => select(events, "review.left").map(({ tags }) => (tags ?? []).join(" ")),
  unpaid: (events) => {
    const paid = select(events, "order.paid").map(({ order_id }) => order_id);
    return select(events, "order.placed").filter(({ order_id }) => !paid.includes(order_id)).length;
  },
  regrets: (events) =>
    count(select(events, "order.cancelled").map(({ reason, refund }) => reason === "customer" && refund)),
  pieces: (events) =>
    select(events, "order.placed").map(({ items }) =>
      (items ?? []).reduce((sum: number, item: { count: number }) => sum + item.count, 0),
    ),
  later: (events) =>
    count(select(events, "order.paid").map(({ method }) => method === "voucher" || method === "invoice")),
  trackable: (events) => select(events, "order.shipped").map((data) => "tracking" in data),
  heavy_parcels: (events) =>
    count(select(events, "order.shipped").map(({ weight, carrier }) => weight > 50 && carrier === "dhl")),
  currencies: (events) => {
    const last: { [shop: string]: unknown } = {};
    for (const { type, shop, data } of events)
      if (type === "order.placed") last[shop] = data.currency ?? null;
    return last;
  },
  happy: (events) => count(select(events, "review.left").map(({ rating }) => rating >= 4)),
  until_fraud: (events) => {
    const index = events.findIndex(({ type, data }) => type === "order.cancelled" && data.reason === "fraud");
    return index < 0 ? events.length : index;
  },
  pages: (events) =>
    events.filter(({ type }) => type === "order.placed").map(({ data }) => JSON.stringify(data).length > 0),
};

/** Returns the consumer of a view. */
export function createShopAdapter(show: Show): Adapter {
  return {
    create() {
      const events: Event[] = [];
      return {
        push: (event: never) => void events.push(event),
        snapshot: () => structuredClone(show(events) ?? null) as Json,
      };
    },
  };
}

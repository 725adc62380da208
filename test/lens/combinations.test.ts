/** If this fails, a lens says that a consumer does not depend on a field that it shows in some events only. */
import { expect, it } from "vitest";
import type { Adapter } from "../../generator/kit/index.js";
import type { KitProtocol } from "../../generator/kit/kit-protocol.js";
import { createLens, type TargetResults } from "../../generator/kit/lens/create-lens.js";
import type { Target } from "../../generator/kit/lens/edit-places.js";
import { planExperiments, recordLens } from "../../generator/kit/lens/record-lens.js";
import { runSteps } from "../../generator/kit/steps.js";
import { loadSchemas } from "../../generator/load/load.js";
import { findReach, LENS_EDITS, type LensEdit } from "../../generator/protocol/lens.js";
import { createPlainSchemas } from "../../generator/protocol/plain-schemas.js";
import { createValidators } from "../../generator/validators/protocol-validators.js";
import { createTemporaryFolder, createTinySchemas } from "../folders.js";

const createList = (...values: readonly string[]) => ({
  type: "string",
  "x-extensible-enum": values,
  description: "A list.",
});
const text = { type: "string", description: "A text." };
const PAYLOAD = {
  title: "An order was placed",
  description: "Sent when somebody orders tea.",
  "x-stability": "candidate",
  "x-since": "1.0",
  type: "object",
  properties: {
    status: createList("open", "paid", "late", "void"),
    channel: createList("web", "shop", "phone", "mail"),
    remark: text,
    amount: { type: "integer", minimum: 0, maximum: 1_000_000, description: "A number." },
    due: { type: "string", format: "date-time", description: "A time." },
    customer: {
      type: "object",
      description: "A customer.",
      properties: { size: createList("small", "large"), zip: text },
    },
  },
  required: ["status"],
};

interface Order {
  readonly type: string;
  readonly data: {
    readonly status: string;
    readonly channel?: string;
    readonly remark?: string;
    readonly amount?: number;
    readonly due?: string;
    readonly customer?: { readonly size?: string; readonly zip?: string };
  };
}

/** Consumers like those in another process, of which no reads are counted. */
const createAdapter = (show: (orders: readonly Order[]) => unknown): Adapter => ({
  receivesCopies: true,
  create() {
    const orders: Order[] = [];
    return { push: (event: never) => void orders.push(event), snapshot: () => show(orders) as never };
  },
});

const CASES: readonly [
  consumer: string,
  path: string,
  edit: LensEdit,
  show: (orders: readonly Order[]) => unknown,
  /** An edit that makes no difference, of all values or of a listed one. */
  unreached?: { readonly edit: LensEdit; readonly value?: string },
][] = [
  [
    "shows a field for one value of each of two lists",
    "/data/remark",
    "removed",
    (orders) =>
      orders.map(({ data }) => data.status === "paid" && data.channel === "mail" && (data.remark ?? "none")),
  ],
  [
    "shows a part of an optional object if another field is missing",
    "/data/customer/zip",
    "removed",
    (orders) => orders.map(({ data }) => data.remark === undefined && (data.customer?.zip ?? "none")),
  ],
  [
    "sorts by a time",
    "/data/due",
    "changed",
    (orders) =>
      orders
        .map(({ data }, index) => [String(data.due), index] as const)
        .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
        .map(([, index]) => index),
  ],
  [
    "knows the beginning of a type",
    "",
    "renamed",
    (orders) => orders.map(({ type }) => type.startsWith("tea.")),
  ],
  ["knows the end of a type", "", "renamed", (orders) => orders.map(({ type }) => type.endsWith(".served"))],
  [
    "warns of amounts above a limit in the upper half of their range",
    "/data/amount",
    "changed",
    (orders) => orders.filter(({ data }) => (data.amount ?? 0) > 900_000).length,
  ],
  [
    "hides the orders and shows unknown event types",
    "",
    "renamed",
    (orders) => orders.filter(({ type }) => type !== "tea.served").map(({ type }) => type),
    { edit: "removed" },
  ],
  [
    "shows whether a text is null",
    "/data/remark",
    "null",
    (orders) => orders.map(({ data }) => data.remark === null),
    { edit: "number" },
  ],
  [
    "compares a listed value with that of the order before",
    "/data/channel",
    "changed",
    (orders) => orders.filter(({ data }, index) => data.channel === orders[index - 1]?.data.channel).length,
    { edit: "changed", value: "mail" },
  ],
];

it.each(CASES)("a consumer that %s depends on %s", async (_consumer, at, edit, show, unreached) => {
  const schemas = createTinySchemas();
  const folder = createTemporaryFolder({
    ...schemas,
    "tiny/v1/events/tea.served.schema.json": JSON.stringify(PAYLOAD),
  });
  const [protocol] = (await loadSchemas(folder)).protocols;
  if (protocol === undefined) throw new Error("The protocol cannot be loaded.");
  const { profiles: validators, decodeEvent } = createValidators(protocol);
  const kit = { ...protocol, validators, decodeEvent, schemas: createPlainSchemas(protocol), releases: [] };
  const lens = await runSteps(
    recordLens(createAdapter(show), planExperiments(kit as unknown as KitProtocol)),
  );
  const place = { event: "tea.served", path: at };
  expect(findReach(lens, place, [edit]).reach).toBe("reached");
  if (unreached === undefined) return;
  expect(findReach(lens, { ...place, ...unreached }, [unreached.edit]).reach).toBe("unreached");
});

it("a lens keeps a part that matters of an object that does not", () => {
  const createResults = (sensitive: readonly LensEdit[]): TargetResults => ({
    sensitive: new Set(sensitive),
    doubtful: new Set(),
    tests: new Map(LENS_EDITS.map((edit) => [edit, 9])),
    halfTests: 0,
    constantRanges: [],
    isIrregular: false,
    isRead: false,
  });
  const createTarget = (...tokens: readonly string[]): Target => ({
    event: "tea.served",
    tokens,
    values: [],
    ranges: {},
  });
  const results = new Map([
    [createTarget("data", "customer"), createResults([])],
    [createTarget("data", "customer", "size"), createResults(["changed"])],
    [createTarget("data", "customer", "zip"), createResults([])],
  ]);
  const lens = createLens([...results.keys()], results);
  const ask = (at: string, edit: LensEdit) =>
    findReach(lens, { event: "tea.served", path: at }, [edit]).reach;
  expect(ask("/data/customer/size", "changed")).toBe("reached");
  expect(ask("/data/customer/zip", "changed")).toBe("unreached");
  expect(ask("/data/customer", "changed")).toBe("unknown");
});

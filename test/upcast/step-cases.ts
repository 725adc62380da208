/** Events before and after steps. */
import type { Json } from "../../generator/json.js";
import type { UpcastStep } from "../../generator/protocol/upcast.js";

/** A case: the event before, the steps, and the event after, or the place of the value that prevents it. */
export type StepCase = readonly [what: string, before: string, steps: readonly UpcastStep[], after: string];

export const move = (from: string, to: string): UpcastStep => ({ step: "move", from, to });
export const constant = (to: string, value: Json, replaces?: Json): UpcastStep =>
  replaces === undefined ? { step: "constant", to, value } : { step: "constant", to, value, replaces };
const split = (from: string, separator: string, ...to: string[]): UpcastStep => ({
  step: "split",
  from,
  separator,
  to,
});

const MAP: UpcastStep = { step: "map", at: "/x", values: { p: "q" } };
const scale = (by: number): UpcastStep => ({ step: "scale", at: "/x", by });

/** Cases of every kind of step. */
export const STEP_CASES: readonly StepCase[] = [
  [
    "a renamed field keeps its place",
    '{"type":"a","x":1,"z":2}',
    [move("/x", "/y")],
    '{"type":"a","y":1,"z":2}',
  ],
  [
    "a field moves into an object that is created",
    '{"type":"a","x":1}',
    [move("/x", "/d/x")],
    '{"type":"a","d":{"x":1}}',
  ],
  [
    "a field moves out of an object",
    '{"type":"a","d":{"x":1,"y":2}}',
    [move("/d/x", "/x")],
    '{"type":"a","d":{"y":2},"x":1}',
  ],
  ["an absent field stays absent", '{"type":"a"}', [move("/x", "/y")], '{"type":"a"}'],
  ["null moves, too", '{"type":"a","x":null}', [move("/x", "/y")], '{"type":"a","y":null}'],
  [
    "two fields change places",
    '{"type":"a","x":1,"y":2}',
    [move("/x", "/t"), move("/y", "/x"), move("/t", "/y")],
    '{"type":"a","y":1,"x":2}',
  ],
  ["an escaped name", '{"type":"a","x/y":1}', [move("/x~1y", "/x~0y")], '{"type":"a","x~y":1}'],
  [
    "__proto__ is a name like others",
    '{"type":"a","__proto__":1}',
    [move("/__proto__", "/y")],
    '{"type":"a","y":1}',
  ],
  ["a value is in the way of a move", '{"type":"a","x":1,"y":1}', [move("/x", "/y")], "failed at /y"],
  [
    "a text is in the way of an object",
    '{"type":"a","x":1,"d":"text"}',
    [move("/x", "/d/x")],
    "failed at /d",
  ],
  ["an array is in the way of an object", '{"type":"a","x":1,"d":[]}', [move("/x", "/d/0")], "failed at /d"],
  [
    "an item of an array is not a field",
    '{"type":"a","d":[1]}',
    [move("/d/0", "/x")],
    '{"type":"a","d":[1]}',
  ],
  [
    "the place is that of the original",
    '{"type":"a","x":1,"y":1}',
    [move("/y", "/z"), move("/x", "/z")],
    "failed at /y",
  ],
  ["a constant", '{"type":"a"}', [constant("/v", { n: [2] })], '{"type":"a","v":{"n":[2]}}'],
  [
    "a constant that replaces a value",
    '{"v":"1","type":"a"}',
    [constant("/v", "2", "1")],
    '{"v":"2","type":"a"}',
  ],
  ["a constant that replaces nothing", '{"type":"a"}', [constant("/v", "2", "1")], '{"type":"a","v":"2"}'],
  ["a constant does not replace others", '{"type":"a","v":"3"}', [constant("/v", "2", "1")], "failed at /v"],
  [
    "a constant does not replace an equal value of a stranger",
    '{"type":"a","v":"2"}',
    [constant("/v", "2")],
    "failed at /v",
  ],
  [
    "a default where a field is absent",
    '{"type":"a"}',
    [{ step: "default", to: "/v", value: 0 }],
    '{"type":"a","v":0}',
  ],
  [
    "no default where a field is null",
    '{"type":"a","v":null}',
    [{ step: "default", to: "/v", value: 0 }],
    '{"type":"a","v":null}',
  ],
  [
    "a split text",
    '{"type":"a","x":"p/q/r"}',
    [split("/x", "/", "/h", "/p")],
    '{"type":"a","h":"p","p":"q/r"}',
  ],
  [
    "a part may keep the name",
    '{"type":"a","x":"p:q"}',
    [split("/x", ":", "/x", "/y")],
    '{"type":"a","x":"p","y":"q"}',
  ],
  [
    "parts may be empty",
    '{"type":"a","x":":"}',
    [split("/x", ":", "/p", "/d/q")],
    '{"type":"a","p":"","d":{"q":""}}',
  ],
  ["a text with too few parts", '{"type":"a","x":"p"}', [split("/x", ":", "/p", "/q")], "failed at /x"],
  ["a number has no parts", '{"type":"a","x":1}', [split("/x", ":", "/p", "/q")], "failed at /x"],
  [
    "a renamed type",
    '{"type":"a","x":1}',
    [{ step: "rename-type", types: ["a"], to: "b" }],
    '{"type":"b","x":1}',
  ],
  [
    "conditions use the earlier type",
    '{"type":"a","x":1}',
    [
      { step: "rename-type", types: ["a"], to: "b" },
      { ...move("/x", "/y"), types: ["b"] },
    ],
    '{"type":"b","x":1}',
  ],
  ["a family of types", '{"type":"a","x":1}', [{ ...move("/x", "/y"), types: ["a*"] }], '{"type":"a","y":1}'],
  [
    "another type",
    '{"type":"a","x":1}',
    [{ ...move("/x", "/y"), types: ["aa", "b*"] }],
    '{"type":"a","x":1}',
  ],
  [
    "an old name beside the new one",
    '{"type":"a","x":1,"y":2}',
    [{ step: "move", from: "/x", to: "/y", alias: true }],
    '{"type":"a","y":2}',
  ],
  [
    "an old name alone",
    '{"type":"a","x":1}',
    [{ step: "move", from: "/x", to: "/y", alias: true }],
    '{"type":"a","y":1}',
  ],
  ["a replaced value", '{"type":"a","x":"p"}', [MAP], '{"type":"a","x":"q"}'],
  ["a value that is not listed", '{"type":"a","x":"toString"}', [MAP], '{"type":"a","x":"toString"}'],
  ["a number in decimal digits", '{"type":"a","x":1005}', [scale(0.001)], '{"type":"a","x":1.005}'],
  ["a product that doubles do not give", '{"type":"a","x":1.1}', [scale(1.1)], '{"type":"a","x":1.21}'],
  ["a product that is too large", '{"type":"a","x":1e+308}', [scale(60)], "failed at /x"],
  ["a text is not multiplied", '{"type":"a","x":"1"}', [scale(2)], "failed at /x"],
  [
    "a condition on a value",
    '{"type":"a","x":1,"z":true}',
    [{ ...move("/x", "/y"), when: { "/z": [false, true] } }],
    '{"type":"a","y":1,"z":true}',
  ],
  [
    "a condition on an absent value",
    '{"type":"a","x":1}',
    [{ ...move("/x", "/y"), when: { "/z": [null] } }],
    '{"type":"a","x":1}',
  ],
  [
    "a stream with a type",
    '{"type":"a","x":1}',
    [{ ...move("/x", "/y"), streamsWith: ["mark.*"] }],
    '{"type":"a","y":1}',
  ],
  [
    "a stream without a type",
    '{"type":"a","x":1}',
    [{ ...move("/x", "/y"), streamsWithout: ["mark.*"] }],
    '{"type":"a","x":1}',
  ],
  [
    "fields of items",
    '{"type":"a","l":[{"x":1,"z":2},{"z":3},4,[{"x":5}]]}',
    [move("/l/*/x", "/l/*/y")],
    '{"type":"a","l":[{"y":1,"z":2},{"z":3},4,[{"x":5}]]}',
  ],
  [
    "items of items",
    '{"type":"a","l":[{"m":[{"x":1}]},{"m":{"x":2}}]}',
    [move("/l/*/m/*/x", "/l/*/m/*/y")],
    '{"type":"a","l":[{"m":[{"y":1}]},{"m":{"x":2}}]}',
  ],
  [
    "items that are texts",
    '{"type":"a","l":["p","r",1]}',
    [{ ...MAP, at: "/l/*" }],
    '{"type":"a","l":["q","r",1]}',
  ],
  [
    "items that become objects",
    '{"type":"a","l":[1]}',
    [move("/l/*", "/l/*/x")],
    '{"type":"a","l":[{"x":1}]}',
  ],
  [
    "a value that is not a list",
    '{"type":"a","l":{"*":{"x":1}}}',
    [move("/l/*/x", "/l/*/y")],
    '{"type":"a","l":{"*":{"x":1}}}',
  ],
  [
    "conditions on the event and on the item",
    '{"type":"a","v":1,"l":[{"x":1,"k":"p"},{"x":1,"k":"q"},{"x":1}]}',
    [{ ...move("/l/*/x", "/l/*/y"), when: { "/v": [1], "/l/*/k": ["p"] } }],
    '{"type":"a","v":1,"l":[{"y":1,"k":"p"},{"x":1,"k":"q"},{"x":1}]}',
  ],
  [
    "a condition on the event that does not hold",
    '{"type":"a","v":2,"l":[{"x":1}]}',
    [{ ...move("/l/*/x", "/l/*/y"), when: { "/v": [1] } }],
    '{"type":"a","v":2,"l":[{"x":1}]}',
  ],
  [
    "a value is in the way in an item",
    '{"type":"a","l":[{},{"x":1,"y":2}]}',
    [move("/l/*/x", "/l/*/y")],
    "failed at /l/1/y",
  ],
  [
    "an item is no object",
    '{"type":"a","l":[1]}',
    [{ step: "default", to: "/l/*/x", value: 1 }],
    "failed at /l/0",
  ],
  [
    "the place in an item is that of the original",
    '{"type":"a","k":[{"x":1,"y":2}]}',
    [move("/k", "/l"), move("/l/*/y", "/l/*/z"), move("/l/*/x", "/l/*/z")],
    "failed at /k/0/y",
  ],
  [
    "values of a map",
    '{"type":"a","m":{"p":{"x":1},"q":2,"*":{"x":3}},"l":[{"x":1}]}',
    [move("/m/{*}/x", "/m/{*}/y"), move("/l/{*}/x", "/l/{*}/y")],
    '{"type":"a","m":{"p":{"y":1},"q":2,"*":{"y":3}},"l":[{"x":1}]}',
  ],
  [
    "a value of a map is in the way",
    '{"type":"a","m":{"p":{"x":1},"q/r":{"x":1,"y":2}}}',
    [move("/m/{*}/x", "/m/{*}/y")],
    "failed at /m/q~1r/y",
  ],
  [
    "an item at a position",
    '{"type":"a","l":[{"x":1},{"x":2}],"m":{"[1]":{"x":3}}}',
    [move("/l/[1]/x", "/l/[1]/y"), move("/m/[1]/x", "/m/[1]/y"), move("/l/[7]/x", "/l/[7]/y")],
    '{"type":"a","l":[{"x":1},{"y":2}],"m":{"[1]":{"x":3}}}',
  ],
  [
    "items from a position on",
    '{"type":"a","l":["p","p","p",1]}',
    [{ ...MAP, at: "/l/[1..]" }],
    '{"type":"a","l":["p","q","q",1]}',
  ],
  [
    "values at every depth, along a path",
    '{"type":"a","t":{"x":1,"c":[{"x":2,"c":[{"x":3}]},4],"d":{"x":5}}}',
    [{ ...move("/t/**/x", "/t/**/y"), through: ["/t/**/c/*"] }],
    '{"type":"a","t":{"y":1,"c":[{"y":2,"c":[{"y":3}]},4],"d":{"x":5}}}',
  ],
  [
    "values at every depth, along two paths that get other names",
    '{"type":"a","t":{"l":{"l":{"v":1},"r":{"v":2}},"r":{"v":3}}}',
    [
      { ...move("/t/**/l", "/t/**/k"), through: ["/t/**/l", "/t/**/r"] },
      { ...move("/t/**/v", "/t/**/w"), through: ["/t/**/k", "/t/**/r"] },
    ],
    '{"type":"a","t":{"k":{"k":{"w":1},"r":{"w":2}},"r":{"w":3}}}',
  ],
  [
    "values at every depth, along all paths",
    '{"type":"a","t":{"x":1,"c":[[{"x":2}]],"x/y":{"x":5}},"x":6}',
    [move("/t/**/x", "/t/**/y")],
    '{"type":"a","t":{"y":1,"c":[[{"y":2}]],"x/y":{"y":5}},"x":6}',
  ],
  [
    "every depth within every depth",
    '{"type":"a","t":{"e":{"x":1,"f":{"x":2}},"c":{"e":{"x":3}}}}',
    [{ ...move("/t/**/e/**/x", "/t/**/e/**/y"), through: ["/t/**/c", "/t/**/e/**/f"] }],
    '{"type":"a","t":{"e":{"y":1,"f":{"y":2}},"c":{"e":{"y":3}}}}',
  ],
  [
    "a condition at every depth",
    '{"type":"a","t":{"k":"p","x":1,"c":{"k":"q","x":2,"c":{"k":"p","x":3}}}}',
    [{ ...move("/t/**/x", "/t/**/y"), when: { "/t/**/k": ["p"] }, through: ["/t/**/c"] }],
    '{"type":"a","t":{"k":"p","y":1,"c":{"k":"q","x":2,"c":{"k":"p","y":3}}}}',
  ],
  [
    "a value is in the way at a depth",
    '{"type":"a","s":{"c":{"x":1,"y":2}}}',
    [move("/s", "/t"), { ...move("/t/**/x", "/t/**/y"), through: ["/t/**/c"] }],
    "failed at /s/c/y",
  ],
];

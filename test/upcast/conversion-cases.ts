/** Values before and after steps that convert them. */
import type { UpcastStep } from "../../generator/protocol/upcast.js";
import type { StepCase } from "./step-cases.js";

/** The JSON of a value, and that of its new value; undefined if the step refuses it. */
type ConversionRow = readonly [before: string, after: string | undefined];

const LARGEST = `17976931348623157${"0".repeat(292)}`;

const DIGITS: readonly ConversionRow[] = [
  ["1", '"1"'],
  ["0", '"0"'],
  ["0.1", '"0.1"'],
  ["-0.5", '"-0.5"'],
  ["-120", '"-120"'],
  ["123.456", '"123.456"'],
  ["1000000000000000", '"1000000000000000"'],
  ["123456789012345680", '"123456789012345680"'],
  ["1e+21", '"1000000000000000000000"'],
  ["1.5e-7", '"0.00000015"'],
  ["1.7976931348623157e+308", `"${LARGEST}"`],
  ["-5e-324", `"-0.${"0".repeat(323)}5"`],
  ['"1"', undefined],
  ["true", undefined],
  ["null", undefined],
  ["[1]", undefined],
];

const NUMBERS: readonly ConversionRow[] = [
  ['"1"', "1"],
  ['"0.10"', "0.1"],
  ['"-12.5"', "-12.5"],
  ['"100"', "100"],
  ['"0"', "0"],
  ['"-0.0"', "0"],
  ['"1.0"', "1"],
  ['"123456789012345"', "123456789012345"],
  ['"0.000000000000001"', "1e-15"],
  ['"999999.999999999"', "999999.999999999"],
  ...["1e3", "007", ".5", "5.", "+1", " 1", "1\\n", "1234567890123456", "0.0000000000000001"].map(
    (text): ConversionRow => [`"${text}"`, undefined],
  ),
  ...["", "NaN", "-", "\u0661", "1,5", "1234567890.123456"].map(
    (text): ConversionRow => [`"${text}"`, undefined],
  ),
  ["1", undefined],
  ["null", undefined],
];

const TIMES_OF_MILLISECONDS: readonly ConversionRow[] = [
  ["0", '"1970-01-01T00:00:00.000Z"'],
  ["-1", '"1969-12-31T23:59:59.999Z"'],
  ["1582934400123", '"2020-02-29T00:00:00.123Z"'],
  ["253402300799999", '"9999-12-31T23:59:59.999Z"'],
  ["-62135596800000", '"0001-01-01T00:00:00.000Z"'],
  ...["0.5", "253402300800000", "-62135596800001", "1e+300", '"0"', "true", "{}"].map(
    (value): ConversionRow => [value, undefined],
  ),
];

const TIMES_OF_SECONDS: readonly ConversionRow[] = [
  ["0", '"1970-01-01T00:00:00Z"'],
  ["951782400", '"2000-02-29T00:00:00Z"'],
  ["253402300799", '"9999-12-31T23:59:59Z"'],
  ...["0.5", "253402300800", "-62135596801", '"0"'].map((value): ConversionRow => [value, undefined]),
];

const TIMES_OF_ROUNDED_SECONDS: readonly ConversionRow[] = [
  ["-0.5", '"1969-12-31T23:59:59Z"'],
  ["1.999", '"1970-01-01T00:00:01Z"'],
  ["253402300799.5", '"9999-12-31T23:59:59Z"'],
  ["253402300800", undefined],
];

const MILLISECONDS: readonly ConversionRow[] = [
  ['"1970-01-01T00:00:00Z"', "0"],
  ['"1970-01-01t00:00:00.5z"', "500"],
  ['"2020-02-29T12:34:56.789+02:30"', "1582970696789"],
  ['"2020-02-29T12:34:56-05:00"', "1582997696000"],
  ['"2016-12-31T23:59:60Z"', "1483228800000"],
  ['"0000-01-01T00:00:00Z"', "-62167219200000"],
  ['"0000-01-01T00:00:00+23:59"', "-62167305540000"],
  ['"9999-12-31T23:59:59.9990000Z"', "253402300799999"],
  ['"1969-12-31T23:59:59.999Z"', "-1"],
  ...[
    "1970-01-01T00:00:00.0001Z",
    "1900-02-29T00:00:00Z",
    "1970-01-01",
    "1970-01-01T24:00:00Z",
    "1970-01-01T00:00:00",
    "1970-01-01T00:00:00Z\\n",
    "1970-01-01 00:00:00Z",
    "1970-13-01T00:00:00Z",
    "",
  ].map((text): ConversionRow => [`"${text}"`, undefined]),
  ["0", undefined],
];

const SECONDS: readonly ConversionRow[] = [
  ['"2000-02-29T00:00:00Z"', "951782400"],
  ['"1970-01-01T00:00:00.00+00:00"', "0"],
  ['"1900-03-01T00:00:00Z"', "-2203891200"],
  ['"1970-01-01T00:00:00.5Z"', undefined],
];

const GROUPS: readonly (readonly [UpcastStep, readonly ConversionRow[]])[] = [
  [{ step: "number-to-text", at: "/x" }, DIGITS],
  [{ step: "text-to-number", at: "/x" }, NUMBERS],
  [{ step: "number-to-time", at: "/x", unit: "milliseconds" }, TIMES_OF_MILLISECONDS],
  [{ step: "number-to-time", at: "/x", unit: "seconds" }, TIMES_OF_SECONDS],
  [{ step: "number-to-time", at: "/x", unit: "seconds", round: "down" }, TIMES_OF_ROUNDED_SECONDS],
  [{ step: "time-to-number", at: "/x", unit: "milliseconds" }, MILLISECONDS],
  [{ step: "time-to-number", at: "/x", unit: "seconds" }, SECONDS],
  [
    { step: "time-to-number", at: "/x", unit: "seconds", round: "down" },
    [['"1969-12-31T23:59:59.9Z"', "-1"]],
  ],
  [
    { step: "time-to-number", at: "/x", unit: "milliseconds", round: "down" },
    [['"1970-01-01T00:00:00.123999Z"', "123"]],
  ],
];

const template = (at: string, text: string): UpcastStep => ({ step: "template", at, text });
const parse = (at: string, text: string): UpcastStep => ({ step: "parse", at, text });

/** Cases of texts with parts. */
const TEXT_CASES: readonly StepCase[] = [
  ["a template", '{"type":"a","f":"A","l":"B"}', [template("/x", "{/f} {/l}")], '{"type":"a","x":"A B"}'],
  [
    "a template with texts around",
    '{"type":"a","f":"A"}',
    [template("/f", "<{/f}>")],
    '{"type":"a","f":"<A>"}',
  ],
  [
    "a template of inner fields",
    '{"type":"a","d":{"f":"","l":"B/"},"z":1}',
    [template("/d/x", "{/d/f}/{/d/l}")],
    '{"type":"a","d":{"x":"/B/"},"z":1}',
  ],
  [
    "a template with braces",
    '{"type":"a","f":"A"}',
    [template("/x", "{{/f}}{y}{}")],
    '{"type":"a","x":"{A}{y}{}"}',
  ],
  ["a template without all fields", '{"type":"a"}', [template("/x", "{/f} {/l}")], '{"type":"a"}'],
  [
    "a template without the first field",
    '{"type":"a","l":"B"}',
    [template("/x", "{/f} {/l}")],
    "failed at /f",
  ],
  [
    "a template without the last field",
    '{"type":"a","f":"B"}',
    [template("/x", "{/f} {/l}")],
    "failed at /l",
  ],
  ["a template of a number", '{"type":"a","f":1,"l":"B"}', [template("/x", "{/f} {/l}")], "failed at /f"],
  ["a template in the way", '{"type":"a","f":"A","x":1}', [template("/x", "{/f}!")], "failed at /x"],
  [
    "a text with two parts",
    '{"type":"a","x":"A B C"}',
    [parse("/x", "{/f} {/l}")],
    '{"type":"a","f":"A","l":"B C"}',
  ],
  ["a text with texts around", '{"type":"a","x":"<A>>"}', [parse("/x", "<{/x}>")], '{"type":"a","x":"A>"}'],
  [
    "a text with empty parts",
    '{"type":"a","x":"://"}',
    [parse("/x", "{/f}://{/d/l}")],
    '{"type":"a","f":"","d":{"l":""}}',
  ],
  [
    "a text with a long separator",
    '{"type":"a","x":"a:b:/c://d://e"}',
    [parse("/x", "{/f}://{/l}")],
    '{"type":"a","f":"a:b:/c","l":"d://e"}',
  ],
  [
    "a text with an overlapping separator",
    '{"type":"a","x":"aaab"}',
    [parse("/x", "{/f}aa{/l}b")],
    '{"type":"a","f":"","l":"a"}',
  ],
  [
    "a text with lines",
    '{"type":"a","x":"a\\nb-c\\n"}',
    [parse("/x", "{/f}-{/l}")],
    '{"type":"a","f":"a\\nb","l":"c\\n"}',
  ],
  ["a text without the separator", '{"type":"a","x":"AB"}', [parse("/x", "{/f} {/l}")], "failed at /x"],
  ["a text without the beginning", '{"type":"a","x":"A>"}', [parse("/x", "<{/f}>")], "failed at /x"],
  ["a text without the end", '{"type":"a","x":"<A"}', [parse("/x", "<{/f}>")], "failed at /x"],
  [
    "a text of which the end is the beginning",
    '{"type":"a","x":"-"}',
    [parse("/x", "-{/f}-")],
    "failed at /x",
  ],
  ["a number without parts", '{"type":"a","x":1}', [parse("/x", "{/f} {/l}")], "failed at /x"],
  ["a part in the way", '{"type":"a","x":"A B","l":1}', [parse("/x", "{/f} {/l}")], "failed at /l"],
  [
    "texts in items, and back",
    '{"type":"a","m":{"p":{"f":"A","l":"B"},"q":{}}}',
    [template("/m/{*}/x", "{/m/{*}/f}, {/m/{*}/l}"), parse("/m/{*}/x", "{/m/{*}/l}, {/m/{*}/f}")],
    '{"type":"a","m":{"p":{"l":"A","f":"B"},"q":{}}}',
  ],
];

/** Cases of every conversion. */
export const CONVERSION_CASES: readonly StepCase[] = [
  ...TEXT_CASES,
  ...GROUPS.flatMap(([step, rows]) =>
    rows.map(([before, after]): StepCase => {
      const what = `${step.step} of ${before.slice(0, 40)}`;
      return [
        what,
        `{"type":"a","x":${before}}`,
        [step],
        after ? `{"type":"a","x":${after}}` : "failed at /x",
      ];
    }),
  ),
  ["no conversion of nothing", '{"type":"a"}', GROUPS.map(([step]) => step), '{"type":"a"}'],
  [
    "times of items",
    '{"type":"a","l":[{"x":0},{"x":1}]}',
    [{ step: "number-to-time", at: "/l/*/x", unit: "seconds" }],
    '{"type":"a","l":[{"x":"1970-01-01T00:00:00Z"},{"x":"1970-01-01T00:00:01Z"}]}',
  ],
  [
    "times at every depth, and back",
    '{"type":"a","t":{"x":0,"c":{"x":1500}}}',
    [
      { step: "number-to-time", at: "/t/**/x", unit: "milliseconds", through: ["/t/**/c"] },
      { step: "time-to-number", at: "/t/**/x", unit: "milliseconds", through: ["/t/**/c"] },
    ],
    '{"type":"a","t":{"x":0,"c":{"x":1500}}}',
  ],
];

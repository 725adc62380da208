/** If this fails, invalid dates, addresses and ids pass validation, or a long text makes it hang. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ANNOTATION_FORMATS, FORMATS } from "../../generator/schema/formats.js";

const accepts = (format: string, text: string): boolean => FORMATS.get(format)?.pattern.test(text) ?? true;

/** Each format with valid and invalid texts. */
const TABLE: readonly [format: string, valid: readonly string[], invalid: readonly string[]][] = [
  [
    "date",
    ["2026-05-03", "2024-02-29", "2000-02-29", "0000-02-29", "9999-12-31", "0001-01-01"],
    [
      "2023-02-29",
      "1900-02-29",
      "2026-02-30",
      "2026-04-31",
      "2026-06-31",
      "2026-13-01",
      "2026-00-10",
      "2026-01-00",
      "2026-01-32",
      "2026-1-1",
      "26-01-01",
      "12026-01-01",
      "+2026-01-01",
      "2026-01-01Z",
      " 2026-01-01",
      "2026-01-01\n",
      "٢٠٢٦-01-01",
      "",
    ],
  ],
  [
    "date-time",
    [
      "2026-05-03T10:24:01Z",
      "2026-05-03t10:24:01z",
      "2026-05-03T10:24:01.123456789Z",
      "2026-05-03T23:59:59+23:59",
      "2026-05-03T10:24:01-00:00",
      "2016-12-31T23:59:60Z",
      "0001-01-01T00:00:00Z",
      "2024-02-29T00:00:00Z",
    ],
    [
      "2026-05-03",
      "2026-02-30T00:00:00Z",
      "2026-05-03 10:00:00Z",
      "2026-05-03T10:00:00",
      "2026-05-03T24:00:00Z",
      "2026-05-03T10:60:00Z",
      "2026-05-03T10:00:61Z",
      "2026-05-03T10:00:60Z",
      "2026-05-03T10:00Z",
      "2026-05-03T10:00:00.Z",
      "2026-05-03T10:00:00+0100",
      "2026-05-03T10:00:00+01",
      "2026-05-03T10:00:00+24:00",
      "2026-05-03T10:00:00+01:60",
      "2026-05-03T10:00:00Z\n",
      "2026-05-03T10:00:00,5Z",
      // A leap second in a time zone with half an hour: RFC 3339 allows it, but nobody sends it.
      "2017-01-01T05:29:60+05:30",
    ],
  ],
  [
    "time",
    ["10:00:00Z", "23:59:60z", "00:00:00.1+01:00"],
    ["10:00:00", "10:00Z", "24:00:00Z", "10:00:00 Z", ""],
  ],
  [
    "uuid",
    [
      "123e4567-e89b-12d3-a456-426614174000",
      "123E4567-E89B-12D3-A456-426614174000",
      "00000000-0000-0000-0000-000000000000",
    ],
    [
      "urn:uuid:123e4567-e89b-12d3-a456-426614174000",
      "123e4567e89b12d3a456426614174000",
      "{123e4567-e89b-12d3-a456-426614174000}",
      "123e4567-e89b-12d3-a456-42661417400",
      "123e4567-e89b-12d3-a456-4266141740000",
      "g23e4567-e89b-12d3-a456-426614174000",
      "",
    ],
  ],
  [
    "uri",
    ["https://example.com/a?b=c#d", "urn:x:y", "file:///etc/hosts", "mailto:a@b.c", "http://[::1]:80/", "a:"],
    [
      "",
      "/a/b",
      "example.com",
      "//example.com/a",
      "http://a b",
      "http://a/%zz",
      "1a:b",
      "http://exämple.com",
      "a\\b:c",
    ],
  ],
  [
    "uri-reference",
    ["", "/a", "a/b", "../x", "#f", "?q", "//h/p", "https://h"],
    ["a b", "\\a", "%", "a#b#c"],
  ],
  ["email", ["a@b.c", "a+b@example.org"], ["a", "@b", "a@", "a b@c.d"]],
  ["hostname", ["a", "example.com", "xn--a.b"], ["", "-a", "a_b", "a..b"]],
  ["ipv4", ["1.2.3.4", "255.255.255.255"], ["1.2.3", "256.1.1.1", "1.2.3.4.5", "01.2.3.4x"]],
  ["ipv6", ["::1", "2001:db8::1", "::ffff:1.2.3.4"], ["1::2::3", ":::", "g::", "1.2.3.4"]],
  ["duration", ["P1D", "PT1H30M", "P2W"], ["", "P", "1D", "PT", "P1Y2W"]],
  ["json-pointer", ["", "/a~1b", "/"], ["a", "/~", "/~2"]],
  ["relative-json-pointer", ["0", "1/a", "2#"], ["", "/a", "01"]],
  ["uri-template", ["/a/{b}", "{?q*}"], ["{", "/a/{b"]],
];

describe("formats", () => {
  it("are all in the table", () =>
    expect(TABLE.map(([format]) => format).sort()).toEqual([...FORMATS.keys()].sort()));

  it.each(TABLE)("%s accepts its valid texts only", (format, valid, invalid) => {
    expect([...valid, ...invalid].filter((text) => accepts(format, text))).toEqual(valid);
  });

  it("are either checked or annotations", () => {
    expect([...ANNOTATION_FORMATS].filter((format) => FORMATS.has(format))).toEqual([]);
  });

  it("are regular expressions without state", () => {
    for (const { pattern } of FORMATS.values()) expect(pattern.flags).not.toMatch(/[gy]/);
  });

  it("refuse long texts that almost match within a second", () => {
    const hostile = [
      "a".repeat(20_000),
      "1:".repeat(10_000),
      "%41".repeat(7_000),
      "a.".repeat(10_000),
      "{a}".repeat(7_000),
      "/~0".repeat(7_000),
    ];
    for (const [format, { pattern }] of FORMATS)
      for (const text of hostile) {
        const before = process.cpuUsage();
        pattern.test(`${text} `);
        expect({
          format,
          text: text.slice(0, 5),
          slow: process.cpuUsage(before).user > 1_000_000,
        }).toMatchObject({
          slow: false,
        });
      }
  });
});

const padNumber = (value: number, width = 2) => String(value).padStart(width, "0");

describe("dates", () => {
  it("are accepted if and only if they exist, from 1999 to 2100", () => {
    const wrong: string[] = [];
    for (let year = 1999; year <= 2100; year++)
      for (let month = 0; month <= 13; month++)
        for (let day = 0; day <= 32; day++) {
          const date = new Date(Date.UTC(year, month - 1, day));
          const exists =
            date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
          const text = `${year}-${padNumber(month)}-${padNumber(day)}`;
          if (accepts("date", text) !== exists || accepts("date-time", `${text}T00:00:00Z`) !== exists)
            wrong.push(text);
        }
    expect(wrong).toEqual([]);
  });

  it("are accepted on 29 February in leap years only, in all years of four digits", () => {
    const isLeapYear = (year: number) => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
    const years = Array.from({ length: 10_000 }, (_, year) => year);
    expect(years.filter((year) => accepts("date", `${padNumber(year, 4)}-02-29`))).toEqual(
      years.filter(isLeapYear),
    );
  });

  it("are accepted as Date writes them", () => {
    fc.assert(
      fc.property(
        fc.date({
          min: new Date("0000-01-01"),
          max: new Date("9999-12-31T23:59:59.999Z"),
          noInvalidDate: true,
        }),
        (date) => {
          expect(accepts("date-time", date.toISOString())).toBe(true);
          expect(accepts("date", date.toISOString().slice(0, 10))).toBe(true);
        },
      ),
    );
  });
});

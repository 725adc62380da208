/** If this fails, a list of known bugs hides new bugs, or keeps laws that the consumer does not break any more. */
import { describe, expect, it } from "vitest";
import { protocol as hecate } from "../../generated/hecate/v1/index.js";
import { type Adapter, consumerCases, describeConsumer } from "../../generator/kit/index.js";

/** Shows every delivery, so that redeliveries count again. */
const APPENDING: Adapter = {
  create() {
    const shown: string[] = [];
    return { push: (event) => void shown.push(JSON.stringify(event)), snapshot: () => [...shown] };
  },
};

function runLaw(id: string, knownBroken: { readonly [law: string]: string }, adapter = APPENDING) {
  const options = { protocol: hecate, runs: 1, knownBroken };
  return consumerCases(adapter, options).find((each) => each.id === id);
}

describe("knownBroken", () => {
  it("gives the reason instead of the failure", () => {
    const law = runLaw("duplicate-adjacent", { "duplicate-adjacent": "see #12" });
    expect(law?.knownBroken).toBe("see #12");
    expect(law?.run()).toBe("known to be broken: see #12");
  });

  it("leaves out the laws that depend on it", () => {
    expect(runLaw("duplicate-late", { "duplicate-adjacent": "see #12" })?.run()).toMatch(
      /^on \d+ of \d+ streams the consumer breaks duplicate-adjacent, on which this law depends$/,
    );
  });

  it("does not hide a law that is not listed", () => {
    expect(() => runLaw("duplicate-adjacent", { "unknown-fields": "see #13" })?.run()).toThrow("counts once");
  });

  it.each([
    [
      "a law that is kept",
      "key-order",
      'The consumer keeps key-order, but knownBroken lists it ("old"). Remove',
    ],
    [
      "a law that needs a method",
      "cursor",
      'knownBroken lists cursor ("old"), but it is not checked: the adapter',
    ],
    ["a law that does not apply", "previous-version", "but it is not checked: there is no earlier release"],
  ])("fails for %s", (_name, id, message) => {
    expect(() => runLaw(id, { [id]: "old" })?.run()).toThrow(message);
  });

  it.each([
    [
      { "duplicate-adjacnt": "x" },
      'lists "duplicate-adjacnt", which is not a law. Did you mean "duplicate-adjacent"?',
    ],
    [{ zzz: "x" }, /lists "zzz", which is not a law\.$/],
    [{ toString: "x" }, 'lists "toString", which is not a law.'],
    [{ "key-order": " " }, "gives no reason for key-order"],
  ] as const)("refuses %j", (knownBroken, message) => {
    expect(() => runLaw("key-order", { ...knownBroken })).toThrow(message);
  });

  it.each([
    ["a runner that can skip", { skip() {} }],
    ["a runner that cannot", undefined],
  ])("names the reason in the title, and passes under %s", (_name, context) => {
    const bodies = new Map<string, (...context: unknown[]) => void>();
    describeConsumer("x", APPENDING, {
      protocol: hecate,
      runs: 1,
      knownBroken: { "duplicate-adjacent": "see #12" },
      describe: (_title, body) => body(),
      it: (title: string, body: () => void) => bodies.set(title, body),
    });
    const titles = [...bodies.keys()].filter((title) => title.startsWith("duplicate-"));
    expect(titles[0]).toMatch(
      /^duplicate-adjacent \(known to be broken: see #12\): An event that is delivered/,
    );
    for (const title of titles) expect(() => bodies.get(title)?.(context)).not.toThrow();
  });
});

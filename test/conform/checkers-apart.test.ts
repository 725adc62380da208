import { describe, expect, it } from "vitest";
import { breachesOf } from "./check-stream.js";
import { streamCases } from "./stream-cases.js";

describe("checkers of one protocol", () => {
  it.each(streamCases().map((each) => [`${each.rule}/${each.file}`, each] as const))(
    "know nothing of each other: %s",
    (_name, { given, lines }) => {
      // The second one begins with what the first one ended with: a subagent may be the parent there, and so on.
      const backwards = [...lines].reverse();
      const alone = breachesOf(given.protocol, "writer", lines, given.limits);
      breachesOf(given.protocol, "writer", backwards, given.limits);
      expect(breachesOf(given.protocol, "writer", lines, given.limits)).toEqual(alone);
    },
  );
});

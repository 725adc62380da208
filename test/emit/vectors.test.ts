/** If this fails, vectors hold verdicts that the generated validators do not give, or lack cases that decoders must handle. */
import path from "node:path";
import { describe, expect, it } from "vitest";
import { emitVectors } from "../../generator/emit/vectors/vectors.js";
import { PROTOCOLS } from "./fixtures.js";
import { makeVectors } from "./vectors.js";

describe.each(PROTOCOLS)("vectors of $id", (protocol) => {
  const vectors = makeVectors(protocol);

  it("hold the verdicts of the generated validators", async () => {
    const { protocol: generated } = await import(path.resolve(`generated/${protocol.id}/index.js`));
    const wrong = vectors.flatMap(({ id, event, ...verdicts }) =>
      (["reader", "writer"] as const)
        .filter((profile) => generated.decodeEvent(event, { profile }).kind !== verdicts[profile].kind)
        .map((profile) => `${id}: ${profile}`),
    );
    expect(wrong).toEqual([]);
  });

  it("hold every fixture, and for every event type valid, invalid and extended events", () => {
    const ids = vectors.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect([...ids].sort()).toEqual(ids);
    for (const { type } of protocol.events) {
      expect(ids).toEqual(expect.arrayContaining([`made/${type}/0`, `made/${type}/1 with an unknown field`]));
      const known = vectors.find(({ id }) => id === `made/${type}/1 with an unknown field`);
      expect([known?.reader.kind, known?.writer.kind]).toEqual(["known", "invalid"]);
      const unknown = vectors.find(({ id }) => id === `made/${type}/1 with an unknown type`);
      expect(unknown?.reader.kind).toBe("unknown");
    }
    const kinds = vectors.map(({ reader, writer }) => `${reader.kind} ${writer.kind}`);
    expect([...new Set(kinds)].sort()).toEqual(
      expect.arrayContaining(["invalid invalid", "known invalid", "known known", "unknown unknown"]),
    );
  });

  it("are the same in each run", () => {
    expect(emitVectors(protocol, [])).toEqual(emitVectors(protocol, []));
  });
});

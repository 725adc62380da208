/** If this fails, a step of `upcasts` changes more than it says, or loses a value. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../generator/json.js";
import { upcastEvent } from "../../generator/upcast/upcast-event.js";
import { CONVERSION_CASES } from "./conversion-cases.js";
import { constant, move, STEP_CASES } from "./step-cases.js";

describe("upcastEvent", () => {
  it.each([...STEP_CASES, ...CONVERSION_CASES])("%s", (_what, before, steps, after) => {
    const event = JSON.parse(before) as JsonObject;
    const context = { type: "a", discriminator: "type", streamTypes: new Set(["a", "mark.one"]) };
    const result = upcastEvent(event, steps, context);
    expect(result.kind === "done" ? JSON.stringify(result.event) : `failed at ${result.pointer}`).toBe(after);
    expect(JSON.stringify(event)).toBe(before);
  });

  it("finds the origin of a place", () => {
    const event = { type: "a", x: { y: 1 }, d: { z: 1 } };
    const steps = [move("/x", "/d/x"), constant("/v", 1), move("/d", "/e")];
    const result = upcastEvent(event, steps, { type: "a", discriminator: "type", streamTypes: new Set() });
    if (result.kind === "failed") throw new Error(result.message);
    const places = ["/e/x/y", "/e/z", "/v", "/type", "", "/new"];
    expect(places.map(result.findOrigin)).toEqual(["/x/y", "/d/z", "", "/type", "", "/new"]);
  });
});

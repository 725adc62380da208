/** If this fails, one edit of a schema is reported as several breaks, or the event in its finding does not show the break. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import type { Json } from "../../generator/json.js";
import { loadSchemas } from "../../generator/load/load.js";
import { createBodyReading, createEnvelopeReading } from "../../generator/protocol/message-readings.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import type { Profile } from "../../generator/schema/readings.js";
import { createLazyCheck } from "../../generator/validators/check.js";
import { chooseCases } from "../depth.js";
import { createSharedFolder } from "../folders.js";
import { checkFolders, loadOnlyProtocol } from "./examples.js";
import type { Document } from "./project.js";
import { STEPS, type Step } from "./single-steps.js";
import { writeTea } from "./tea.js";
import { UNIONS } from "./unions.js";

const root = createSharedFolder();
const before = path.join(root, "before");
const folder = writeTea(before, UNIONS);
const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((file) => /^(events|shared)\/.*\.json$/.test(file))
  .sort();

/** The maximum number of places at which each step is tried. */
const MAX_PLACES = 2;

/** Returns every object of a document. */
function listSchemas(value: Document): Document[] {
  if (typeof value !== "object" || value === null) return [];
  return [...(Array.isArray(value) ? [] : [value]), ...Object.values(value).flatMap(listSchemas)];
}

/** Writes copies of the protocol, each with the step applied at another place. Returns their folders. */
async function applyStep(name: string, step: Step): Promise<string[]> {
  const folders: string[] = [];
  for (const file of files) {
    const text = readFileSync(path.join(folder, file), "utf8");
    for (let index = 0; index < listSchemas(JSON.parse(text)).length; index++) {
      const document = JSON.parse(text);
      if (folders.length >= MAX_PLACES || !step(listSchemas(document)[index])) continue;
      const after = path.join(root, `${name.replaceAll(" ", "-")}-${folders.length}`);
      writeFileSync(path.join(writeTea(after, UNIONS), file), JSON.stringify(document));
      // A step may make a schema invalid. Then there is nothing to compare.
      if ((await loadSchemas(after)).findings.every(({ severity }) => severity !== "error"))
        folders.push(after);
    }
  }
  return folders;
}

/** Returns whether the generated validators accept a message. */
function isAccepted(profile: Profile, protocol: Protocol, message: Json): boolean {
  const { type } = message as Document;
  const event = protocol.events.find((each) => each.type === type);
  const readings = [
    createEnvelopeReading(profile, protocol),
    ...(event ? [createBodyReading(profile, protocol, event)] : []),
  ];
  return event !== undefined && readings.every((reading) => createLazyCheck(() => reading)(message));
}

it.each(chooseCases(Object.entries(STEPS), 8))(
  "gives at most one break, with an event that shows it: %s",
  async (name, step) => {
    const changedFolders = await applyStep(name, step);
    expect(changedFolders.length).toBeGreaterThan(0);
    const old = await loadOnlyProtocol(before);
    for (const after of changedFolders) {
      const { findings } = await checkFolders(before, after);
      const breaks = findings.filter(({ affects }) => affects.length > 0);
      expect(breaks.map(({ rule, message }) => [rule, message]).slice(1), after).toEqual([]);
      const now = await loadOnlyProtocol(after);
      for (const { rule, message, witness } of breaks) {
        expect(rule).not.toMatch(/^contract-/);
        // Validators disagree about a field that only a failing `if` declares. Then the finding has no witness.
        if (message.includes("the validators do not agree")) continue;
        if (witness === undefined) throw new Error(`${rule} has no witness`);
        // Current writers may send the witness and old readers refuse it, or only old writers may send it.
        const isBreak = isAccepted("writer", now, witness)
          ? !isAccepted("reader", old, witness)
          : isAccepted("writer", old, witness);
        expect(isBreak, JSON.stringify(witness)).toBe(true);
      }
    }
  },
);

/** A protocol of slow patterns, and events of 100 KB on which a backtracking matcher is slow. */
import { buildSlowText, findSlowTexts } from "../../generator/contain/regex/find-slow-text.js";
import { loadSchemas } from "../../generator/load/load.js";
import type { Protocol } from "../../generator/protocol/protocol.js";
import { CUBIC, EXPONENTIAL, QUADRATIC } from "../../test/contain/pattern-speed-cases.js";
import { createTinySchemas, withTemporaryFolder, writeFiles } from "../../test/folders.js";

/** The length of the attack texts. */
const LENGTH = 100_000;

/** The most milliseconds that a validator may take for such a text. */
export const MAX_MS = 50;

/** The slow patterns for which generated validators have tables. `generate` refuses all others. */
export const SLOW_PATTERNS: readonly string[] = [...EXPONENTIAL, ...CUBIC, ...QUADRATIC];

/** Returns a protocol with an event type for each slow pattern. Lint would refuse its schemas, if the patterns were new. */
export async function loadAttackProtocol(): Promise<Protocol> {
  return await withTemporaryFolder(async (folder) => {
    writeFiles(folder, createTinySchemas("attack"));
    const { protocols } = await loadSchemas(folder);
    const [protocol] = protocols;
    const [event] = protocol?.events ?? [];
    if (protocol === undefined || event === undefined) throw new Error("the protocol cannot be read");
    const events = SLOW_PATTERNS.map((pattern, index) => {
      const payload = {
        type: "object",
        properties: { text: { type: "string", pattern } },
        required: ["text"],
      };
      return { ...event, type: nameType(index), payload };
    });
    return { ...protocol, events };
  });
}

const nameType = (index: number): string => `pattern.p${index}`;

/** Returns an event for each slow pattern, whose text is the one that the finder of slow texts builds. */
export function createAttackEvents(): string[] {
  return SLOW_PATTERNS.map((pattern, index) => {
    const slowness = findSlowTexts(pattern);
    if (typeof slowness === "string") throw new Error(`${pattern} is called ${slowness}`);
    const text = buildSlowText(slowness, Math.ceil(LENGTH / slowness.part.length));
    return JSON.stringify({ type: nameType(index), data: { text } });
  });
}

/** The worker of the playground. The page ends it when its time is over. */
import { compareTexts } from "./compare-texts.ts";

addEventListener("message", async ({ data: [before, after] }) => {
  try {
    postMessage(await compareTexts(before, after));
  } catch (error) {
    postMessage({ error: error instanceof Error ? error.message : String(error) });
  }
});

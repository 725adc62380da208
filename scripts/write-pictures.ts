/**
 * Draws the pictures of README.md. compat.svg shows what `accrete compat` prints after a field of a new protocol was
 * renamed. page.png shows the web page of `accrete serve`; it needs chromium.
 *
 *     npm run pictures
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { chdir, cwd } from "node:process";
import { run } from "../generator/commands/program.js";
import type { Io } from "../generator/io.js";
import { drawTerminal } from "./pictures/terminal-picture.js";

const IMAGES = path.resolve("docs/images");
/** Recordings whose characters every font has. */
const RUNS = ["approval-denied", "failure-with-gap", "mcp-call"].map((name) =>
  path.resolve(`fixtures/hecate/v1/streams/${name}.jsonl`),
);

/** Runs a command line and returns what it printed on standard output, with colours. */
async function runCommand(argv: readonly string[], more: Partial<Io> = {}): Promise<string> {
  let out = "";
  await run(argv, {
    stdout: (text) => {
      out += text;
    },
    stderr: () => {},
    stdin: (async function* () {})(),
    colors: true,
    showsProgress: false,
    pid: process.pid,
    isRunning: () => true,
    waitForStopSignal: async () => undefined,
    ...more,
  });
  return out;
}

async function drawCompat(): Promise<string> {
  const [home, folder] = [cwd(), mkdtempSync(path.join(tmpdir(), "accrete-pictures-"))];
  chdir(folder);
  try {
    for (const line of ["init --name notes", "generate", "release 1.0"]) await runCommand(line.split(" "));
    const file = "schemas/notes/v1/events/note.added.schema.json";
    writeFileSync(file, readFileSync(file, "utf8").replaceAll('"text"', '"note_text"'));
    return drawTerminal("npx accrete-cli compat", await runCommand(["compat"]), 110);
  } finally {
    chdir(home);
    rmSync(folder, { recursive: true });
  }
}

async function drawPage(): Promise<Uint8Array> {
  // Loaded last: playwright replaces process.cwd by a function that does not notice chdir.
  const { chromium } = await import("playwright-core");
  let address = "";
  let picture = new Uint8Array();
  const stdout = (text: string): void => {
    address = /http:\S+/.exec(text)?.[0] ?? address;
  };
  await runCommand(["serve", ...RUNS, "--port", "0"], {
    stdout,
    waitForStopSignal: async () => {
      const browser = await chromium.launch({
        executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
        args: ["--no-sandbox"],
      });
      const page = await browser.newPage({ viewport: { width: 1100, height: 640 } });
      await page.goto(address);
      await page.waitForSelector("[data-state=ended]");
      picture = new Uint8Array(await page.screenshot());
      await browser.close();
    },
  });
  return picture;
}

writeFileSync(path.join(IMAGES, "compat.svg"), await drawCompat());
writeFileSync(path.join(IMAGES, "page.png"), await drawPage());

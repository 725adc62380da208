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
import { terminalPicture } from "./pictures/terminal-picture.js";

const IMAGES = path.resolve("docs/images");
/** Recordings without signs that fonts may lack. */
const RUNS = ["approval-denied", "failure-with-gap", "mcp-call"].map((name) =>
  path.resolve(`fixtures/hecate/v1/streams/${name}.jsonl`),
);

/** Runs a command line; gives what it printed on standard output, with colours. */
async function printed(argv: readonly string[], more: Partial<Io> = {}): Promise<string> {
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

async function compatPicture(): Promise<string> {
  const [home, folder] = [cwd(), mkdtempSync(path.join(tmpdir(), "accrete-pictures-"))];
  chdir(folder);
  try {
    for (const line of ["init --name notes", "generate", "release 1.0"]) await printed(line.split(" "));
    const file = "schemas/notes/v1/events/note.added.schema.json";
    writeFileSync(file, readFileSync(file, "utf8").replaceAll('"text"', '"note_text"'));
    return terminalPicture("npx accrete compat", await printed(["compat"]), 110);
  } finally {
    chdir(home);
    rmSync(folder, { recursive: true });
  }
}

async function pagePicture(): Promise<Uint8Array> {
  // It replaces process.cwd by one that does not notice chdir, so it is loaded when that is over.
  const { chromium } = await import("playwright-core");
  let address = "";
  let picture = new Uint8Array();
  const stdout = (text: string): void => {
    address = /http:\S+/.exec(text)?.[0] ?? address;
  };
  await printed(["serve", ...RUNS, "--port", "0"], {
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

writeFileSync(path.join(IMAGES, "compat.svg"), await compatPicture());
writeFileSync(path.join(IMAGES, "page.png"), await pagePicture());

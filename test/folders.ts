/** Temporary folders and their files. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, onTestFinished } from "vitest";

/** Creates a temporary folder with these files. It is removed after the test. */
export function createTemporaryFolder(files: { readonly [relative: string]: string } = {}): string {
  const root = createFolder();
  onTestFinished(() => removeFolder(root));
  writeFiles(root, files);
  return root;
}

/** Creates a temporary folder for all tests of a file. It is removed after them. */
export function createSharedFolder(): string {
  const root = createFolder();
  afterAll(() => removeFolder(root));
  return root;
}

/** Calls `use` with a temporary folder, and removes it afterwards. */
export async function withTemporaryFolder<T>(use: (folder: string) => T | Promise<T>): Promise<T> {
  const folder = createFolder();
  try {
    return await use(folder);
  } finally {
    removeFolder(folder);
  }
}

function createFolder(): string {
  return realpathSync(mkdtempSync(path.join(tmpdir(), "accrete-test-")));
}

function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/** Writes files below `root`. */
export function writeFiles(root: string, files: { readonly [relative: string]: string }): void {
  for (const [relative, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, relative)), { recursive: true });
    writeFileSync(path.join(root, relative), content);
  }
}

/** Returns the texts of all files below `root` by relative path. An empty folder is listed with a trailing slash. */
export function readTree(root: string): { [relative: string]: string } {
  const found: { [relative: string]: string } = {};
  const visit = (relative: string): void => {
    const entries = readdirSync(path.join(root, relative), { withFileTypes: true });
    if (entries.length === 0 && relative !== "") found[`${relative}/`] = "";
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const below = path.posix.join(relative, entry.name);
      if (entry.isDirectory()) visit(below);
      else found[below] = entry.isSymbolicLink() ? "(link)" : readFileSync(path.join(root, below), "utf8");
    }
  };
  visit("");
  return found;
}

/** Returns the files of a schemas folder with a small protocol `name/v1`, which has one event type `tea.served`. */
export function createTinySchemas(name = "tiny"): { [relative: string]: string } {
  const text = (value: unknown): string => JSON.stringify(value, null, 2);
  return {
    [`${name}/v1/protocol.json`]: text({
      name,
      major: 1,
      version: "1.0",
      title: "Tiny",
      description: "A small protocol.",
      envelope: { discriminator: "type", payload: { placement: "nested", property: "data" } },
    }),
    [`${name}/v1/envelope.schema.json`]: text({
      title: "Envelope",
      description: "Around every event.",
      type: "object",
      properties: {
        type: { type: "string", description: "What happened." },
        data: { type: "object", description: "The payload." },
      },
      required: ["type", "data"],
    }),
    [`${name}/v1/events/tea.served.schema.json`]: text({
      title: "Tea was served",
      description: "Sent when tea is on the table.",
      "x-stability": "stable",
      "x-since": "1.0",
      type: "object",
      properties: { cups: { type: "integer", minimum: 0, description: "How many cups." } },
      required: ["cups"],
    }),
  };
}

/** Texts of agents and tools: mostly ASCII, with the accents, quotes and escapes of real output. */
import type { CorpusRandom } from "./random.js";

const WORDS =
  "the a of to in and that is for it with as on by from this file test tests build package function value key budget governor scope request run error line path read write change changes edit module import returns type string number list map first next then now only one two check checks passes fails because so it’s — größe été ✅ “quoted” `code` foo() \\n don't (see docs) 3 files,".split(
    " ",
  );
const PATHS =
  "internal/budget/governor.go internal/budget/key.go cmd/hecate/main.go docs/größe.md web/src/App.tsx README.md pkg/stream/reader_test.go".split(
    " ",
  );
const LINES = [
  "=== RUN   TestGovernor/limits\n",
  "--- PASS: TestGovernor/limits (0.01s)\n",
  "--- PASS: TestGrößeBegrenzt (0.01s) ✓\n",
  "ok  \tgithub.com/hecate/agent-runtime/internal/budget\t0.231s\n",
  'internal/budget/key.go:12:2: "strings" imported and not used\n',
  "\u001b[32m✓\u001b[0m src/stream/reader.test.ts (14 tests) 87ms\n",
  "drwxr-xr-x  4 node node   4096 May  3 10:23 internal\n",
  "go: downloading golang.org/x/sync v0.7.0\n",
  "\n",
  '  at Object.<anonymous> (C:\\work\\agent\\index.js:10:5)\n{"level":"info","msg":"listening","port":8080}\n',
];

/** Returns `count` words, a blank after each. */
export function writeWords(random: CorpusRandom, count: number): string {
  let text = "";
  for (let i = 0; i < count; i++) text += `${random.pick(WORDS)} `;
  return text;
}

/** Returns `count` lines as a command prints them. */
export function writeLines(random: CorpusRandom, count: number): string {
  let text = "";
  for (let i = 0; i < count; i++) text += random.pick(LINES);
  return text;
}

/** Returns the path of a file. */
export function pickPath(random: CorpusRandom): string {
  return random.pick(PATHS);
}

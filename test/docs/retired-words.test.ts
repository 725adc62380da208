/**
 * If this fails, the code or the documentation uses a retired word, which newcomers do not understand.
 */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { PAGES, readPage } from "./blocks.js";

const root = path.join(import.meta.dirname, "..", "..");

/** A word or phrase that is no longer used, and what to write instead. */
interface RetiredWord {
  readonly word: RegExp;
  readonly instead: string;
}

const retire = (word: RegExp, instead: string): RetiredWord => ({ word, instead });

/**
 * Words that may occur neither in generator/ (names, comments, messages) nor in the documentation. When the last use of a
 * word in generator/ is gone, move its row from `RETIRED_IN_PAGES` to here.
 */
const RETIRED: readonly RetiredWord[] = [
  retire(/\b[Hh]urts\b/, "affects"),
  retire(/HARMLESS/, "breaking: false"),
  retire(/\bCourts?\b/, "ProofContext"),
  retire(/[Uu]nexplained/, "residual"),
  retire(/\b[Ss]andwich(es)?\b/, "inclusion checks"),
  retire(/\bhalfOf\b/, "checkInclusion"),
  retire(/\brelaid\b|\btoldBack\b/, "alignLayoutNames, restoreNames"),
  retire(/\beachOnce\b|\bisSaid\b|\bwithoutEchoes\b/, "the name of what is dropped or reported"),
  retire(/\b(bury|buries|buried)\b/, "tombstone"),
  retire(/\bmust suit\b/, "must be accepted by"),
  retire(/\bspoilt\b/, "damaged"),
  retire(/\bow(es|ed)\b/, "requires"),
  retire(/\bpurse\b/, "step budget"),
  retire(/\bobstacles?\b/, "blocking ancestor"),
  retire(/\bHappening|\bPlayer\b|\bNotJudged\b|\bpresuppose/, "the terms of generator/kit"),
  retire(/LOOSE_ID|\bHERE\b/, "SCRATCH_ID, CURRENT_ID"),
  retire(/natural\.(ts|js)/, "prettify-witness"),
  retire(/\bBreach(es)?\b/, "Finding"),
  retire(/\bcomplain(s|t|ts|ed)?\b/, "findings"),
  retire(/\bmend(s|ed|able)?\b/, "fix"),
  retire(/\bbad days?\b/, "fault injection"),
  retire(/\b(a|the|such|so) many threads\b/, "N threads"),
  retire(/\bresembles? no\b/, "Not an event of …"),
  retire(/\bstands only\b/, "is allowed only"),
  retire(/\bin so many words\b/, "explicitly"),
  retire(/\bin (his|her|its|their) turn\b/, "then"),
  retire(/\btakes? care of\b/, "handles"),
  retire(/figure-falls|figures-disagree|checkpoint-late|task-stream-(session|mixed)/, "the new rule id"),
  retire(/\bends once more\b/, "ends again"),
  retire(/\bmakePen\b|\bPen\b/, "createRenderer, Renderer"),
  retire(/\btold\b/, "reported, or by default"),
  retire(/\bsettle[sd]?\b/, "the name of the step: sync, accept, recover"),
  retire(/\b[Ww]hat there (is|was|were|are)\b/, "the existing …"),
  retire(/\b(un)?judge[sd]?(Of)?\b|\bjudging\b/i, "check, validate or decide"),
  retire(/\bspoil(s|ed)?\b/, "damage"),
  retire(/\bbreach(es)?\b/i, "finding or violation"),
  retire(/\b(a|the) hole\b|\b[Hh]oles\b|\bholed\b/, "gap"),
  retire(/\bwhoever\b/i, "who, or the name of the role"),
  retire(/\banew\b|\bafresh\b/, "again"),
  retire(/\bspoken\b|\bspeaksOf\w*/, "named, mentions"),
  retire(/\bMOST_[A-Z]/, "MAX_…"),
  retire(/\b(viewOf|rankOf|targetOf|spotAt|sameView|decoderOf|fingerprintOf)\b/, "a verb with an object"),
  retire(/\b(makePen|kitEvent|allot|holderOf|heldNodes|inWords)\b/, "the name of what it creates or returns"),
];

/**
 * Words that may not occur in what people write for the documentation. Some are still in comments of generator/, and in
 * what the documentation shows of its messages.
 */
const RETIRED_IN_PAGES: readonly RetiredWord[] = [
  retire(/\brooms?\b(?!")/, "component"),
  retire(/\bso many\b/, "the number of"),
  retire(/\bis no (event|error|object|difference|finding|reason|union)\b/, "is not a …"),
];

/** Pages whose sentences are texts of generator/ that still contain words of the second list. */
const WRITTEN_FROM_SOURCES = ["docs/rules.md"];

/** The page that names old words on purpose, because it lists what was renamed. */
const CHANGELOG = "CHANGELOG.md";

interface Text {
  readonly file: string;
  readonly text: string;
}

const pages: readonly Text[] = PAGES.map((file) => ({ file, text: readPage(file) }));
const sources: readonly Text[] = readdirSync(path.join(root, "generator"), {
  recursive: true,
  encoding: "utf8",
})
  .filter((name) => /\.(ts|js|mjs|json|html|css)$/.test(name) && !name.endsWith("scanner-wasm.ts"))
  .map((name) => `generator/${name.replaceAll("\\", "/")}`)
  .map((file) => ({ file, text: readFileSync(path.join(root, file), "utf8") }));

/** Returns every use of a retired word, with file, line and replacement. */
function findRetiredWords(texts: readonly Text[], words: readonly RetiredWord[]): string[] {
  return texts.flatMap(({ file, text }) =>
    text
      .split("\n")
      .flatMap((line, index) =>
        words.flatMap(({ word, instead }) =>
          word.test(line) ? [`${file}:${index + 1}: ${word.exec(line)?.[0]} (write: ${instead})`] : [],
        ),
      ),
  );
}

const excludePages = (files: readonly string[]): Text[] => pages.filter(({ file }) => !files.includes(file));

/** Returns the page with empty lines in place of the output of commands and of the parts that `npm run docs` writes. */
function removeOutput({ file, text }: Text): Text {
  const output = /^```(?:console|text)$[\s\S]*?^```$|^<!-- (\w+) -->$[\s\S]*?^<!-- \/\1 -->$/gm;
  return { file, text: text.replace(output, (part) => part.replace(/.+/g, "")) };
}

it("generator/ and the documentation contain no retired word", () => {
  expect(sources.length).toBeGreaterThan(100);
  expect(findRetiredWords([...sources, ...excludePages([CHANGELOG])], RETIRED)).toEqual([]);
});

it("the sentences of the documentation contain no retired word", () => {
  const written = excludePages([CHANGELOG, ...WRITTEN_FROM_SOURCES]).map(removeOutput);
  expect(findRetiredWords(written, RETIRED_IN_PAGES)).toEqual([]);
});

it("finds a word in a comment, a name and a message, with file and line", () => {
  const text = "// who owes what\nconst unexplainedBreaks = 1;\nthrow new Error('this hurts');\n";
  expect(findRetiredWords([{ file: "a.ts", text }], RETIRED)).toEqual([
    "a.ts:1: owes (write: requires)",
    "a.ts:2: unexplained (write: residual)",
    "a.ts:3: hurts (write: affects)",
  ]);
});

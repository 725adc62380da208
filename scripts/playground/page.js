/** The page of the playground: two texts, a worker that compares them, and a link that holds both. */
import { EXAMPLES } from "./examples.js";

/** The milliseconds after which a comparison is ended. The worker itself ends before with what it knows. */
const TIME_LIMIT = 15_000;

/** The milliseconds without typing after which the texts are compared. */
const PAUSE = 300;

const find = (id) => document.getElementById(id);
const before = find("before");
const after = find("after");
const result = find("result");

const workerCode = URL.createObjectURL(new Blob([find("worker").textContent], { type: "text/javascript" }));
let worker;
let isBusy = false;
let timer;

function startWorker() {
  worker?.terminate();
  worker = new Worker(workerCode);
  worker.addEventListener("message", ({ data }) => finish(data));
  worker.addEventListener("error", ({ message }) => finish({ error: message }));
}

function finish(answer) {
  isBusy = false;
  clearTimeout(timer);
  show(answer);
}

function compare() {
  // A comparison of texts that changed since is of no use.
  if (isBusy) startWorker();
  isBusy = true;
  clearTimeout(timer);
  timer = setTimeout(() => {
    startWorker();
    finish({
      error: `The comparison took more than ${TIME_LIMIT / 1000} s and was ended. Nothing is known.`,
    });
  }, TIME_LIMIT);
  worker.postMessage([before.value, after.value]);
  writeLink();
}

/** Creates an element with text or other elements in it. */
function create(name, properties, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

function describeVerdict(findings) {
  const count = (severity) => findings.filter((finding) => finding.severity === severity).length;
  if (findings.some(({ rule }) => rule.endsWith("-undecided"))) return ["warning", "Not decided"];
  if (count("error") > 0)
    return [
      "error",
      `No: ${count("error") === 1 ? "1 change breaks" : `${count("error")} changes break`} programs`,
    ];
  if (count("warning") > 0) return ["warning", "Perhaps: look at the warnings"];
  return ["good", "Yes: old and new programs understand each other"];
}

function show({ error, findings = [], additions = [], notes = [] }) {
  if (error !== undefined) {
    result.replaceChildren(
      create("h2", { className: "verdict error" }, "These schemas cannot be compared"),
      create("p", {}, error),
    );
    return;
  }
  const [className, verdict] = describeVerdict(findings);
  result.replaceChildren(
    create("h2", { className: `verdict ${className}` }, verdict),
    ...findings.map((finding) => createFinding(finding)),
    ...(additions.length > 0 ? [create("h2", {}, "Additions")] : []),
    ...(additions.length > 0
      ? [create("ul", {}, ...additions.map(({ message }) => create("li", {}, message)))]
      : []),
    ...notes.map((note) => create("p", {}, note)),
  );
}

const format = (value) => JSON.stringify(value, null, 2);

function createFinding({
  rule,
  severity,
  message,
  at,
  baseline,
  witness,
  opposite,
  breaks = [],
  differences = [],
  hint,
}) {
  const places = [at, baseline].filter((place) => place?.line !== undefined);
  const events = [witness, opposite].filter((event) => event !== undefined);
  return create(
    "article",
    {},
    create("h3", { className: severity }, message),
    create("code", {}, [rule, ...places.map(({ file, line }) => `${file}:${line}`)].join(" · ")),
    create(
      "dl",
      {},
      ...events.flatMap((event) => [
        create("dt", {}, "A message that breaks"),
        create("dd", {}, create("pre", { tabIndex: 0 }, format(event))),
      ]),
      ...(breaks.length > 0
        ? [create("dt", {}, "All that breaks"), ...breaks.map((phrase) => create("dd", {}, phrase))]
        : []),
      ...(hint === undefined ? [] : [create("dt", {}, "What to do"), create("dd", {}, hint)]),
    ),
    ...differences.map((schema) =>
      create(
        "details",
        {},
        create("summary", {}, "The exact difference, as a JSON Schema"),
        create("pre", { tabIndex: 0 }, format(schema)),
      ),
    ),
  );
}

/** Compresses or decompresses bytes. */
async function pipe(bytes, stream) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

/** Writes both texts into the address, so that a link holds the question. */
async function writeLink() {
  const bytes = new TextEncoder().encode(JSON.stringify([before.value, after.value]));
  const packed = await pipe(bytes, new CompressionStream("deflate-raw"));
  const code = btoa(Array.from(packed, (byte) => String.fromCharCode(byte)).join(""));
  history.replaceState(null, "", `#${code.replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "")}`);
}

/** Returns the texts of a link; undefined if the address holds none. */
async function readLink() {
  try {
    const code = atob(location.hash.slice(1).replace(/-/g, "+").replace(/_/g, "/"));
    const bytes = Uint8Array.from(code, (character) => character.charCodeAt(0));
    const texts = JSON.parse(
      new TextDecoder().decode(await pipe(bytes, new DecompressionStream("deflate-raw"))),
    );
    return texts.length === 2 && texts.every((text) => typeof text === "string") ? texts : undefined;
  } catch {
    return undefined;
  }
}

function setTexts([first, second]) {
  before.value = first;
  after.value = second;
  compare();
}

const example = find("example");
example.append(
  create("option", { value: "" }, "choose one"),
  ...EXAMPLES.map(({ title }, index) => create("option", { value: index }, title)),
);
example.addEventListener("change", () => {
  const chosen = EXAMPLES[example.value];
  if (chosen) setTexts([chosen.before, chosen.after]);
});
find("swap").addEventListener("click", () => setTexts([after.value, before.value]));
find("copy").addEventListener("click", async () => {
  await writeLink();
  // A page from a file may not write to the clipboard; its address holds the same link.
  const isCopied = await navigator.clipboard?.writeText(location.href).then(
    () => true,
    () => false,
  );
  find("copied").textContent = isCopied ? "The link is copied." : "The address of the page is the link.";
});
let pause;
for (const text of [before, after])
  text.addEventListener("input", () => {
    clearTimeout(pause);
    pause = setTimeout(compare, PAUSE);
  });
addEventListener("hashchange", async () => {
  const texts = await readLink();
  if (texts !== undefined && (texts[0] !== before.value || texts[1] !== after.value)) setTexts(texts);
});

startWorker();
void readLink().then((texts) => setTexts(texts ?? [EXAMPLES[0].before, EXAMPLES[0].after]));

/** Creates valid and hostile command lines. */
import { loadAllCommands } from "../../generator/commands/program.js";
import { NAMES, type Next, pick } from "./hostile.js";

/** Command lines of each command that make sense in the projects of project.ts. Each line is equally likely. */
export const SENSIBLE_LINES: { readonly [command: string]: readonly string[] } = {
  init: ["init sub --name mugs", "init --name mugs --placement inline --discriminator kind"],
  import: [
    "import union.json --name trees",
    "import union.json --name tea --force",
    "import samples.jsonl --name shop --as 2.0",
    "import schemas/tea/v1/events --name folder",
    "import one.json#/a",
  ],
  generate: [
    "generate",
    "generate",
    "generate tea/v1 --emit go,openapi,asyncapi",
    "generate --check --format json",
    "generate --out src/events --fixtures examples",
  ],
  check: ["check", "check tea/v1 --format json", "check --against dir:schemas"],
  release: ["release 1.0", "release 1.1 tea/v1"],
  diff: ["diff one.json two.json", "diff schemas/tea/v1 schemas/tea/v1/releases/1.0.json --format json"],
  lint: ["lint", "lint --format sarif", "lint tea/v1 --format markdown"],
  compat: [
    "compat",
    "compat --against dir:schemas --format github",
    "compat --against release:1.0 --format json",
  ],
  report: ["report report.json", "report report.json --format markdown"],
  status: ["status --check", "status --json"],
  explain: ["explain field-removed"],
  site: ["site", "site tea/v1 --output public"],
  changelog: ["changelog", "changelog --format json"],
  major: ["major tea"],
  rename: ["rename tea chai"],
  subset: [
    "subset one.json two.json",
    "subset --pairs pairs.jsonl",
    "subset one.json union.json --format json",
  ],
  rollout: ["rollout fleet.json", "rollout fleet.json --json --witness refused.jsonl"],
  watch: ["watch none:schemas/tea/v1"],
  lsp: ["lsp"],
  mcp: ["mcp"],
  validate: [
    "validate fixtures",
    "validate fixtures/tea/v1/streams/two-notes.jsonl --profile writer --format json",
    "validate - --stats --protocol tea/v1",
    "validate --compare fixtures/tea/v1/streams/two-notes.jsonl samples.jsonl",
  ],
  monitor: [
    "monitor -",
    "monitor fixtures/tea/v1/streams/two-notes.jsonl --state monitor.json --format text",
  ],
  audit: ["audit fixtures/tea/v1/streams", "audit fixtures --readers --output findings.parquet"],
  replay: ["replay fixtures/tea/v1/streams/two-notes.jsonl", "replay -"],
  redact: ["redact -", "redact fixtures/tea/v1/streams/two-notes.jsonl --out clean"],
  upcast: [
    "upcast tea/v1@1.0 tea/v1 --format json",
    "upcast tea/v1@1.0 tea/v1 fixtures/tea/v1/streams/two-notes.jsonl --out later",
  ],
  "map-rows": ["map-rows samples.jsonl", "map-rows - --out later"],
  serve: ["serve --port 0", "serve --port 0 --faults faults.json --seed 2"],
  completion: ["completion bash", "completion zsh"],
  kit: ["kit --command cat --protocol tea/v1 --runs 1 --timeout 1"],
};

/** Paths of files, folders and devices, and paths that do not exist. */
const PATHS: readonly string[] = [
  ..."schemas fixtures generated . ..".split(" "),
  "",
  ..."none none/deeper schemas/tea/v1/protocol.json - /dev/null /dev/zero /dev/full /proc/self/mem".split(
    " ",
  ),
  ..."/proc/none /proc/1/task/x loop out one.json union.json samples.jsonl package.json".split(" "),
  "x".repeat(5000),
  ..."~ C:\\x http://127.0.0.1:1/x".split(" "),
];

/** Words for the values of options. */
const VALUES: readonly string[] = [
  ..."0 1 -1 1e9 99999999999 1.0 1.1 0.9 999999999.999999999 NaN text json go".split(" "),
  ..."tea/v1 tea none/v1 __proto__/v1 release:1.0 release:9.9 dir:schemas dir: git:HEAD x:y".split(" "),
  ..."go,go,openapi , note.added field-removed drop,cut faults.json draft4 nested writer".split(" "),
];

/** Options that are not tested, because they use the network, wait, or start threads or programs. */
const EXCLUDED_OPTIONS: readonly string[] = [
  "--url",
  "--follow",
  "--host",
  "--timeout",
  "--threads",
  "--command",
];

/** Creates a command line. A third of them are changed. */
export async function createCommandLine(next: Next): Promise<string[]> {
  const words = pick(Object.values(SENSIBLE_LINES).flat(), next).split(" ");
  return next(3) === 0 ? changeWords(words, next) : words;
}

async function changeWords(words: readonly string[], next: Next): Promise<string[]> {
  const commands = await loadAllCommands();
  const options = commands.flatMap((command) => command.options.map(({ long }) => long ?? ""));
  const own = commands.find(({ name }) => name === words[0])?.options.map(({ long }) => long ?? "") ?? [];
  const pickValue = (): string => pick(pick([PATHS, VALUES, NAMES], next), next).replaceAll("\0", "");
  const pickOption = (): string => pick(next(4) === 0 ? options : own.length > 0 ? own : options, next);
  const result = [...words];
  for (let count = 1 + next(3); count > 0; count--) {
    const at = 1 + next(result.length);
    const change = [
      () => result.splice(at, 0, pickOption(), pickValue()),
      () => result.splice(at, 0, pickOption()),
      () => result.splice(at, 1, pickValue()),
      () => result.splice(at, 0, pickValue()),
      () => result.splice(at, 1),
      () =>
        result.splice(next(20) === 0 ? 0 : at, 0, pick(["--", "-x", "--help", "--=", "--no-check"], next)),
    ];
    pick(change, next)();
  }
  // Commands that read streams do not end on a device that does not end, which is correct.
  const endless = ["validate", "replay"].includes(words[0] ?? "") ? ["/dev/zero", "/dev/full"] : [];
  return result.filter((word) => ![...EXCLUDED_OPTIONS, ...endless].includes(word) && !/^npm:/.test(word));
}

import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { LOCK } from "../../generator/output/lock.js";
import { put } from "../cli/folders.js";
import { accrete } from "../cli/run-in-process.js";
import { inside } from "./inside.js";
import { type Files, project } from "./project.js";
import { contents } from "./writers.js";

let tea: Files = {};
beforeAll(async () => {
  tea = await project("nested");
});

/** Links that a repository may hold, and what each command says. Nothing outside may be read, shown or changed. */
const LINKS: readonly {
  readonly says: string;
  readonly link: string;
  readonly to: string;
  readonly argv: readonly string[];
  readonly exitCode: number;
  readonly told: RegExp;
}[] = [
  {
    says: "a schema that is elsewhere",
    link: "schemas/tea/v1/events/x.schema.json",
    to: "../../../../../outside/secret.json",
    argv: ["lint"],
    exitCode: 1,
    told: /x\.schema\.json:1:1: error file-outside|x\.schema\.json.* file-outside/,
  },
  {
    says: "a schema that is a device",
    link: "schemas/tea/v1/events/x.schema.json",
    to: "/dev/zero",
    argv: ["generate"],
    exitCode: 1,
    told: /file-outside/,
  },
  {
    says: "a schema that is not there",
    link: "schemas/tea/v1/shared/x.schema.json",
    to: "nowhere",
    argv: ["lint"],
    exitCode: 1,
    told: /file-unreadable/,
  },
  {
    says: "a schema that is itself",
    link: "schemas/tea/v1/shared/x.schema.json",
    to: "x.schema.json",
    argv: ["lint"],
    exitCode: 1,
    told: /file-unreadable/,
  },
  {
    says: "a folder of schemas that is elsewhere",
    link: "schemas/tea/v1/resources",
    to: "../../../../outside",
    argv: ["lint"],
    exitCode: 1,
    told: /resources.* file-outside/,
  },
  {
    says: "a folder of schemas that holds itself",
    link: "schemas/tea/v1/resources",
    to: "..",
    argv: ["lint"],
    exitCode: 1,
    told: /resources/,
  },
  {
    says: "a release that is a device",
    link: "schemas/tea/v1/releases/0.9.json",
    to: "/dev/zero",
    argv: ["compat"],
    exitCode: 1,
    told: /0\.9\.json.* file-outside/,
  },
  {
    says: "a release that is elsewhere, to changelog",
    link: "schemas/tea/v1/releases/0.9.json",
    to: "../../../../../outside/secret.json",
    argv: ["changelog"],
    exitCode: 1,
    told: /0\.9\.json.* file-outside/,
  },
  {
    says: "a package.json that is a device",
    link: "package.json",
    to: "/dev/zero",
    argv: ["lint"],
    exitCode: 2,
    told: /package\.json: it is a device/,
  },
  {
    says: "records of consumers that are a device",
    link: "fixtures/consumers.json",
    to: "/dev/zero",
    argv: ["status"],
    exitCode: 2,
    told: /consumers\.json: it is a device/,
  },
  {
    says: "a stream that is a device",
    link: "fixtures/tea/v1/streams/x.jsonl",
    to: "/dev/zero",
    argv: ["status"],
    exitCode: 2,
    told: /x\.jsonl: it is a device/,
  },
  {
    says: "an output that is elsewhere",
    link: "generated/tea/v1/index.js",
    to: "../../../../outside/secret.json",
    argv: ["generate"],
    exitCode: 0,
    told: /1 file written/,
  },
  {
    says: "an output that is a device",
    link: "generated/tea/v1/index.js",
    to: "/dev/zero",
    argv: ["generate", "--check"],
    exitCode: 1,
    told: /index\.js.* generated-stale This is a symbolic link/,
  },
  {
    says: "a folder of outputs that is elsewhere",
    link: "generated/tea/v1",
    to: "../../../outside",
    argv: ["generate"],
    exitCode: 1,
    told: /output-link/,
  },
  {
    says: "a folder of outputs that is itself",
    link: "generated/tea",
    to: "tea",
    argv: ["generate"],
    exitCode: 1,
    told: /output-link/,
  },
  {
    says: "a lock that is elsewhere",
    link: `generated/${LOCK}`,
    to: "../../outside/secret.json",
    argv: ["generate"],
    exitCode: 2,
    told: /Another accrete is writing to generated/,
  },
  {
    says: "a release folder that is elsewhere",
    link: "schemas/tea/v1/releases",
    to: "../../../../outside",
    argv: ["release", "1.0"],
    exitCode: 2,
    told: /releases is a file or a link, not a folder; nothing was changed/,
  },
  {
    says: "fixtures that are elsewhere",
    link: "fixtures/shop",
    to: "../../outside",
    argv: ["import", "samples.jsonl", "--name", "shop"],
    exitCode: 2,
    told: /is a file or a link, not a folder/,
  },
  {
    says: "a workflow folder that is elsewhere",
    link: ".github",
    to: "../outside",
    argv: ["init", ".", "--name", "mugs"],
    exitCode: 2,
    told: /\.github is a file or a link, not a folder/,
  },
];

describe("links", () => {
  it.each(LINKS)("$says", async ({ link, to, argv, exitCode, told }) => {
    const root = inside("project", tea);
    const outside = path.join(root, "../outside");
    put(outside, { "secret.json": '{"title":"SECRET"}' });
    rmSync(path.join(root, link), { recursive: true, force: true });
    mkdirSync(path.dirname(path.join(root, link)), { recursive: true });
    symlinkSync(to, path.join(root, link));
    const done = await accrete(argv);
    const said = `${done.stdout}${done.stderr}`;
    expect([done.exitCode, said]).toEqual([exitCode, expect.stringMatching(told)]);
    expect(said).not.toContain("SECRET");
    expect([...contents(outside).keys()]).toEqual(["secret.json"]);
  });
});

/** If this fails, a pull request has no comment about what it breaks, several, or one that says something else. */
import { describe, expect, it } from "vitest";
import type { Finding } from "../../generator/finding.js";
import { openForge } from "../../generator/review/forge.js";
import { renderComment } from "../../generator/review/render-comment.js";
import { readReports } from "../../generator/review/saved-reports.js";
import { updateComment } from "../../generator/review/update-comment.js";
import { createTemporaryFolder } from "../folders.js";
import { BOT, createFakeForge, type FakeForge, HEAD_SHA } from "./fake-forge.js";

const RENAME: Finding = {
  rule: "field-renamed",
  severity: "error",
  message: 'note.added: the field "text" was renamed to "body".',
  at: { file: "schemas/notes/v1/events/note.added.schema.json", pointer: "/properties/body", line: 9 },
  witness: { type: "note.added", data: { text: "a" } },
  hint: "Rename in three steps.",
  fingerprint: "0123456789abcdef",
};
const LIMIT: Finding = {
  rule: "bound-narrowed",
  severity: "warning",
  message: "note.added: at most 10 are allowed, before it were 20.",
  at: { file: "schemas/notes/v1/events/note.added.schema.json", pointer: "/properties/size", line: 12 },
};
const NOTE: Finding = { ...LIMIT, rule: "version-bump-insufficient", severity: "note" };

async function update(forge: FakeForge, findings: readonly Finding[], event?: object): Promise<string> {
  const opened = await openForge(forge.createEnvironment(event), forge.request);
  return opened === undefined ? "no pull request" : updateComment(opened, findings);
}

describe.each(["github", "gitlab"] as const)("the comment on %s", (kind) => {
  it("is created once, changed with the findings, and crossed out when they are gone", async () => {
    const forge = createFakeForge(kind);
    expect(await update(forge, [NOTE])).toBe("not needed");
    expect(await update(forge, [RENAME, LIMIT])).toBe("created");
    expect(await update(forge, [RENAME, LIMIT])).toBe("unchanged");
    expect(await update(forge, [LIMIT])).toBe("changed");
    expect(forge.comments[0]?.body).toMatch(
      /### Event contract: 1 warning\n[\s\S]*\| ✅ \| ~~`schemas\/[^|]*\| ~~`field-renamed`~~ \| ~~/,
    );
    expect(await update(forge, [])).toBe("changed");
    const last = forge.comments[0]?.body ?? "";
    expect(last).toContain("### Event contract: everything is resolved");
    expect(last.match(/^\| ✅ /gm)).toHaveLength(2);
    expect(await update(forge, [])).toBe("unchanged");
    // A problem that comes back is no longer crossed out.
    await update(forge, [RENAME]);
    expect(forge.comments[0]?.body.match(/^\| ✅ /gm)).toHaveLength(1);
    expect(forge.changes).toEqual(["create 1", "update 1", "update 1", "update 1"]);
  });

  it("is found behind many others, and one of somebody else is left alone", async () => {
    const forge = createFakeForge(kind);
    const fake = renderComment([RENAME], undefined) ?? "";
    forge.comments.push({ id: 1, body: fake, author: "mallory" });
    for (let id = 2; id <= 150; id++) forge.comments.push({ id, body: "ok", author: "alice" });
    expect(await update(forge, [RENAME])).toBe("created");
    expect(await update(forge, [LIMIT])).toBe("changed");
    expect(forge.changes).toEqual(["create 151", "update 151"]);
    expect(forge.comments[0]?.body).toBe(fake);
  });

  it("says what is missing if the token may not comment", async () => {
    const forge = createFakeForge(kind);
    const name = kind === "github" ? "GITHUB_TOKEN" : "GITLAB_TOKEN";
    const open = (token: string) => openForge({ ...forge.createEnvironment(), [name]: token }, forge.request);
    await expect(open("")).rejects.toThrow(`--comment needs ${name}`);
    await expect(updateComment((await open("wrong")) as never, [RENAME])).rejects.toThrow(
      /: the answer was 401\. The token of the job may not do this/,
    );
  });
});

it("belongs to the pull request of the fork whose commit was checked, and to no other", async () => {
  const createEvent = (sha: string, branch = "topic") => ({
    workflow_run: { head_sha: sha, head_branch: branch, head_repository: { owner: { login: "friend" } } },
  });
  const forge = createFakeForge("github");
  expect(await update(forge, [RENAME], createEvent(HEAD_SHA))).toBe("created");
  expect(await update(forge, [RENAME], createEvent("0".repeat(40)))).toBe("no pull request");
  expect(await update(forge, [RENAME], createEvent(HEAD_SHA, "other&state=all"))).toBe("no pull request");
  expect(await update(forge, [RENAME], {})).toBe("no pull request");
});

it("is refused outside of CI", async () => {
  await expect(openForge({}, fetch)).rejects.toThrow(
    "--comment works in jobs of GitHub Actions and GitLab CI",
  );
});

it("has a table, and the events and what to do folded below", () => {
  expect(renderComment([RENAME, LIMIT], undefined)).toMatchInlineSnapshot(`
    "<!-- accrete W3sia2V5IjoiMDEyMzQ1Njc4OWFiY2RlZiIsInJ1bGUiOiJmaWVsZC1yZW5hbWVkIiwiZmlsZSI6InNjaGVtYXMvbm90ZXMvdjEvZXZlbnRzL25vdGUuYWRkZWQuc2NoZW1hLmpzb24iLCJtZXNzYWdlIjoibm90ZS5hZGRlZDogdGhlIGZpZWxkIFwidGV4dFwiIHdhcyByZW5hbWVkIHRvIFwiYm9keVwiLiJ9LHsia2V5IjoiYm91bmQtbmFycm93ZWQgc2NoZW1hcy9ub3Rlcy92MS9ldmVudHMvbm90ZS5hZGRlZC5zY2hlbWEuanNvbiAvcHJvcGVydGllcy9zaXplIiwicnVsZSI6ImJvdW5kLW5hcnJvd2VkIiwiZmlsZSI6InNjaGVtYXMvbm90ZXMvdjEvZXZlbnRzL25vdGUuYWRkZWQuc2NoZW1hLmpzb24iLCJtZXNzYWdlIjoibm90ZS5hZGRlZDogYXQgbW9zdCAxMCBhcmUgYWxsb3dlZCwgYmVmb3JlIGl0IHdlcmUgMjAuIn1d -->

    ### Event contract: 1 error, 1 warning

    |  | place | rule | finding |
    | --- | --- | --- | --- |
    | ❌ | \`schemas/notes/v1/events/note.added.schema.json:9\` | \`field-renamed\` | note.added: the field "text" was renamed to "body". |
    | ⚠️ | \`schemas/notes/v1/events/note.added.schema.json:12\` | \`bound-narrowed\` | note.added: at most 10 are allowed, before it were 20. |

    <details><summary>❌ <code>field-renamed in schemas/notes/v1/events/note.added.schema.json</code></summary>

    - ❌ \`field-renamed\` note.added: the field "text" was renamed to "body".
      \`schemas/notes/v1/events/note.added.schema.json:9\`
      *Rename in three steps.*

      \`\`\`json
      {
        "type": "note.added",
        "data": {
          "text": "a"
        }
      }
      \`\`\`

      fingerprint \`0123456789abcdef\`

    </details>

    <details><summary>⚠️ <code>bound-narrowed in schemas/notes/v1/events/note.added.schema.json</code></summary>

    - ⚠️ \`bound-narrowed\` note.added: at most 10 are allowed, before it were 20.
      \`schemas/notes/v1/events/note.added.schema.json:12\`

    </details>
    "
  `);
});

describe("hostile text", () => {
  const HOSTILE = "|x| @team <img src=x> `\\| --> [a](https://b) ~~\n# h";
  const hostile: Finding = {
    ...RENAME,
    message: HOSTILE,
    hint: HOSTILE,
    witness: HOSTILE,
    at: { file: `${HOSTILE}.json`, pointer: "" },
  };

  it("neither ends a cell, nor mentions somebody, nor becomes markup", () => {
    const first = renderComment([hostile], undefined) ?? "";
    for (const text of [first, renderComment([], first) ?? ""]) {
      const [marker = "", ...lines] = text.split("\n");
      expect(marker).toMatch(/^<!-- accrete [A-Za-z0-9+/=]* -->$/);
      // Code is shown as it is, and escaped characters are text.
      const rest = lines.map((line) => line.replace(/(`+)[^`].*?[^`]\1(?!`)/g, "").replace(/\\./g, ""));
      const shown = rest
        .join("\n")
        .replace(/^ {2}```json[\s\S]*?^ {2}```$/gm, "")
        .replace(/<code>([^<]|<!-- -->)*<\/code>/g, "");
      expect(shown).not.toMatch(/<img|^\s*# h|\]\(https|@team/m);
      const rows = lines.filter((line) => line.startsWith("| "));
      // Four cells have five bars that nothing escapes.
      for (const row of rows) expect(row.replace(/\\./g, "").match(/\|/g)).toHaveLength(5);
    }
  });

  it("of any length fits into a comment", async () => {
    const long = { ...hostile, message: "x".repeat(100_000), witness: { text: "y".repeat(40_000) } };
    const many = Array.from({ length: 200 }, (_, index) => ({ ...long, fingerprint: String(index) }));
    const forge = createFakeForge("github");
    expect(await update(forge, many)).toBe("created");
    expect(forge.comments[0]?.body).toContain("170 more findings in the log of the job.");
    expect(await update(forge, [])).toBe("changed");
  });

  it("in place of the remembered findings is ignored", () => {
    for (const rows of ["", "!!!", Buffer.from("[1,null,{}]").toString("base64")])
      expect(renderComment([], `<!-- accrete ${rows} -->`)).toContain("everything is resolved");
  });
});

describe("saved reports", () => {
  it("of several packages have places in the repository", () => {
    const root = createTemporaryFolder({
      "report.json": JSON.stringify({ findings: [LIMIT] }),
      "packages/a/report.json": JSON.stringify({
        findings: [{ ...RENAME, baseline: { file: "origin/main:schemas/x.json", pointer: "" } }],
      }),
      "packages/a/readme.txt": "",
    });
    expect(readReports([root]).map(({ at, baseline }) => [at.file, baseline?.file])).toEqual([
      ["packages/a/schemas/notes/v1/events/note.added.schema.json", "origin/main:schemas/x.json"],
      ["schemas/notes/v1/events/note.added.schema.json", undefined],
    ]);
  });

  it.each([
    [
      '{"findings":[{"rule":"x"}]}',
      /report\.json:1:14: This is no report of --format json: \/findings\/0 must have/,
    ],
    ["[]", /report\.json:1:1: This is no report/],
    ["", /report\.json/],
  ])("with the text %s are refused", (text, message) => {
    const root = createTemporaryFolder({ "report.json": text });
    expect(() => readReports([`${root}/report.json`])).toThrow(message);
  });

  it("are refused if there are none", () => {
    expect(() => readReports([createTemporaryFolder()])).toThrow("holds no report");
  });
});

it("is created by the account of the job", async () => {
  const forge = createFakeForge("github");
  await update(forge, [RENAME]);
  expect(forge.comments.map(({ author }) => author)).toEqual([BOT]);
});

/** If this fails, a client that is generated from openapi.json cannot talk to the server, or gets other types than it is sent. */
import { spawnSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { emitOpenapi } from "../../generator/emit/openapi/openapi.js";
import { createTemporaryFolder, writeFiles } from "../folders.js";
import { findValidators, loadRuns, startServer } from "./start.js";

/** The whole conversation of a frontend, in types that openapi-typescript generates. */
const CONVERSATION = `
import createClient from "openapi-fetch";
import type { paths } from "./paths.js";

export async function converse(url: string) {
  const client = createClient<paths>({ baseUrl: url });
  const runs = (await client.GET("/runs")).data?.data ?? [];
  const keys = runs.map(({ run }) => run);
  const inPath = (index: number) => {
    const { task_id = "-", run_id = "" } = runs[index]?.fields ?? {};
    return { task_id, run_id };
  };
  const RUN = "/hecate/v1/tasks/{task_id}/runs/{run_id}";
  const list = async (index: number) => {
    const { data } = await client.GET(\`\${RUN}/events\`, { params: { path: inPath(index), query: { limit: 100 } } });
    return (typeof data === "object" ? data.data : []).map((event) => event.type);
  };
  const decide = async (index: number, decision: "approved" | "rejected" | "timed_out") => {
    const open = (await client.GET(\`\${RUN}/approvals\`, { params: { path: inPath(index) } })).data?.data ?? [];
    const approval_id = open.find((question) => question.open)?.id ?? "";
    const { data, error } = await client.POST(\`\${RUN}/approvals/{approval_id}\`, {
      params: { path: { ...inPath(index), approval_id } },
      body: decision === "timed_out" ? { decision } : { decision, comment: "by a generated client" },
    });
    return data?.data.type ?? error?.code;
  };
  const stream = await client.GET(\`\${RUN}/stream\`, { params: { path: inPath(0) }, parseAs: "stream" });
  const reader = (stream.data as ReadableStream<Uint8Array>).getReader();
  const frame = new TextDecoder().decode((await reader.read()).value);
  const live = { type: stream.response.headers.get("content-type"), frame };
  await reader.cancel();
  const posted = await client.POST(\`\${RUN}/events\`, { params: { path: inPath(0) }, body: { type: "external.event", data: { note: "hi" } } });
  const refused = await client.POST(\`\${RUN}/events\`, { params: { path: inPath(0) }, body: { type: "user.message" } });
  const decisions = [await decide(0, "approved"), await decide(0, "rejected"), await decide(1, "timed_out"), await decide(1, "approved")];
  const artifacts = (await client.GET("/hecate/v1/artifacts", { params: { query: { kind: "patch", status: "proposed" } } })).data?.data ?? [];
  const id = artifacts[0]?.id ?? "";
  const one = (await client.GET("/hecate/v1/artifacts/{id}", { params: { path: { id } } })).data?.data;
  const params = { params: { path: { id } } };
  const apply = async () => {
    const { data, error } = await client.POST("/hecate/v1/artifacts/{id}/apply", params);
    return data?.data.status ?? error?.code;
  };
  const changes = [await apply(), await apply(), (await client.POST("/hecate/v1/artifacts/{id}/revert", params)).data?.data.status];
  const missing = (await client.GET("/hecate/v1/artifacts/{id}", { params: { path: { id: "art_x" } } })).error;
  return {
    keys, live, posted: posted.data?.data.type, refused: refused.error, decisions, missing: missing?.code,
    one: { kind: one?.kind, diff: one?.diff }, changes, events: [await list(0), await list(1)],
  };
}

export async function doNotCompile(url: string) {
  const client = createClient<paths>({ baseUrl: url });
  // @ts-expect-error There is no such path.
  await client.GET("/hecate/v1/artefacts");
  // @ts-expect-error There is no such outcome.
  await client.POST("/hecate/v1/tasks/{task_id}/runs/{run_id}/approvals/{approval_id}", { params: { path: { task_id: "", run_id: "", approval_id: "" } }, body: { decision: "aproved" } });
  // @ts-expect-error There is no such status.
  await client.GET("/hecate/v1/artifacts", { params: { query: { status: "done" } } });
}
`;

/** Returns the messages of the type checker about the conversation. */
function checkTypes(folder: string): string {
  const options = "--ignoreConfig --strict --noEmit --module nodenext --target es2022 --lib es2022,dom";
  const args = [...options.split(" "), "--types", "", "conversation.ts"];
  const { stdout } = spawnSync(path.resolve("node_modules/.bin/tsc"), args, {
    cwd: folder,
    encoding: "utf8",
  });
  return stdout;
}

const TOOLS = path.resolve(".ci/tools");

interface OpenapiTypescript {
  default(document: unknown): Promise<unknown>;
  astToString(ast: unknown): string;
}

async function loadGenerator(): Promise<OpenapiTypescript | undefined> {
  try {
    const file = createRequire(path.join(TOOLS, "package.json")).resolve("openapi-typescript");
    return await import(pathToFileURL(file).href);
  } catch {
    console.warn("openapi-typescript is absent (npm ci --prefix .ci/tools): its client is not tested");
    return undefined;
  }
}

const generator = await loadGenerator();

it.skipIf(!generator)("a generated client drives the whole conversation", async () => {
  const { protocol } = findValidators({ protocol: "hecate/v1" });
  const types = await generator?.default(JSON.parse(emitOpenapi(protocol).content));
  const folder = createTemporaryFolder();
  writeFiles(folder, {
    "package.json": '{"type":"module"}',
    "paths.d.ts": generator?.astToString(types) ?? "",
    "conversation.ts": CONVERSATION,
  });
  symlinkSync(path.join(TOOLS, "node_modules"), path.join(folder, "node_modules"));
  expect(checkTypes(folder)).toBe("");

  const names = ["approval-denied", "approval-timed-out", "file-edits"];
  const runs = await loadRuns(...names.map((name) => `fixtures/hecate/v1/streams/${name}.jsonl`));
  // The patch of the last run is still proposed.
  const cut = runs.map((run, index) => (index === 2 ? { ...run, events: run.events.slice(0, 14) } : run));
  const { url } = await startServer({ runs: cut, isInteractive: true });
  const { converse } = await import(path.join(folder, "conversation.ts"));
  const result = await converse(url);
  expect(result).toMatchObject({
    keys: runs.map(({ key }) => key),
    live: { type: "text/event-stream", frame: expect.stringContaining("retry: 1000") },
    posted: "external.event",
    refused: { status: 422, code: "body-invalid" },
    decisions: ["approval.resolved", "approval.resolved", "approval.timed_out", "path-unknown"],
    one: { kind: "patch", diff: expect.stringContaining("+++ b/") },
    changes: ["applied", "state-conflict", "reverted"],
    missing: "path-unknown",
  });
  expect(result.events.map((types: string[]) => [types.length, types.at(-1)])).toEqual([
    [28, "run.failed"],
    [8, "run.cancelled"],
  ]);
});

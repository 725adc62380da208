/** If this fails, a frontend cannot test its review of patches against this server. */
import { describe, expect, it } from "vitest";
import { validateArtifactResource } from "../../generated/hecate/v1/writer.js";
import { findStreamErrors } from "../../generator/kit/find-stream-errors.js";
import { findValidators, loadRuns, parseBody, sendRequest, startServer } from "./start.js";

const RUNS = await loadRuns("fixtures/hecate/v1/streams/file-edits.jsonl");
const ARTIFACTS = "/hecate/v1/artifacts";
/** Proposed by event 12, applied by event 16 and reverted by event 37. */
const NEW_FILE = "art_01KQQ7BWBK1P1Z0GANYKJ36SXB";
/** Applied by event 14. */
const EDIT = "art_01KQQ7BWCMCYSCDV36NZ8TRBZ6";

/** Starts a server on which the first `count` events have happened. */
async function startAt(count: number) {
  const { url } = await startServer({ runs: RUNS, pace: { kind: "step" } });
  await sendRequest(`${url}/step?count=${count}`, {}, { method: "POST" });
  const get = async (path: string) => {
    const { status, headers, body } = await sendRequest(`${url}${path}`);
    return { status, type: headers["content-type"], body: parseBody({ body }) };
  };
  const post = async (path: string) => {
    const { status, body } = await sendRequest(`${url}${path}`, {}, { method: "POST" });
    return { status, body: parseBody({ body }) };
  };
  const listIds = async (query: string): Promise<string[]> =>
    (await get(`${ARTIFACTS}${query}`)).body.data.map(({ id }: { id: string }) => id);
  const listEvents = async () => (await get(`/hecate/v1/events`)).body.data;
  return { url, get, post, listIds, listEvents };
}

describe("artifacts", () => {
  it("are those of the events that have happened, and match their schema", async () => {
    const { get, listIds } = await startAt(15);
    expect(await listIds("")).toEqual([NEW_FILE, EDIT]);
    const { status, body } = await get(`${ARTIFACTS}/${NEW_FILE}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      object: "artifact",
      data: {
        id: NEW_FILE,
        kind: "patch",
        status: "proposed",
        target_path: "/tmp/hecate-workspaces/task_edits/run_edits/internal/budget/generics.go",
        diff: expect.stringContaining("+++ b/tmp/hecate-workspaces"),
        created_at: "2026-05-03T15:30:00.204Z",
        produced_by_run_id: RUNS[0]?.key,
        produced_by_tool_call_id: "e1",
      },
    });
    const all = await startAt(100);
    const list = (await all.get(ARTIFACTS)).body;
    expect(list.data).toHaveLength(6);
    for (const data of list.data)
      expect(validateArtifactResource({ object: "artifact", data }), JSON.stringify(data)).toBe(true);
  });

  it.each<[string, query: string, count: number]>([
    ["kind", "?kind=patch", 6],
    ["another kind", "?kind=image", 0],
    ["run", `?run_id=${RUNS[0]?.key}`, 6],
    ["another run", "?run_id=run_x", 0],
    ["status", "?status=reverted", 5],
    ["all three", `?kind=patch&status=rejected&run_id=${RUNS[0]?.key}`, 1],
  ])("are selected by %s", async (_, query, count) => {
    const { listIds } = await startAt(100);
    expect(await listIds(query)).toHaveLength(count);
  });

  it.each<[string, path: string, status: number, problem: object]>([
    ["an unknown id", "/art_x", 404, { code: "path-unknown", detail: expect.stringContaining('"art_x"') }],
    ["an artifact of a later event", "/art_01KQQ7C0H7J18GCYM58MBHK5W9", 404, { code: "path-unknown" }],
    [
      "a misspelt status",
      "?status=aplied",
      400,
      { code: "parameter-invalid", detail: expect.stringContaining('did you mean "applied"?') },
    ],
    ["a misspelt filter", "?kinds=patch", 400, { code: "parameter-unknown" }],
    ["a second status", "?status=applied&status=proposed", 400, { code: "parameter-repeated" }],
    ["reading an operation", `/${NEW_FILE}/apply`, 405, { code: "method-unsupported" }],
    ["an unknown operation", `/${NEW_FILE}/aply`, 404, { code: "path-unknown" }],
  ])("are refused for %s", async (_, path, status, problem) => {
    const { get } = await startAt(15);
    expect(await get(ARTIFACTS + path)).toMatchObject({
      status,
      type: "application/problem+json",
      body: problem,
    });
  });

  it("are applied and reverted once, and the events come on the streams", async () => {
    const { get, post, listEvents } = await startAt(14);
    const path = `${ARTIFACTS}/${NEW_FILE}`;
    expect(await post(`${path}/revert`)).toMatchObject({
      status: 409,
      body: {
        code: "state-conflict",
        detail: expect.stringContaining("is proposed; revert is possible only if it is applied"),
      },
    });
    expect(await post(`${path}/apply`)).toMatchObject({
      status: 200,
      body: { object: "artifact", data: { status: "applied", applied_at: expect.any(String) } },
    });
    expect(await post(`${path}/apply`)).toMatchObject({ status: 409, body: { code: "state-conflict" } });
    expect(await post(`${path}/reject`)).toMatchObject({ status: 409 });
    expect(await post(`${path}/revert`)).toMatchObject({
      status: 200,
      body: { data: { status: "reverted" } },
    });
    expect(await post(`${path}/revert`)).toMatchObject({ status: 409 });
    expect((await get(path)).body.data).toMatchObject({
      status: "reverted",
      reverted_at: expect.any(String),
    });
    const events = await listEvents();
    expect(events.slice(14)).toMatchObject([
      {
        sequence: 14,
        type: "tool.file.applied",
        data: { artifact_id: NEW_FILE, artifact_status: "applied" },
      },
      {
        sequence: 15,
        type: "tool.file.reverted",
        data: { artifact_id: NEW_FILE, artifact_status: "reverted" },
      },
    ]);
    const { decodeEvent, protocol } = findValidators({ protocol: "hecate/v1" });
    for (const event of events)
      expect(decodeEvent(event, { profile: "writer" })).toMatchObject({ kind: "known" });
    expect(findStreamErrors(protocol, events)).toEqual([]);
  });

  it("are rejected with an event that states the old and the new status", async () => {
    const { post, listEvents } = await startAt(14);
    expect(await post(`${ARTIFACTS}/${NEW_FILE}/reject`)).toMatchObject({
      status: 200,
      body: { data: { status: "rejected" } },
    });
    expect((await listEvents()).at(-1)).toMatchObject({
      type: "artifact.updated",
      data: { artifact_id: NEW_FILE, field: "status", old_value: "proposed", new_value: "rejected" },
    });
  });

  it.each(["apply", "reject"])("do not change again as recorded after a caller sends %s", async (name) => {
    const { post, get, listEvents } = await startAt(14);
    await post(`${ARTIFACTS}/${NEW_FILE}/${name}`);
    await post("/step?count=100");
    const events: { type: string; sequence: number; data: { artifact_id?: string } }[] = await listEvents();
    const isChange = ({ type, data }: (typeof events)[number]): boolean =>
      data.artifact_id === NEW_FILE && /^(tool\.file\.(applied|reverted)|artifact\.updated)$/.test(type);
    expect(events.filter(isChange)).toHaveLength(1);
    // One event was added, and two recorded changes did not happen.
    expect(events.map(({ sequence }) => sequence)).toEqual([...Array(41).keys()]);
    expect(findStreamErrors(findValidators({ protocol: "hecate/v1" }).protocol, events)).toEqual([]);
    const { data } = (await get(`${ARTIFACTS}/${NEW_FILE}`)).body;
    expect(data.status).toBe(name === "apply" ? "applied" : "rejected");
    // Other artifacts change as recorded.
    expect((await get(`${ARTIFACTS}?status=reverted`)).body.data.length).toBeGreaterThan(2);
  });
});

/** The parts of the APIs of GitHub and GitLab that comments need, in memory. Answers have the members of recorded ones. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { Environment } from "../../generator/io.js";
import { createTemporaryFolder } from "../folders.js";

/** A comment of the fake forge. */
export interface FakeComment {
  readonly id: number;
  body: string;
  readonly author: string;
}

/** A forge with one repository and the pull request 7, whose head is the commit `HEAD_SHA` of a fork. */
export interface FakeForge {
  readonly kind: "github" | "gitlab";
  readonly comments: FakeComment[];
  /** The requests that changed something. */
  readonly changes: string[];
  /** The variables of a job of the pull request, with an event of GitHub. */
  createEnvironment(event?: object): Environment;
  /** A replacement of `fetch`. */
  readonly request: typeof fetch;
}

export const HEAD_SHA = "4f1b1d3f0a7e9c6d1c7a0e7b2f6f5f1f5d1c2b3a";
export const BOT = "github-actions[bot]";

interface Answer {
  readonly status: number;
  readonly document: unknown;
}

interface Question {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: string;
}

const NOT_FOUND: Answer = { status: 404, document: { message: "Not Found" } };

export function createFakeForge(kind: FakeForge["kind"], base = "https://forge.example/api"): FakeForge {
  const comments: FakeComment[] = [];
  const changes: string[] = [];
  const state = { comments, changes };
  const answer = (question: Question) =>
    (kind === "github" ? answerAsGitHub : answerAsGitLab)(question, state, new URL(base).pathname);
  return {
    kind,
    ...state,
    createEnvironment: (event = { pull_request: { number: 7 } }) => {
      if (kind === "gitlab")
        return {
          ...{ GITLAB_CI: "true", CI_API_V4_URL: base, CI_PROJECT_ID: "42", CI_MERGE_REQUEST_IID: "7" },
          GITLAB_TOKEN: "secret",
        };
      const folder = createTemporaryFolder({ "event.json": JSON.stringify(event) });
      return {
        ...{ GITHUB_ACTIONS: "true", GITHUB_API_URL: base, GITHUB_REPOSITORY: "octo/notes" },
        ...{ GITHUB_TOKEN: "secret", GITHUB_EVENT_PATH: `${folder}/event.json` },
      };
    },
    request: async (input, { method = "GET", headers, body } = {}) => {
      const question = { method, url: new URL(String(input)), headers: new Headers(headers) };
      const { status, document } = answer({ ...question, body: String(body ?? "") });
      return new Response(JSON.stringify(document), { status });
    },
  };
}

interface State {
  readonly comments: FakeComment[];
  readonly changes: string[];
}

function answerAsGitHub({ method, url, headers, body }: Question, state: State, base: string): Answer {
  if (headers.get("authorization") !== "Bearer secret") return { status: 401, document: {} };
  const path = url.pathname.slice(base.length);
  // The token of a job has no user.
  if (path === "/user")
    return { status: 403, document: { message: "Resource not accessible by integration" } };
  if (path === "/repos/octo/notes/pulls") {
    const isHead =
      url.searchParams.get("head") === "friend:topic" && url.searchParams.get("state") === "open";
    return { status: 200, document: isHead ? [{ number: 7, head: { sha: HEAD_SHA } }] : [] };
  }
  const show = ({ id, body, author }: FakeComment) => ({
    ...{ id, body, html_url: `https://forge.example/octo/notes/pull/7#issuecomment-${id}` },
    user: { login: author, type: author.endsWith("[bot]") ? "Bot" : "User" },
  });
  const list = path === "/repos/octo/notes/issues/7/comments";
  return answerAboutComments({ method, url, body }, state, {
    list,
    id: /^\/repos\/octo\/notes\/issues\/comments\/(\d+)$/.exec(path)?.[1],
    updates: "PATCH",
    author: BOT,
    maximum: 65_536,
    show,
  });
}

function answerAsGitLab({ method, url, headers, body }: Question, state: State, base: string): Answer {
  if (headers.get("private-token") !== "secret") return { status: 401, document: {} };
  const path = url.pathname.slice(base.length);
  if (path === "/user") return { status: 200, document: { id: "bot", username: "project_42_bot" } };
  const notes = "/projects/42/merge_requests/7/notes";
  return answerAboutComments({ method, url, body }, state, {
    list: path === notes,
    id: path.startsWith(`${notes}/`) ? path.slice(notes.length + 1) : undefined,
    updates: "PUT",
    author: "bot",
    maximum: 1_000_000,
    show: ({ id, body, author }) => ({ id, body, author: { id: author }, system: false }),
  });
}

function answerAboutComments(
  { method, url, body }: Pick<Question, "method" | "url" | "body">,
  { comments, changes }: State,
  api: {
    readonly list: boolean;
    readonly id: string | undefined;
    readonly updates: string;
    readonly author: string;
    readonly maximum: number;
    readonly show: (comment: FakeComment) => object;
  },
): Answer {
  if (api.list && method === "GET") {
    const [size, page] = ["per_page", "page"].map((name) => Number(url.searchParams.get(name)));
    if (!size || size > 100 || !page) return { status: 422, document: {} };
    return { status: 200, document: comments.slice((page - 1) * size, page * size).map(api.show) };
  }
  const text: unknown = JSON.parse(body || "{}").body;
  if (typeof text !== "string" || text.length > api.maximum) return { status: 422, document: {} };
  if (api.list && method === "POST") {
    const comment = { id: comments.length + 1, body: text, author: api.author };
    comments.push(comment);
    changes.push(`create ${comment.id}`);
    return { status: 201, document: api.show(comment) };
  }
  const comment = comments.find(({ id }) => String(id) === api.id);
  if (!comment || method !== api.updates) return NOT_FOUND;
  comment.body = text;
  changes.push(`update ${comment.id}`);
  return { status: 200, document: api.show(comment) };
}

/** Serves a fake forge over HTTP. Returns its address. The server ends with the test. */
export async function serveFakeForge(forge: FakeForge): Promise<string> {
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const { method = "GET", url = "", headers } = request;
    const plain = new Headers(headers as { [name: string]: string });
    const body = Buffer.concat(parts).toString();
    const answer = await forge.request(`https://forge.example${url}`, {
      ...{ method, headers: plain },
      ...(body !== "" && { body }),
    });
    response.writeHead(answer.status, { "content-type": "application/json" }).end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`;
}

/** The comments of a pull request on GitHub, or of a merge request on GitLab, over the API of the forge. */
import { readFileSync } from "node:fs";
import { UsageError } from "../failure.js";
import type { Environment } from "../io.js";
import { getMembers, getOwn, isObject, type Json, type JsonObject, listItems } from "../json.js";

/** A comment that exists. */
interface Comment {
  readonly id: string;
  readonly body: string;
}

/** The comments of one pull request. */
export interface Forge {
  /** Returns the comments of the account of this token, the oldest first. */
  listOwnComments(): Promise<readonly Comment[]>;
  createComment(body: string): Promise<void>;
  updateComment(id: string, body: string): Promise<void>;
}

/** Sends a request. It is `fetch`, or a replacement of tests. */
type Request = typeof fetch;

/** The milliseconds after which a request fails. */
const TIMEOUT = 30_000;

const PAGE_SIZE = 100;
const MAX_PAGES = 50;

/**
 * Returns the comments of the pull request that this CI job belongs to; undefined if it belongs to none. Throws a
 * UsageError outside of CI, and without a token.
 */
export async function openForge(environment: Environment, request: Request): Promise<Forge | undefined> {
  if (environment.GITLAB_CI === "true") return openGitLab(environment, request);
  if (environment.GITHUB_ACTIONS === "true") return openGitHub(environment, request);
  throw new UsageError(
    "--comment works in jobs of GitHub Actions and GitLab CI, whose variables name the pull request.",
  );
}

function readVariable(environment: Environment, name: string, meaning: string): string {
  const value = environment[name];
  if (value === undefined || value === "") throw new UsageError(`--comment needs ${name}: ${meaning}.`);
  return value;
}

async function openGitHub(environment: Environment, request: Request): Promise<Forge | undefined> {
  const base = environment.GITHUB_API_URL ?? "https://api.github.com";
  const repository = readVariable(environment, "GITHUB_REPOSITORY", "the owner and name of the repository");
  const token = readVariable(environment, "GITHUB_TOKEN", "a token that may write to pull requests");
  const eventFile = readVariable(environment, "GITHUB_EVENT_PATH", "the file with the event of the job");
  const headers = {
    accept: "application/vnd.github+json",
    authorization: `Bearer ${token}`,
    "x-github-api-version": "2022-11-28",
  };
  const call = createCaller(request, `${base}/repos/${repository}`, headers);
  const number = await findPullRequest(JSON.parse(readFileSync(eventFile, "utf8")), call);
  if (number === undefined) return undefined;
  return {
    listOwnComments: async () => {
      // A token of GitHub Actions cannot ask who it is; its comments are those of a bot.
      const viewer = await createCaller(request, base, headers)("GET", "/user").catch(() => undefined);
      const login = getMember(viewer, "login");
      const comments = await listAll(call, `/issues/${number}/comments`);
      return comments
        .filter(({ user }) =>
          login === undefined ? getMember(user, "type") === "Bot" : getMember(user, "login") === login,
        )
        .map(readComment);
    },
    createComment: async (body) => void (await call("POST", `/issues/${number}/comments`, { body })),
    updateComment: async (id, body) => void (await call("PATCH", `/issues/comments/${id}`, { body })),
  };
}

/**
 * Finds the number of the pull request of an event of GitHub. The event `workflow_run` of a fork does not name it, and what
 * the fork's job wrote is not trusted, so the open pull requests of its branch are asked for.
 */
async function findPullRequest(event: Json, call: Call): Promise<number | undefined> {
  const number = getMember(getMember(event, "pull_request"), "number");
  if (typeof number === "number") return number;
  const run = getMember(event, "workflow_run");
  if (run === undefined) return undefined;
  const [branch, head, owner] = [
    getMember(run, "head_branch"),
    getMember(run, "head_sha"),
    getMember(getMember(getMember(run, "head_repository"), "owner"), "login"),
  ];
  const query = new URLSearchParams({ state: "open", head: `${owner}:${branch}` });
  const pulls = listItems(await call("GET", `/pulls?${query}`));
  const pull = pulls.find((each) => getMember(getMember(each, "head"), "sha") === head);
  const pullNumber = getMember(pull, "number");
  return typeof pullNumber === "number" ? pullNumber : undefined;
}

async function openGitLab(environment: Environment, request: Request): Promise<Forge | undefined> {
  const merge = environment.CI_MERGE_REQUEST_IID;
  if (merge === undefined || merge === "") return undefined;
  const base = readVariable(environment, "CI_API_V4_URL", "the address of the API");
  const project = readVariable(environment, "CI_PROJECT_ID", "the number of the project");
  const token = readVariable(environment, "GITLAB_TOKEN", "a project access token with the scope api");
  const headers = { "private-token": token };
  const call = createCaller(request, base, headers);
  const notes = `/projects/${encodeURIComponent(project)}/merge_requests/${encodeURIComponent(merge)}/notes`;
  return {
    listOwnComments: async () => {
      const viewer = getMember(await call("GET", "/user"), "id");
      const comments = await listAll(call, notes, { sort: "asc", order_by: "created_at" });
      return comments.filter(({ author }) => getMember(author, "id") === viewer).map(readComment);
    },
    createComment: async (body) => void (await call("POST", notes, { body })),
    updateComment: async (id, body) => void (await call("PUT", `${notes}/${id}`, { body })),
  };
}

/** Sends a request to the API, and returns the document of the answer. */
type Call = (method: string, path: string, content?: JsonObject) => Promise<Json>;

function createCaller(request: Request, base: string, headers: { readonly [name: string]: string }): Call {
  return async (method, path, content) => {
    const response = await request(base + path, {
      method,
      headers: { ...headers, ...(content && { "content-type": "application/json" }) },
      ...(content && { body: JSON.stringify(content) }),
      signal: AbortSignal.timeout(TIMEOUT),
    }).catch((error: unknown) => {
      const { message, cause } = error as Error;
      const reason = cause instanceof Error ? `${message}: ${cause.message}` : message;
      throw new UsageError(`${method} ${base}${path}: ${reason}`);
    });
    if (response.ok) return response.json() as Promise<Json>;
    const advice =
      response.status === 401 || response.status === 403 || response.status === 404
        ? " The token of the job may not do this; the page Pull requests of the documentation says which permission it needs, and what to do for forks."
        : "";
    throw new UsageError(`${method} ${base}${path}: the answer was ${response.status}.${advice}`);
  };
}

/** Returns all items of a list that the API gives in pages. */
async function listAll(
  call: Call,
  path: string,
  query: { readonly [name: string]: string } = {},
): Promise<JsonObject[]> {
  const items: JsonObject[] = [];
  for (let page = 1; page <= MAX_PAGES; page++) {
    const parameters = new URLSearchParams({ ...query, per_page: String(PAGE_SIZE), page: String(page) });
    const found = listItems(await call("GET", `${path}?${parameters}`));
    items.push(...found.filter(isObject));
    if (found.length < PAGE_SIZE) break;
  }
  return items;
}

function getMember(value: Json | undefined, name: string): Json | undefined {
  return getOwn(getMembers(value), name);
}

function readComment({ id, body }: JsonObject): Comment {
  return { id: String(id), body: String(body) };
}

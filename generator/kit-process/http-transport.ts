import { sanitizeLine } from "../text.js";
import { type Answer, parseAnswerBody, quoteText } from "./answer.js";
import { MAX_ANSWER_BYTES, MAX_ANSWER_MB, type Transport, type TransportListener } from "./transport.js";

/** A POST to an adapter, and what has arrived of its response. */
interface Post {
  readonly url: string;
  /** One request, or a list. */
  readonly body: string;
  readonly signal: AbortSignal;
  readonly received: Buffer[];
}

/** Opens a transport to an adapter behind an HTTP URL. The response to a POST holds the answers to all of its requests. */
export function openHttpTransport(url: string, listener: TransportListener): Transport {
  const abortion = new AbortController();
  const { signal } = abortion;
  let received: Buffer[] = [];
  let lastPost = Promise.resolve();
  let sentCount = 0;
  const post = async (body: string, count: number): Promise<void> => {
    if (signal.aborted) return;
    received = [];
    try {
      const answers = await fetchAnswers({ url, body, signal, received });
      if (typeof answers === "string") {
        listener.refuse(answers);
        return;
      }
      for (const answer of answers) listener.takeAnswer(answer);
      listener.expectAnswers(count);
    } catch (error) {
      if (!signal.aborted) listener.end(describeNetworkError(error));
    }
  };
  return {
    send(requests) {
      sentCount += requests.length;
      const count = sentCount;
      const body = requests.length === 1 ? String(requests[0]) : `[${requests.join()}]`;
      // A server handles two POSTs in any order, but the order of events matters.
      lastPost = lastPost.then(() => post(body, count));
    },
    describeRest() {
      const rest = Buffer.concat(received);
      return rest.length === 0 ? "" : `. Its last response is incomplete: ${quoteText(rest)}`;
    },
    close: () => abortion.abort(),
  };
}

/** Sends a POST. Returns the answers, or a sentence without a full stop if the response holds something else. */
async function fetchAnswers(post: Post): Promise<readonly Answer[] | string> {
  const { url, body, signal, received } = post;
  const headers = { "content-type": "application/json", accept: "application/json" };
  const response = await fetch(url, { method: "POST", headers, body, signal, redirect: "manual" });
  if (isRedirect(response)) return describeRedirect(response);
  let length = 0;
  for await (const chunk of response.body ?? []) {
    received.push(Buffer.from(chunk));
    length += chunk.length;
    if (length > MAX_ANSWER_BYTES)
      return `The adapter sent a response of more than ${MAX_ANSWER_MB} MB: ${quoteText(Buffer.concat(received))}`;
  }
  const content = Buffer.concat(received);
  received.length = 0;
  if (response.status !== 200)
    return `The adapter answered with the HTTP status ${response.status}, which must be 200: ${quoteText(content)}. An exception of the consumer is an error of JSON-RPC`;
  return parseAnswerBody(content, response.headers.get("content-type") ?? "no content type");
}

function isRedirect({ status }: Response): boolean {
  return status >= 300 && status < 400;
}

function describeRedirect({ status, headers }: Response): string {
  const target = sanitizeLine(headers.get("location") ?? "nowhere");
  return `The adapter redirects to ${target} (HTTP status ${status}). Give the final address to --url`;
}

/** The codes of errors that come after a connection was made. */
const BROKEN_CONNECTION = /^(ECONNRESET|EPIPE|HPE_|UND_ERR_SOCKET|UND_ERR_RES)/;

/** Describes an error of fetch, whose message is always the same; its cause says what happened. */
function describeNetworkError(error: unknown): string {
  const { cause, message } = error as Error;
  const { code, message: reason = message } = (cause ?? {}) as NodeJS.ErrnoException;
  const detail = sanitizeLine(reason === "" ? String(code) : reason);
  return BROKEN_CONNECTION.test(String(code))
    ? `broke the connection (${detail})`
    : `could not be reached (${detail})`;
}

/** Answers to requests as data: a handler makes them, `send` writes them. */
import type { PageSource } from "./list.js";
import type { Parameters } from "./query.js";
import type { StreamSource } from "./stream.js";

/** The parts of a request that handlers use. */
export interface Request {
  /** The path, still encoded. */
  readonly path: string;
  readonly parameters: Parameters;
  header(name: string): string | undefined;
}

/** A file of the page at `/`. It is held in memory, so that no path of a request reaches the file system. */
export interface SiteFile {
  readonly type: string;
  readonly body: Uint8Array;
  /** Additional headers. */
  readonly headers?: { readonly [name: string]: string };
}

/** An answer of one of five kinds. */
export type Answer =
  | { readonly kind: "json"; readonly value: unknown }
  | ({ readonly kind: "file" } & SiteFile)
  | { readonly kind: "page"; readonly page: PageSource }
  | { readonly kind: "stream"; readonly stream: StreamSource }
  /** Status 204: the stream has ended. */
  | { readonly kind: "nothing" };

/** The handler of one path. */
export interface Route {
  readonly method: "GET" | "POST";
  /** The names of its parameters; any other one is refused. Without this list, parameters are ignored. */
  readonly parameters?: readonly string[];
  answer(request: Request): Answer;
}

/** What a request is answered with, as data: a handler makes it, `send` writes it. */
import type { PageSource } from "./list.js";
import type { Parameters } from "./query.js";
import type { StreamSource } from "./stream.js";

/** What a handler may look at. */
export interface Request {
  /** The path as it was asked for. */
  readonly path: string;
  readonly parameters: Parameters;
  header(name: string): string | undefined;
}

/** A file of the page at `/`, held in memory: paths never reach a file system. */
export interface SiteFile {
  readonly type: string;
  readonly body: Uint8Array;
  /** Headers besides those of every file. */
  readonly headers?: { readonly [name: string]: string };
}

/** One of the kinds of answers. */
export type Answer =
  | { readonly kind: "json"; readonly value: unknown }
  | ({ readonly kind: "file" } & SiteFile)
  | { readonly kind: "page"; readonly page: PageSource }
  | { readonly kind: "stream"; readonly stream: StreamSource }
  /** 204: there is nothing more to say. */
  | { readonly kind: "nothing" };

/** A path that is answered. */
export interface Route {
  readonly method: "GET" | "POST";
  /** The names of the parameters that it knows; every other one is refused. Without names none is looked at. */
  readonly parameters?: readonly string[];
  answer(request: Request): Answer;
}

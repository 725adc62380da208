/** The catalogue as a list of sections: headings first, so that every slug is known before a link is written. */
import GithubSlugger from "github-slugger";
import type { Protocol, Schema } from "../model/protocol.js";
import { definitionId, eventId, type Sections } from "./catalog-pen.js";
import { code, plain, plainCode, prose } from "./markdown.js";

export interface Section {
  readonly id: string;
  readonly depth: 1 | 2 | 3;
  /** The heading, Markdown. */
  readonly title: string;
  /** The text that the heading shows. */
  readonly shown: string;
  /** The blocks below the heading, written when all slugs are known. */
  body(sections: Sections): readonly string[];
}

/** A section under words of ours or of the protocol. */
export function section(id: string, depth: 1 | 2 | 3, text: string, body: Section["body"]): Section {
  return { id, depth, title: prose(text), shown: plain(text), body };
}

/** A section under a bare name and, if need be, words of ours after it. */
export function nameSection(id: string, name: string, body: Section["body"], words = ""): Section {
  return { id, depth: 3, title: code(name) + words, shown: plainCode(name) + words, body };
}

export const ENVELOPE_ID = "envelope";

/** Where the sections stand under GitHub's rules: equal slugs are numbered in document order. */
export function locate(list: readonly Section[], protocol: Protocol): Sections {
  const slugger = new GithubSlugger();
  const slugs = new Map(list.map(({ id, shown }) => [id, slugger.slug(shown)]));
  const wholes = new Map<Schema, string>(
    protocol.events.map(({ type, payload }) => [payload, eventId(type)]),
  );
  wholes.set(protocol.envelope.schema, ENVELOPE_ID);
  for (const [name, { schema }] of Object.entries(protocol.definitions)) {
    const slug = slugs.get(wholes.get(schema) ?? "");
    if (slug !== undefined) slugs.set(definitionId(name), slug);
  }
  return { slugs, definitions: protocol.definitions };
}

/** The document that the sections make. */
export function render(list: readonly Section[], sections: Sections): string {
  return list
    .flatMap(({ depth, title, body }) => [`${"#".repeat(depth)} ${title}`, ...body(sections)])
    .filter((block) => block !== "")
    .join("\n\n");
}

/** What the two validators are given in place of RegExp, which may take for ever and cannot be interrupted. */
import type { Json } from "../../json.js";

/** Whether a value is valid; throws where the validator does. */
export type Judge = (value: Json) => boolean;

/** Whether a pattern matches somewhere in a text. */
export type Matcher = (source: string, text: string) => boolean;

/** RegExp in u mode, for texts that are known to be harmless. */
export const natively: Matcher = (source, text) => new RegExp(source, "u").test(text);

/** A pattern as validators use one. */
export class Tester {
  constructor(
    private readonly source: string,
    private readonly matches: Matcher,
  ) {}

  /** Whether the pattern matches somewhere in the text. */
  test(text: string): boolean {
    return this.matches(this.source, text);
  }

  /** A text that tells patterns apart. */
  toString(): string {
    return `/${this.source}/u`;
  }
}

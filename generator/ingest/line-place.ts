import type { Input } from "./input.js";
import type { Place } from "./place.js";
import type { Share } from "./shard.js";

/** The place of the line in hand. */
export class LinePlace implements Place {
  readonly what = "line";
  line = 1;
  offset = 0;
  pointer = "";
  item = 0;
  bytes: Buffer = Buffer.alloc(0);
  start = 0;
  stop = 0;

  constructor(
    readonly input: Input,
    private readonly share: Share,
  ) {}

  text(): string {
    return this.bytes.toString("utf8", this.start, this.stop);
  }

  at(offset: number): { file: string; line: number; column: number; offset: number } {
    const before = Buffer.byteLength(this.text().slice(0, offset));
    return { file: this.input.name, line: this.line, column: offset + 1, offset: this.offset + before };
  }

  hint(): string | undefined {
    return this.share.hint(this.bytes.toString("latin1", this.start, this.stop), 0, this.stop - this.start);
  }
}

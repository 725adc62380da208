/** One thing to read, in the order of the command line. */
export interface Input {
  readonly index: number;
  /** As findings name it. */
  readonly name: string;
  /** The file that holds it, if there is one. */
  readonly file?: string;
  /** Whether the file holds its bytes as they are, so that each can be read again: it is not packed. */
  readonly plain?: boolean;
}

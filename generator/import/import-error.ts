/** The reason why an input cannot be imported, as a sentence for the user. */
export class ImportError extends Error {
  constructor(
    message: string,
    /** A sentence about an option of `accrete import` that helps. Other commands do not have it. */
    readonly hint?: string,
  ) {
    super(message);
  }
}

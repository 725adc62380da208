/** The reason why an input cannot be imported, as a sentence for the user. */
export class ImportError extends Error {}

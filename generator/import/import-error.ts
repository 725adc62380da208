/** Says why an input cannot be imported. The message is a sentence for the user. */
export class ImportError extends Error {}

/** A request that cannot be answered: the HTTP status, and a sentence that states how to fix the request. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly headers: { readonly [name: string]: string } = {},
  ) {
    super(message);
  }
}

/** Returns the JSON body of an error answer. */
export function problemBody(status: number, message: string): string {
  return `${JSON.stringify({ object: "error", status, message })}\n`;
}

/** Returns the page of the playground as one HTML file. */
export function buildPlayground(): Promise<string>;

export const BUNDLERS: { readonly [name: string]: (entry: string) => Promise<string> };

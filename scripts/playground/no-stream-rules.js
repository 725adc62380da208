/** In place of generator/conform/stream-rules.ts: the schemas of the playground declare no stream rules. */
export const STREAM_RULES = [];
export const STREAM_FINDINGS = [];

/** Returns no declarations. Throws if there are some, so that none is ignored. */
export function listDeclarations(rules = {}) {
  if (Object.keys(rules).length > 0) throw new Error("The playground compares no stream rules.");
  return [];
}

/** Removes the optional methods from an adapter of the documentation that the rebuilder does not have. */
export function removeHooks(adapter: string): string {
  const edited = adapter
    .replace(/"opaque", .*"reconnect"/, '"opaque", "viewRun"')
    .replace(/^\s*"(?:gaps|cursor|reconnect)"(?::| =>).*\n/gm, "");
  if (/Gaps|gaps|econnect/.test(edited)) throw new Error("The adapter still has a method of the reducer.");
  return edited;
}

/** Edits the adapters of the documentation, so that they call other optional methods of their consumers. */

/** An edit of the source of an adapter. `find` occurs there once. */
type Edit = readonly [find: string, replacement: string];

/** The edits that add `ingest`. Go's decoder of JSON decodes base64, too; Rust needs a package for it. */
const INGEST: { readonly [language in "go" | "rust"]: readonly Edit[] } = {
  go: [
    ['"viewRun", "reconnect"}', '"viewRun", "reconnect", "ingest"}'],
    ["Events           []json.RawMessage", "Events           []json.RawMessage\n\tBytes            []byte"],
    [
      "var methods = map[string]func(*Timeline, params) any{",
      '$&\n\t"ingest": func(t *Timeline, p params) any { t.Ingest(p.Bytes); return nil },',
    ],
  ],
  rust: [
    ['"viewRun", "reconnect"]', '"viewRun", "reconnect", "ingest"]'],
    ["use serde_json::{", "use base64::{prelude::BASE64_STANDARD, Engine};\n$&"],
    [
      '"reconnect" => consumer.reconnect(),',
      `$&
        "ingest" => {
            let bytes = BASE64_STANDARD.decode(text("bytes"));
            consumer.ingest(&bytes.map_err(|error| error.to_string())?)?;
        }`,
    ],
  ],
};

/** Adds the method `ingest`. */
export function addIngest(adapter: string, language: "go" | "rust"): string {
  let edited = adapter;
  for (const [find, replacement] of INGEST[language]) {
    if (edited.split(find).length !== 2)
      throw new Error(`The adapter does not contain this text exactly once: ${find}`);
    edited = edited.replace(find, replacement);
  }
  return edited;
}

/** Removes the optional methods that the rebuilder does not have. */
export function removeReducerHooks(adapter: string): string {
  const edited = adapter
    .replace(/"opaque", .*"reconnect"/, '"opaque", "viewRun"')
    .replace(/^\s*"(?:gaps|cursor|reconnect)"(?::| =>).*\n/gm, "");
  if (/Gaps|gaps|econnect/.test(edited)) throw new Error("The adapter still has a method of the reducer.");
  return edited;
}

import type { OutputFile, Protocol } from "../../protocol/protocol.js";
import { createBanner, sanitizeLine } from "../../text.js";
import { formatMachinesFile, formatWellFormedJson, hasStreamChecker } from "../machines/machines-file.js";
import { planProtocol } from "../plan/plan.js";
import { type Checks, formatValidationFile } from "../plan/validation.js";
import { readSourceFile, replaceConstants } from "../source-file.js";
import { formatLibrary, NAMING } from "./library.js";
import { formatString } from "./text.js";

/**
 * `rust/`: a crate with serde types of events, payloads, definitions and resources, `decode_event`, `EventReader` and, if
 * there are rules about streams, `StreamChecker`. Its source is laid out as rustfmt does.
 */
export function emitRust(protocol: Protocol, checks: Checks = "contract"): OutputFile[] {
  const plan = planProtocol(protocol, NAMING);
  const files = {
    "Cargo.toml": `# ${createBanner()}\n${formatManifest(protocol)}`,
    "src/lib.rs": `// ${createBanner()}\n${formatLibrary(protocol, plan)}`,
    "src/validation.rs": `// ${createBanner()}\n${readSourceFile("rust/package/validation.rs")}`,
    "src/validation.json": formatValidationFile(protocol, checks, formatWellFormedJson),
    "src/stream.rs": `// ${createBanner()}\n${formatStreamModule(protocol)}`,
  };
  return Object.entries({ ...files, ...createCheckerFiles(protocol) }).map(([path, content]) => ({
    path: `${protocol.id}/rust/${path}`,
    content,
  }));
}

/** Formats `stream.rs`: the reader of streams, with the meaning of `createReader` of accrete-client/stream. */
function formatStreamModule({ stream }: Protocol): string {
  const format = (value: string | undefined): string => (value === undefined ? "None" : `Some(${value})`);
  const formatName = (name: string | undefined): string =>
    format(name === undefined ? undefined : formatString(name));
  return replaceConstants(readSourceFile("rust/package/stream.rs"), {
    KEY: format(stream && `&[${stream.key.map(formatString).join(", ")}]`),
    SEQUENCE: formatName(stream?.sequence),
    FIRST: format(stream?.first?.toString()),
    ID: formatName(stream?.id),
    SHARES_IDS: String(stream?.idScope === "protocol"),
  });
}

/** Returns the files of the checker of streams; none if there is nothing to check. */
function createCheckerFiles(protocol: Protocol): { readonly [path: string]: string } {
  if (!hasStreamChecker(protocol)) return {};
  const read = (file: string): string => `// ${createBanner()}\n${readSourceFile(`rust/package/${file}`)}`;
  return {
    "src/values.rs": read("values.rs"),
    "src/machine.rs": read("machine.rs"),
    "src/checker.rs": read("checker.rs"),
    "src/machines.json": formatMachinesFile(protocol),
  };
}

function formatCrateName({ name, major }: Protocol): string {
  const words = name.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  return `${/^[a-z]/.test(words) ? "" : "p"}${words}-v${major}`;
}

function formatManifest(protocol: Protocol): string {
  const { version, title } = protocol;
  return `
[package]
name = "${formatCrateName(protocol)}"
version = "${/^\d+\.\d+$/.test(version) ? `${version}.0` : "0.0.0"}"
description = ${JSON.stringify(
    sanitizeLine(title)
      .replace(/[^ -~]/gu, "?")
      .slice(0, 500),
  )}
edition = "2021"
rust-version = "1.82"
publish = false

[lib]
# Texts of the schemas are no code.
doctest = false

[dependencies]
serde = { version = "1.0.181", features = ["derive"] }
serde_json = { version = "1.0.100", features = ["arbitrary_precision"] }
`;
}

import type { OutputFile, Protocol } from "../../protocol/protocol.js";
import { createBanner, sanitizeLine } from "../../text.js";
import { planProtocol } from "../plan/plan.js";
import { formatLibrary, NAMING } from "./library.js";
import { formatStreamModule } from "./stream-module.js";

/**
 * `rust/`: a crate with serde types of events, payloads, definitions and resources, `decode_event` and `EventReader`. Its
 * source is laid out as rustfmt does.
 */
export function emitRust(protocol: Protocol): OutputFile[] {
  const plan = planProtocol(protocol, NAMING);
  const files = {
    "Cargo.toml": `# ${createBanner()}\n${formatManifest(protocol)}`,
    "src/lib.rs": `// ${createBanner()}\n${formatLibrary(protocol, plan)}`,
    "src/stream.rs": `// ${createBanner()}\n${formatStreamModule(protocol)}`,
  };
  return Object.entries(files).map(([path, content]) => ({ path: `${protocol.id}/rust/${path}`, content }));
}

function formatManifest({ name, major, version, title }: Protocol): string {
  const words = name.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  const crate = `${/^[a-z]/.test(words) ? "" : "p"}${words}-v${major}`;
  return `
[package]
name = "${crate}"
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

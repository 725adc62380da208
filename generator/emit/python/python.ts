import type { OutputFile, Protocol } from "../../protocol/protocol.js";
import { createBanner, sanitizeText } from "../../text.js";
import { planProtocol } from "../plan/plan.js";
import { formatEventsModule, NAMING } from "./events-module.js";
import { formatPackageModule } from "./package-module.js";
import { formatStreamModule } from "./stream-module.js";
import { formatString } from "./text.js";

const BANNER = `# ${createBanner()}\n`;

/**
 * `python/`: a package for Python 3.10 and later with pydantic models of events, payloads, definitions and resources,
 * `decode_event` and `EventReader`. Pip can install the folder.
 */
export function emitPython(protocol: Protocol): OutputFile[] {
  const name = formatPackageName(protocol);
  const plan = planProtocol(protocol, NAMING);
  const files = {
    "pyproject.toml": formatProject(protocol, name),
    [`${name}/__init__.py`]: formatPackageModule(protocol, plan),
    [`${name}/events.py`]: formatEventsModule(protocol, plan),
    [`${name}/stream.py`]: formatStreamModule(protocol),
    [`${name}/py.typed`]: "",
  };
  return Object.entries(files).map(([path, content]) => ({
    path: `${protocol.id}/python/${path}`,
    content: BANNER + content,
  }));
}

/** Returns the name of the package: lowercase letters, digits and underscores. */
function formatPackageName({ name, major }: Protocol): string {
  const words = name.toLowerCase().replace(/[^a-z0-9]+/g, "_");
  return `${/^[a-z]/.test(words) ? "" : "p"}${words}_v${major}`;
}

function formatProject({ title, version }: Protocol, name: string): string {
  const description = sanitizeText(title)
    .replaceAll("\n", " ")
    .replace(/[^ -~]/gu, "?")
    .slice(0, 500);
  return `
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "${name.replaceAll("_", "-")}"
version = ${formatString(version)}
description = ${formatString(description)}
requires-python = ">=3.10"
dependencies = ["pydantic>=2.11,<3"]

[tool.setuptools]
packages = ["${name}"]

[tool.setuptools.package-data]
${name} = ["py.typed"]
`;
}

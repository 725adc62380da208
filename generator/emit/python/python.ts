import type { OutputFile, Protocol } from "../../protocol/protocol.js";
import { createBanner, sanitizeText } from "../../text.js";
import { formatMachinesFile, hasStreamChecker } from "../machines/machines-file.js";
import { planProtocol } from "../plan/plan.js";
import { type Checks, formatValidationFile } from "../plan/validation.js";
import { readSourceFile, replaceConstants } from "../source-file.js";
import { formatEventsModule, NAMING } from "./events-module.js";
import { formatPackageModule } from "./package-module.js";
import { formatString } from "./text.js";

const BANNER = `# ${createBanner()}\n`;

/**
 * `python/`: a package for Python 3.10 and later with pydantic models of events, payloads, definitions and resources,
 * `decode_event`, `EventReader` and, if there are rules about streams, `StreamChecker`. Pip can install the folder.
 */
export function emitPython(protocol: Protocol, checks: Checks = "contract"): OutputFile[] {
  const name = formatPackageName(protocol);
  const plan = planProtocol(protocol, NAMING);
  const files = {
    "pyproject.toml": formatProject(protocol, name),
    [`${name}/__init__.py`]: formatPackageModule(protocol, plan),
    [`${name}/events.py`]: formatEventsModule(protocol, plan),
    [`${name}/validation.py`]: readSourceFile("python/package/validation.py"),
    [`${name}/stream.py`]: formatStreamModule(protocol),
    [`${name}/py.typed`]: "",
  };
  const outputs = Object.entries({ ...files, ...readCheckerFiles(protocol, name) }).map(
    ([path, content]) => ({ path: `${protocol.id}/python/${path}`, content: BANNER + content }),
  );
  const folder = `${protocol.id}/python/${name}`;
  outputs.push({ path: `${folder}/validation.json`, content: formatValidationFile(protocol, checks) });
  if (!hasStreamChecker(protocol)) return outputs;
  return [...outputs, { path: `${folder}/machines.json`, content: formatMachinesFile(protocol) }];
}

/** Formats `stream.py`: the reader of streams, with the meaning of `createReader` of accrete-client/stream. */
function formatStreamModule({ stream }: Protocol): string {
  const format = (name: string | undefined): string => (name === undefined ? "None" : formatString(name));
  const key = stream?.key.map((name) => `${formatString(name)}, `).join("");
  return replaceConstants(readSourceFile("python/package/stream.py"), {
    _KEY: key === undefined ? "None" : `(${key.trim()})`,
    _SEQUENCE: format(stream?.sequence),
    _FIRST: String(stream?.first ?? "None"),
    _ID: format(stream?.id),
    _SHARES_IDS: stream?.idScope === "protocol" ? "True" : "False",
  });
}

/** Returns the files of the checker of streams, which are the same for all protocols; none if there is nothing to check. */
function readCheckerFiles(protocol: Protocol, name: string): { readonly [path: string]: string } {
  if (!hasStreamChecker(protocol)) return {};
  const read = (file: string): string => readSourceFile(`python/package/${file}`);
  return {
    [`${name}/values.py`]: read("values.py"),
    [`${name}/machine.py`]: read("machine.py"),
    [`${name}/checker.py`]: read("checker.py"),
    "tests/test_checker.py": read("test_checker.py").replace("PACKAGE", name),
  };
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
${name} = ["py.typed", "validation.json", "machines.json"]
`;
}

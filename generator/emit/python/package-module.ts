import type { Protocol } from "../../protocol/protocol.js";
import { compareTexts } from "../../text.js";
import { hasStreamChecker } from "../machines/machines-file.js";
import type { ProtocolPlan } from "../plan/plan.js";
import { formatDocstring } from "./text.js";

/** The names that `checker.py` exports. */
const CHECKER_NAMES = ["Finding", "Profile", "StreamChecker"];

/** The names that `validation.py` exports. */
const VALIDATION_NAMES = ["InvalidEventError", "Issue"];

/** The names that `stream.py` exports. */
const STREAM_NAMES = [
  ...["Conflict", "Delivery", "Duplicate", "EventReader", "FirstArrival", "Gap", "Invalid", "LateArrival"],
  "stream_key",
];

/** Formats `__init__.py`, which exports everything that the package offers. */
export function formatPackageModule(protocol: Protocol, plan: ProtocolPlan): string {
  const { title, version } = protocol;
  const declared = [...plan.classes, ...plan.events, ...plan.aliases].map(({ name }) => name);
  const eventNames = [
    ...[plan.envelope.name, "Event", "KnownEvent", "UnknownEvent", "decode_event", "encode_event"],
    ...declared,
  ];
  const checkerNames = hasStreamChecker(protocol) ? CHECKER_NAMES : [];
  const checker =
    checkerNames.length === 0 ? "" : `from .checker import ${[...checkerNames].sort().join(", ")}\n`;
  const doc = formatDocstring({ text: `${title}, version ${version}.` }, "");
  return `${doc}

${checker}from .events import (
${formatNames(eventNames, compareImports)}
)
from .stream import (
${formatNames(STREAM_NAMES, compareImports)}
)
from .validation import ${VALIDATION_NAMES.join(", ")}

__all__ = [
${formatNames([...checkerNames, ...eventNames, ...STREAM_NAMES, ...VALIDATION_NAMES], compareNaturally, '"')}
]
`;
}

/** Formats names, one a line, in the order in which ruff sorts them: constants, classes, functions. */
function formatNames(
  names: readonly string[],
  compare: (a: string, b: string) => number,
  quote = "",
): string {
  return [...names]
    .sort((a, b) => rankName(a) - rankName(b) || compare(a, b))
    .map((name) => `    ${quote}${name}${quote},`)
    .join("\n");
}

function rankName(name: string): number {
  if (/^\p{Ll}/u.test(name)) return 2;
  return Buffer.byteLength(name) > 1 && !/\p{Ll}/u.test(name) ? 0 : 1;
}

/** Compares names of an import, in whose order letter case comes last. */
function compareImports(a: string, b: string): number {
  return compareNaturally(a.toLowerCase(), b.toLowerCase()) || compareNaturally(a, b);
}

/** Compares texts by code point, and the numbers in them by value. */
function compareNaturally(a: string, b: string): number {
  const [left = [], right = []] = [a, b].map((name) => name.split(/(\d+)/));
  for (const [i, part] of left.entries()) {
    const other = right[i] ?? "";
    if (part === other) continue;
    return (i % 2 === 1 && Number(part) - Number(other)) || compareTexts(part, other);
  }
  return left.length - right.length;
}

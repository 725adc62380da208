import type { Counterexample } from "./fuzz-compat.js";

/** Returns a counterexample as text: the disagreement, the message that shows it, and the files of each version. */
export function formatCounterexample(found: Counterexample): string {
  const { kind, scenario, seed, mutations, findings, versions, break: shown } = found;
  const claim =
    kind === "missed-break"
      ? "accrete compat passes, although a message breaks."
      : "accrete compat reports an error, although nothing breaks.";
  return [
    `${kind} (${scenario}, seed ${seed}): ${claim}`,
    ...mutations.map((mutation) => `  mutation: ${mutation}`),
    ...(shown ? [`  contract: ${shown.path}`, `  inclusion: ${shown.inclusion}`] : []),
    ...(shown ? [`  message: ${JSON.stringify(shown.message)}`] : []),
    ...findings.map(({ rule, severity, message }) => `  finding: ${severity} ${rule}: ${message}`),
    ...versions.flatMap((files, index) =>
      Object.entries(files).map(
        ([path, document]) => `--- version ${index + 1}: ${path}\n${JSON.stringify(document, null, 2)}`,
      ),
    ),
  ].join("\n");
}

import { UsageError } from "../failure.js";
import type { Io } from "../io.js";
import { loadProtocols } from "../load/load-protocols.js";
import { REPORTERS } from "../report/report.js";
import { createValidators, type Validators } from "../validators/protocol-validators.js";

/**
 * Loads the protocols to check events against: one, or all of a folder. If the schemas have errors, prints them and throws a
 * UsageError.
 */
export async function loadValidators(
  { schemas, protocol }: { readonly schemas: string; readonly protocol: string | undefined },
  io: Pick<Io, "stderr">,
): Promise<Validators[]> {
  const { protocols, findings } = await loadProtocols(schemas, protocol === undefined ? [] : [protocol], {
    examples: false,
  });
  const errors = findings.filter(({ severity }) => severity === "error");
  if (errors.length === 0) return protocols.map(createValidators);
  io.stderr(REPORTERS.text(errors));
  throw new UsageError("The schemas have errors, so no event was read; `accrete lint` prints them.");
}

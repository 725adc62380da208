import path from "node:path";
import { lstatIfExists } from "../io.js";
import { BaselineError, type BaselineSpec, parseBaseline } from "../load/baseline/baseline-spec.js";

/** A git revision or an npm package. */
export type ContractOrigin = Extract<BaselineSpec, { readonly kind: "git" | "npm" }>;

/** A contract, as an operand of `accrete diff` names it. */
export interface ContractOperand {
  /** The text of the operand. */
  readonly label: string;
  /** The revision or package that holds the contract; undefined if it is on the disk. */
  readonly origin: ContractOrigin | undefined;
  /** The path of a file or folder: on the disk, in the repository or in the package. It is empty for a whole package. */
  readonly path: string;
  /** The pointer after `#`. */
  readonly fragment: string | undefined;
  /** The folder to which relative paths refer, and whose repository holds a revision. */
  readonly folder: string;
}

/**
 * Parses `PATH`, `git:REF:PATH` or `npm:NAME@RANGE:PATH`, each of them also with `#/POINTER`. A path that exists is never
 * read as something else. Relative paths refer to `folder`, and `git:` to its repository. Throws a BaselineError for an incomplete operand.
 */
export function parseContractOperand(label: string, folder = "."): ContractOperand {
  const locate = (file: string): string =>
    folder === "." || path.isAbsolute(file) ? file : path.join(folder, file);
  if (lstatIfExists(locate(label)))
    return { label, origin: undefined, path: locate(label), fragment: undefined, folder };
  const hash = label.indexOf("#");
  const fragment = hash === -1 ? undefined : label.slice(hash + 1);
  const location = hash === -1 ? label : label.slice(0, hash);
  const [kind, name = "", ...rest] = location.split(":");
  if (kind !== "git" && kind !== "npm")
    return { label, origin: undefined, path: locate(location), fragment, folder };
  const inside = rest.join(":");
  if (kind === "git" && inside === "")
    throw new BaselineError(`"${label}" names no file or folder; write git:REF:PATH.`);
  return {
    label,
    origin: parseBaseline(`${kind}:${name}`) as ContractOrigin,
    path: inside,
    fragment,
    folder,
  };
}

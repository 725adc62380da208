/** Removes the number of errors from a validator that needs only the list of errors, as one without alternatives does. */
import { type _Code, loadAjvInternals, type Name } from "./ajv-package.js";
import type { Expression, FunctionStatement, Piece, Statement } from "./code-tree.js";

/** Shortens the functions among `statements` in place. */
export function dropErrorCounts(statements: readonly Statement[]): void {
  for (const statement of statements) if (statement.kind === "function") dropErrorCount(statement);
}

function dropErrorCount(target: FunctionStatement): void {
  const { _ } = loadAjvInternals().codegen;
  const { errors, vErrors } = loadAjvInternals().names;
  const isDefinition = (each: Statement, name: Name): boolean => each.kind === "define" && each.name === name;
  // A validator that reports nothing itself has no list.
  if (!target.body.some((each) => isDefinition(each, vErrors))) return;
  const isOwn = (each: Statement): boolean => each.kind === "return" || isDefinition(each, errors);
  if (target.body.some((each) => !isOwn(each) && mentionsCount(each))) return;
  target.body = target.body.flatMap((each): Statement[] => {
    if (each.kind === "return") return [{ kind: "return", value: _`${vErrors} === null` }];
    if (each.kind === "define fail") return [{ kind: "define fail", counts: false }];
    return isOwn(each) ? [] : [each];
  });
}

/** Returns whether a statement reads or sets the number of errors, other than by reporting one. */
function mentionsCount(statement: Statement): boolean {
  switch (statement.kind) {
    case "if":
      return (
        isCount(statement.condition) ||
        statement.body.some(mentionsCount) ||
        (statement.otherwise !== undefined && mentionsCount(statement.otherwise))
      );
    case "for":
      return isCount(statement.header) || statement.body.some(mentionsCount);
    case "block":
    case "function":
      return statement.body.some(mentionsCount);
    case "assign":
      return isCount(statement.target) || isCount(statement.value);
    case "define":
    case "return":
      return isCount(statement.value);
    case "code":
      return isCount(statement.code);
    case "printed":
      return statement.pieces.some(isCount);
    default:
      return false;
  }
}

/** Returns whether code is the number of errors, or contains it. */
function isCount(code: Expression | Piece | undefined): boolean {
  const { errors } = loadAjvInternals().names;
  if (typeof code !== "object" || code === null) return false;
  return code === errors || ("_items" in code && (code as _Code)._items.some(isCount));
}

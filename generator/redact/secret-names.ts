/** Finds secrets in the names of fields. They cannot be masked, because the event would have another field. */
import { isObject, type Json, joinPointer } from "../json.js";
import { findSecrets } from "./find-secrets.js";

/** An object with a field whose name holds a secret. The pointer does not contain the secret. */
interface ObjectWithSecretName {
  readonly pointer: string;
  /** The id of the form of the secret. */
  readonly form: string;
}

/** Returns the objects in a value that have such a field, at any depth. Values below such a field are left out. */
export function findSecretNames(value: Json, pointer = ""): ObjectWithSecretName[] {
  if (Array.isArray(value))
    return value.flatMap((item, index) => findSecretNames(item, joinPointer(pointer, index)));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, each]) => {
    const [secret] = findSecrets(name);
    return secret ? [{ pointer, form: secret.form }] : findSecretNames(each, joinPointer(pointer, name));
  });
}

/** Renames a field: within its major version both names exist, unless no release has the old one. */
import { UsageError } from "../failure.js";
import { getMembers, getOwn, getValueAtPointer, joinPointer, listItems } from "../json.js";
import { readJsonFile } from "../load/read-bytes.js";
import { readReleases } from "../load/releases/release-history.js";
import { formatLiteral } from "../text.js";
import { createDeprecation, type Project, setNextVersion, startEdit } from "./fixes.js";
import { type FieldPlace, findInVersion, getFieldPointer, locatePlace, type PartPlace } from "./parts.js";
import { renameMember, type Texts } from "./texts.js";

/**
 * Returns the files with a field of the object at `place` renamed. If a release has the field, the new name is added beside the
 * old one, which is deprecated; `accrete major` removes it. Throws a UsageError if the object has the new name already.
 */
export function renameField(place: PartPlace, field: FieldPlace, newName: string, project: Project): Texts {
  const object = findInVersion(place.protocol, { ...place, pointer: field.object });
  const schema = getMembers(object?.schema);
  if (object === undefined || getOwn(getMembers(schema.properties), field.name) === undefined)
    throw new UsageError(`There is no field ${formatLiteral(field.name)} here.`);
  if (newName === "" || getOwn(getMembers(schema.properties), newName) !== undefined)
    throw new UsageError(`${formatLiteral(newName)} cannot be the new name: it is empty, or a field has it.`);
  const { file, pointer } = locatePlace(object);
  const oldPointer = joinPointer(pointer, "properties", field.name);
  const edits = startEdit();
  if (isReleased({ ...object, pointer: getFieldPointer(field) }, project)) {
    const next = setNextVersion(project, edits);
    const copy = getMembers(getValueAtPointer(readJsonFile(file).document, oldPointer));
    edits.set(file, joinPointer(pointer, "properties", newName), { ...copy, "x-renamed-from": field.name });
    for (const [keyword, value] of Object.entries(createDeprecation(next, newName)))
      edits.set(file, joinPointer(oldPointer, keyword), value);
    return edits.texts;
  }
  edits.edit(file, (text) => renameMember(text, oldPointer, newName));
  const required = listItems(schema.required);
  if (required.includes(field.name))
    edits.set(
      file,
      joinPointer(pointer, "required"),
      required.map((name) => (name === field.name ? newName : name)),
    );
  for (const [index, example] of listItems(schema.examples).entries())
    if (getOwn(getMembers(example), field.name) !== undefined)
      edits.edit(file, (text) =>
        renameMember(text, joinPointer(pointer, "examples", index, field.name), newName),
      );
  return edits.texts;
}

/** Returns whether a release has the place. */
function isReleased(place: PartPlace, { schemas, protocol }: Project): boolean {
  return readReleases(schemas, protocol.name).releases.some(
    (release) => findInVersion(release.protocol, place)?.schema !== undefined,
  );
}

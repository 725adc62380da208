import type { Finding } from "../../finding.js";
import { joinPointer } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
import type { StateFeed } from "../../protocol/state-feed.js";
import { collectDeclaredFields, describeFamily } from "../../schema/object-family.js";
import { type LintInput, type ManifestProblem, reportManifestProblems } from "./input.js";

/** Reports a `stateFeed` of protocol.json whose states would not fit their resource, or could not be built of events. */
export function lintStateFeed(input: LintInput): Finding[] {
  const { protocol } = input;
  const { stateFeed } = protocol;
  if (stateFeed === undefined) return [];
  const problems = [
    ...checkMembers(stateFeed, protocol),
    ...checkKeys(stateFeed),
    ...checkStored(stateFeed, protocol),
  ];
  return reportManifestProblems(problems, input);
}

/** Reports members that the resource does not declare. An unknown resource is reported elsewhere. */
function checkMembers(
  { resource: name, type, members }: StateFeed,
  { resources, definitions }: Protocol,
): ManifestProblem[] {
  const resource = resources.find((each) => each.name === name);
  if (resource === undefined) return [];
  const declared = collectDeclaredFields(describeFamily(resource.schema, definitions, resource.at));
  const otherMembers = Object.keys(members).map((member) => ({
    member,
    pointer: joinPointer("/stateFeed/members", member),
  }));
  return [{ member: type, pointer: "/stateFeed/type" }, ...otherMembers]
    .filter(({ member }) => !declared.has(member))
    .map(({ member, pointer }) => ({
      message: `The resource ${name} declares no member ${JSON.stringify(member)}.`,
      pointer,
    }));
}

/** Reports events of lists without the field that holds ids, and events of single records with such a field. */
function checkKeys({ members }: StateFeed): ManifestProblem[] {
  return Object.entries(members).flatMap(([name, { id, events }]) => {
    const pointer = joinPointer("/stateFeed/members", name, "events");
    const isList = id !== undefined;
    const message = isList
      ? `With id, ${name} is a list, so that its events need a key.`
      : `Without id, ${name} is one record, so that its events have no key.`;
    return events.flatMap(({ key }, index) => {
      const hasKey = key !== undefined;
      return hasKey === isList ? [] : [{ message, pointer: joinPointer(pointer, index) }];
    });
  });
}

/** Reports a member with a whole state that rows do not have. */
function checkStored({ stored }: StateFeed, { rows }: Protocol): ManifestProblem[] {
  if (stored === undefined || rows?.stripped?.includes(stored)) return [];
  const message = `rows.stripped does not list ${JSON.stringify(stored)}.`;
  return [{ message, pointer: "/stateFeed/stored" }];
}

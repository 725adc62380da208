/** Creates the sections about endpoints, from the operations of the OpenAPI document. */
import { getMembers, getOwn, isObject, type Json, type JsonObject, listItems } from "../../json.js";
import type { Protocol } from "../../protocol/protocol.js";
import { createPaths, PARAMETERS } from "../openapi/openapi.js";
import { listConstraints } from "./constraints.js";
import { formatType } from "./format-type.js";
import { formatCode } from "./markdown.js";
import { createRenderer, type Renderer, UNLIMITED } from "./renderer.js";
import { createSection, type Section } from "./section.js";

/** An operation, with the parameters that it refers to. */
interface Operation {
  readonly method: string;
  readonly path: string;
  readonly operation: JsonObject;
  readonly parameters: readonly JsonObject[];
}

/** Creates the sections about the endpoints and their parameters; none if the protocol declares neither endpoints nor actions. */
export function createEndpointSections(protocol: Protocol): Section[] {
  if (protocol.endpoints === undefined && protocol.actions === undefined) return [];
  const operations = listOperations(createPaths(protocol));
  return [
    createSection("endpoints", 2, "Endpoints", (sections) => {
      const renderer = createRenderer(sections, "text", UNLIMITED);
      return [
        "`accrete serve` offers these endpoints; with `--emit openapi`, `openapi.json` has the schemas of their bodies and answers. An answer with a status of 400 or more is a problem as RFC 9457 describes it: `code` never changes its meaning, and `detail` says what to fix.",
        operations.map((each) => formatOperation(each, renderer)).join("\n"),
        "A list of events is a page, oldest first: `data` has the events, and `next_after_sequence` is the `after_sequence` of the next request. A live stream goes on after a broken connection with `Last-Event-ID`.",
      ];
    }),
    createSection("parameters", 3, "Parameters of the endpoints", (sections) => {
      const renderer = createRenderer(sections, "text", UNLIMITED);
      const all = operations.flatMap(({ parameters }) => parameters);
      return [[...new Set(all.map((each) => formatParameter(each, renderer)))].join("\n")];
    }),
  ];
}

function listOperations(paths: JsonObject): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(getMembers(methods)).map(([method, value]): Operation => {
      const operation = getMembers(value);
      const parameters = listItems(operation.parameters).filter(isObject);
      return { method, path, operation, parameters: parameters.map(findParameter) };
    }),
  );
}

/** Returns the parameter that a reference names. */
function findParameter(parameter: JsonObject): JsonObject {
  const { $ref } = parameter;
  return typeof $ref === "string" ? getMembers(PARAMETERS[$ref.split("/").at(-1) ?? ""]) : parameter;
}

/** Formats an operation as an item of a list. The texts of OpenAPI documents are Markdown already. */
function formatOperation({ method, path, operation, parameters }: Operation, renderer: Renderer): string {
  const answers = Object.entries(getMembers(operation.responses)).flatMap(([status, response]) => {
    const { description } = getMembers(response);
    return description === undefined ? [] : [`${status}: ${readLine(description)}`];
  });
  const names = parameters.map(({ name }) => formatCode(String(name)));
  return [
    `- ${formatCode(`${method.toUpperCase()} ${path}`)}: ${readLine(operation.summary)}.`,
    ...(names.length === 0 ? [] : [`Parameters: ${renderer.list(names, "and")}.`]),
    ...describeBody(operation, renderer),
    `Answers: ${answers.join(" ")}`,
  ].join(" ");
}

/** Describes the members of a body that have listed values. */
function describeBody({ requestBody }: JsonObject, renderer: Renderer): string[] {
  const { schema } = getMembers(getMembers(getMembers(requestBody).content)["application/json"]);
  if (!isObject(schema)) return [];
  const bodies = [schema, ...listItems(schema.anyOf), ...listItems(schema.allOf)].filter(isObject);
  const values = new Map<string, string[]>();
  for (const { properties } of bodies)
    for (const [name, member] of Object.entries(getMembers(properties))) {
      const listed = [getOwn(getMembers(member), "const") ?? getOwn(getMembers(member), "enum") ?? []].flat();
      const texts = listed.map((value: Json) => renderer.json(value));
      if (texts.length > 0) values.set(name, [...(values.get(name) ?? []), ...texts]);
    }
  const members = [...values].map(
    ([name, texts]) => `${renderer.code(name)}, which is ${renderer.list(texts, "or")}`,
  );
  return members.length === 0 ? [] : [`Body: ${renderer.list(members, "and")}.`];
}

function formatParameter({ name, in: place, description, schema = true }: JsonObject, renderer: Renderer) {
  const words = [formatType(schema, renderer), ...listConstraints(schema, renderer)].join(", ");
  return `- ${formatCode(String(name))} (${String(place)}; ${words}): ${readLine(description)}`;
}

/** Returns Markdown on one line. */
function readLine(markdown: Json | undefined): string {
  return typeof markdown === "string" ? markdown.replaceAll("\n\n", " ") : "";
}

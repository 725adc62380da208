/** Creates a first protocol with one event type and its fixtures. It is small, so that users can read and replace it. */
import { LETTER_CASES } from "../protocol/names.js";
import type { OutputFile, Placement } from "../protocol/protocol.js";
import { buildOpenList } from "../schema/listed-values.js";

/** The properties of a first protocol. */
export interface Scaffolding {
  readonly name: string;
  readonly placement: Placement;
  readonly discriminator: string;
}

/** The placements of payloads, each with a short description. */
export const PLACEMENTS: { readonly [placement in Placement]: string } = {
  nested: "in one field, data",
  inline: "beside the envelope's fields",
  keyed: "in a field of its own for each event type",
};

const EVENT_TYPE = "note.added";

/** The field that holds the payload in keyed placement. */
const PAYLOAD_KEY = "note";

const DIALECT = "https://json-schema.org/draft/2020-12/schema";

const ENVELOPE_FIELDS = {
  id: { type: "string", minLength: 1, description: "The id of the event, which no other event has." },
  session: { type: "string", minLength: 1, description: "The stream that the event belongs to." },
  sequence: { type: "integer", minimum: 0, description: "Place in its stream, counted from 0 without gaps." },
  time: { type: "string", format: "date-time", description: "When it happened." },
};

const PAYLOAD_FIELDS = {
  text: { type: "string", minLength: 1, description: "What the note says." },
  color: {
    ...buildOpenList("yellow", "blue"),
    description: "Colour of the paper. Readers accept colours that they do not know.",
  },
};

/** The names that the discriminator cannot have, because other fields of the example event have them. */
export const RESERVED_FIELD_NAMES: readonly string[] = [
  ...Object.keys(ENVELOPE_FIELDS),
  ...Object.keys(PAYLOAD_FIELDS),
  "data",
  PAYLOAD_KEY,
];

/** Creates the schemas and fixtures of a first protocol, with paths below the folders of schemas and of fixtures. */
export function createScaffold(scaffolding: Scaffolding): {
  readonly schemas: readonly OutputFile[];
  readonly fixtures: readonly OutputFile[];
} {
  const id = `${scaffolding.name}/v1`;
  const createFile = (path: string, value: unknown): OutputFile => ({
    path: `${id}/${path}`,
    content: `${JSON.stringify(value, null, 2)}\n`,
  });
  const notes = [{ text: "Buy milk", color: "yellow" }, { text: "Call back" }];
  const lines = notes.map((payload, sequence) => JSON.stringify(createEvent(scaffolding, sequence, payload)));
  return {
    schemas: [
      createFile("protocol.json", createManifest(scaffolding)),
      createFile("envelope.schema.json", createEnvelope(scaffolding)),
      createFile(`events/${EVENT_TYPE}.schema.json`, createEventSchema(scaffolding)),
    ],
    fixtures: [
      createFile(
        `valid/${EVENT_TYPE}/yellow.json`,
        createEvent(scaffolding, 0, { text: "Buy milk", color: "yellow" }),
      ),
      createFile(`invalid/${EVENT_TYPE}/without-text.json`, {
        why: "A note without text says nothing.",
        profile: "reader",
        pointer: PAYLOAD_POINTERS[scaffolding.placement],
        keyword: "required",
        event: createEvent(scaffolding, 0, { color: "yellow" }),
      }),
      { path: `${id}/streams/two-notes.jsonl`, content: `${lines.join("\n")}\n` },
    ],
  };
}

/** The pointer of the payload by placement. */
const PAYLOAD_POINTERS: { readonly [placement in Placement]: string } = {
  nested: "/data",
  inline: "",
  keyed: `/${PAYLOAD_KEY}`,
};

function createManifest({ name, placement, discriminator }: Scaffolding): object {
  const field = ["snake_case", "camelCase"].find((each) => LETTER_CASES[each]?.test(discriminator));
  return {
    name,
    major: 1,
    version: "1.0",
    title: `Events of ${name}`,
    description: "What these events are for, and who sends and reads them.",
    naming: { event: "dotted.snake_case", ...(field !== undefined && { field }) },
    groups: { note: "Notes." },
    envelope: {
      discriminator,
      payload: { placement, ...(placement === "nested" && { property: "data" }) },
    },
    stream: { key: ["session"], sequence: "sequence", first: 0, id: "id", time: "time" },
    actions: { post: [EVENT_TYPE] },
  };
}

function createEnvelope({ placement, discriminator }: Scaffolding): object {
  const data =
    placement === "nested"
      ? { data: { type: "object", description: "The payload, which depends on the event type." } }
      : {};
  const properties = {
    [discriminator]: { type: "string", minLength: 1, description: "What happened: the event type." },
    ...ENVELOPE_FIELDS,
    ...data,
  };
  return {
    $schema: DIALECT,
    title: "Envelope",
    description: "The fields that every event carries.",
    type: "object",
    properties,
    required: Object.keys(properties),
  };
}

function createEventSchema({ placement }: Scaffolding): object {
  return {
    $schema: DIALECT,
    title: "A note was added",
    description: "Sent when somebody pins a note to the board.",
    "x-stability": "candidate",
    "x-since": "1.0",
    ...(placement === "keyed" && { "x-payload-property": PAYLOAD_KEY }),
    type: "object",
    properties: PAYLOAD_FIELDS,
    required: ["text"],
    examples: [{ text: "Buy milk", color: "yellow" }],
  };
}

function createEvent({ placement, discriminator }: Scaffolding, sequence: number, payload: object): object {
  const envelope = {
    [discriminator]: EVENT_TYPE,
    id: `note-${sequence + 1}`,
    session: "board-1",
    sequence,
    time: `2026-01-01T09:00:0${sequence}Z`,
  };
  const payloadFields = { nested: { data: payload }, inline: payload, keyed: { [PAYLOAD_KEY]: payload } };
  return { ...envelope, ...payloadFields[placement] };
}

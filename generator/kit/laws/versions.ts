import { isObject, type Json, own } from "../../json.js";
import { TOKEN } from "../alter.js";
import { eventMaker } from "../event-maker.js";
import { type KitProtocol, type KitSchemas, modelOf } from "../kit-protocol.js";
import type { Law } from "../law.js";
import { play } from "../play.js";
import { type Stage, stageOf } from "../stage.js";
import type { Trial } from "../trial.js";
import { sameView } from "../view.js";

/** Emitters are older or newer than their consumers. */
export const versionLaws: readonly Law[] = [
  {
    id: "previous-version",
    law: "Events of each earlier release of this major version are taken and shown.",
    absent: ({ releases }) =>
      releases.length === 0 ? "there is no earlier release of this major version" : undefined,
    streams: 2,
    check(trial) {
      for (const { schemas } of trial.protocol.releases)
        passes(trial, stageFor(trial.protocol, schemas, "writer"));
    },
  },
  {
    id: "next-version",
    law: "Events of a next version are taken and shown: with more fields, more values of open enumerations, and more types, which may be about the same things.",
    streams: 2,
    check: (trial) => passes(trial, stageFor(trial.protocol, grown(trial.protocol), "reader")),
  },
];

const stages = new WeakMap<KitSchemas, Stage>();
const next = new WeakMap<KitProtocol, KitSchemas>();

function stageFor(protocol: KitProtocol, schemas: KitSchemas, profile: "reader" | "writer"): Stage {
  const known = stages.get(schemas);
  if (known) return known;
  const stage = stageOf(
    eventMaker(modelOf(protocol, schemas), (event) => {
      const { kind } = protocol.decodeEvent(event, { profile });
      return kind === "known" || (profile === "reader" && kind === "unknown");
    }),
  );
  stages.set(schemas, stage);
  return stage;
}

function passes(trial: Trial, stage: Stage): void {
  const { events } = play(stage, trial.script, 2);
  const ours = [trial.glance([]), trial.glance(trial.events)] as const;
  const shown = trial.view(events);
  const [empty, sound] = ours;
  if (empty === undefined || sound === undefined || sameView(empty, sound) || events.length === 0) return;
  if (sameView(empty, shown)) trial.fail("Nothing is shown of its events");
}

/** The schemas of a next version that only adds. */
function grown(protocol: KitProtocol): KitSchemas {
  const known = next.get(protocol);
  if (known) return known;
  const { envelope, events, definitions } = protocol.schemas;
  const types = Object.entries(events);
  const more = types
    .filter((_, index) => index % 5 === 0)
    .map(([type, event]) => [`${type}_${TOKEN}`, event] as const);
  const larger = [...types, ...more].map(
    ([type, event]) => [type, { ...event, payload: withField(widened(event.payload as Json)) }] as const,
  );
  const schemas = {
    envelope,
    events: Object.fromEntries(larger),
    definitions: Object.fromEntries(
      Object.entries(definitions).map(([name, schema]) => [name, widened(schema as Json)]),
    ),
  };
  next.set(protocol, schemas);
  return schemas;
}

function withField(payload: Json): Json {
  if (!isObject(payload)) return payload;
  const properties = own(payload, "properties");
  return {
    ...payload,
    properties: { ...(isObject(properties) ? properties : {}), [TOKEN]: { type: "string" } },
  };
}

/** A schema whose open enumerations have one more value. */
function widened(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(widened);
  if (!isObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [
      keyword,
      keyword === "x-extensible-enum" && Array.isArray(value)
        ? [...(value as readonly Json[]), TOKEN]
        : keyword === "const" || keyword === "enum"
          ? value
          : widened(value),
    ]),
  );
}

/** The law that an event about one thing changes this thing alone, wherever in its course the other one is. */
import { areEqual } from "../../json.js";
import type { SampleEvent } from "../../sample/event-maker.js";
import { listPayloadFields } from "../../sample/merged-schema.js";
import { listCourses, listOpenThings } from "../declared-ends.js";
import type { Law } from "../law.js";
import { getPayload, setPayloadFields } from "../payload.js";
import { renumberEvents } from "../samples.js";
import { listBefore, listKeyFields, makeScene } from "../scene.js";
import type { Steps } from "../steps.js";
import { listTextFields, TEXTS, type TextField } from "../text-fields.js";
import type { Trial } from "../trial.js";
import { repeatEvent } from "./content.js";
import { findEntry, fitName, hasMark, maskNumbers, propose } from "./ends.js";

export const thingsApartLaw: Law = {
  id: "things-apart",
  dependsOn: ["calls-separate", "calls-interleaved", "ends-matched"],
  law: "What an event says about one thing is shown at this thing, also if another one came between them.",
  findSkipReason: (protocol) =>
    listKeyFields(protocol).size === 0 ? "nothing in this protocol has an id" : undefined,
  makesStreams: true,
  fitsConsumer: true,
  *check(trial) {
    const { types, fields } = yield* trial.inferShown();
    for (const key of listKeyFields(trial.protocol)) {
      const about = listTypesWith(trial, key).filter((type) => types.has(type));
      const texts = listTextFields(trial.model).filter(
        ({ type, field }) => field !== key && about.includes(type) && fields.get(type)?.has(field) === true,
      );
      for (const text of texts.slice(0, MAX_TEXTS))
        for (const type of about) if (type !== text.type) yield* checkOrder(trial, key, text, type);
    }
  },
};

/** The number of texts by which things with one key are found. */
const MAX_TEXTS = 3;

function listTypesWith({ model }: Trial, key: string): readonly string[] {
  return listPayloadFields(model).flatMap(({ type, field }) => (field === key ? [type] : []));
}

/** Fails if the entry of a thing differs because a second thing got its text before the event about the first one. */
function* checkOrder(
  trial: Trial,
  key: string,
  { type: textType, field }: TextField,
  type: string,
): Steps<void> {
  const { protocol, context } = trial;
  const names = [
    { [key]: trial.makeUnusedValue(textType, key) },
    { [key]: trial.makeUnusedValue(textType, key) },
  ] as const;
  if (areEqual(names[0], names[1])) return;
  const course = [...listCourses(protocol), ...listOpenThings(protocol)].find((each) => each.key === key);
  const start = course?.starts[0];
  const starts =
    start === undefined || course?.starts.includes(textType) === true
      ? []
      : [propose(start, fitName(trial, start, names[0]))];
  const text = propose(textType, names[0], { [field]: TEXTS[0] });
  const scene = makeScene(context, [...starts, text, propose(type, names[0])]);
  if (scene === undefined) return;
  const sent = scene.sent.slice(0, -1);
  // The second thing is like the first one but for its id and its text.
  const copies = sent.map((event, index) => {
    const own = getPayload(protocol, event)[field] === TEXTS[0] ? { [field]: TEXTS[1] } : {};
    return setPayloadFields(protocol, repeatEvent(trial, event, index + 1), { ...names[1], ...own });
  });
  const [opening, started, last] = [
    listBefore(scene, scene.sent[0]),
    sent.slice(0, -1),
    scene.sent.slice(-1),
  ];
  const arrange = (...parts: readonly SampleEvent[][]) =>
    renumberEvents(context, { allowsGaps: false }, [
      ...[...opening, ...started, ...copies.slice(0, -1)],
      ...parts.flat(),
    ]);
  const plain = arrange(sent.slice(-1), last, copies.slice(-1));
  const tested = arrange(sent.slice(-1), copies.slice(-1), last);
  if (plain === undefined || tested === undefined) return;
  const expectedView = yield* trial.tryView(plain);
  if (expectedView === undefined || TEXTS.some((each) => !hasMark(expectedView, each))) return;
  const expected = findEntry(expectedView, TEXTS[0], TEXTS[1]);
  const actual = findEntry(yield* trial.view(tested), TEXTS[0], TEXTS[1]);
  if (expected === undefined || actual === undefined || maskNumbers(expected) === maskNumbers(actual)) return;
  trial.fail(
    `If ${textType} of another thing comes before it, ${type} is shown in another way at the thing that it is about`,
    expected,
    actual,
  );
}

/** The law that what begins again after its end is shown as begun. */
import { type Course, listCourses } from "../declared-ends.js";
import type { Law } from "../law.js";
import { type Leaf, listLeaves } from "../scene.js";
import type { Steps } from "../steps.js";
import type { Trial } from "../trial.js";
import { fitName, formatEnd, listStatePlaces, makeEnd, makeName, NO_ENDS, playEnd, propose } from "./ends.js";

export const beginsAgainLaw: Law = {
  id: "begins-again",
  dependsOn: ["ends-shown", "ends-all-shown"],
  law: "What begins again after its end is shown as begun, and not as ended.",
  findSkipReason: (protocol) => (listCourses(protocol).length === 0 ? NO_ENDS : undefined),
  makesStreams: true,
  fitsConsumer: true,
  *check(trial) {
    for (const course of listCourses(trial.protocol))
      for (const start of course.starts) yield* checkNewStart(trial, { ...course, starts: [start] }, start);
  },
};

/** Fails if a place shows how something ended, also after it began again. */
function* checkNewStart(trial: Trial, course: Course, start: string): Steps<void> {
  const name = makeName(trial, course);
  const between = trial.rules.lifecycles?.find(({ key }) => key === course.key)?.restart ?? [];
  const restarts = [[], ...between.filter((type) => type !== start).map((type) => [type])];
  for (const courseEnd of course.ends)
    for (const types of restarts) {
      const later = [...types, start].map((type) => propose(type, fitName(trial, type, name)));
      const scene = makeEnd(trial, course, courseEnd, name, { later });
      const played = scene && (yield* playEnd(trial, course, courseEnd, scene));
      if (scene === undefined || played === undefined) continue;
      const [ended, last] = [listLeaves(played.ended), listLeaves(yield* trial.view(scene.events))];
      for (const [place, state] of listStatePlaces(played)) {
        const end = ended.get(place);
        if (last.get(place) !== end || isHistory(state, end)) continue;
        // What began again may have a row of its own.
        const hasOwnRow = [...last].some(
          ([other, value]) => value === state && !ended.has(other) && areSiblings(place, other),
        );
        if (hasOwnRow) continue;
        trial.setFixture(scene.events);
        trial.fail(
          `After ${formatEnd(courseEnd)} and another ${start}, ${place || "the snapshot"} still shows ${JSON.stringify(end)}. After the first one it showed ${JSON.stringify(state)}`,
        );
      }
      break;
    }
}

/** Returns whether an end is written on a new line after what was there, as in a transcript, and does not replace it. */
function isHistory(state: Leaf, end: Leaf | undefined): boolean {
  return typeof state === "string" && typeof end === "string" && end.startsWith(`${state}\n`);
}

/** Returns whether two places differ in their positions in lists alone. */
function areSiblings(place: string, other: string): boolean {
  const generalize = (each: string): string => each.replace(/\/\d+(?=\/|$)/g, "/*");
  return generalize(place) === generalize(other);
}

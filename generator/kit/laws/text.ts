import type { StreamRules } from "../../protocol/stream-rules.js";
import type { SampleEvent } from "../../sample/event-maker.js";
import type { Law } from "../law.js";
import type { Steps } from "../steps.js";
import type { Trial } from "../trial.js";
import { collectTexts } from "../view.js";

/** Laws about texts that come in pieces and then as a whole. */
export const textLaws: readonly Law[] = [
  {
    id: "complete-text-replaces",
    law: "The complete text replaces the earlier pieces: it is shown once and in full, whichever pieces were missed.",
    needs: "texts",
    excludesTerminalEvents: true,
    *check(trial) {
      for (const rule of trial.rules.texts ?? []) {
        const events = sendText(trial, rule);
        if (events !== undefined) yield* checkText(trial, events, rule.whole);
      }
    },
  },
];

const PIECES = ["qzalpha one ", "qzbeta two ", "qzgamma three"] as const;
const WHOLE = PIECES.join("");

/** Sends a text in pieces, and then the complete text. Returns undefined if an event cannot be made. */
function sendText(trial: Trial, rule: NonNullable<StreamRules["texts"]>[number]): SampleEvent[] | undefined {
  const { delta, part, whole, text, key } = rule;
  const names = Object.fromEntries(key.map((field) => [field, trial.makeUnusedValue(whole, field)]));
  return trial.sendAll([
    ...PIECES.map((piece) => ({ type: delta, fixedFields: { ...names, [part]: piece } })),
    { type: whole, fixedFields: { ...names, [text]: WHOLE } },
  ]);
}

function* checkText(trial: Trial, events: readonly SampleEvent[], type: string): Steps<void> {
  const alone = yield* trial.tryView([...trial.events, ...events.slice(-1)]);
  // A consumer that does not show such texts unchanged is not checked.
  if (alone === undefined || !collectTexts(alone).some((text) => text.includes(WHOLE))) return;
  // Without sequence numbers, a consumer cannot know that a piece is missing.
  const omissible = trial.protocol.stream?.sequence === undefined ? [] : PIECES.keys();
  // At first, no event is left out.
  for (const omitted of [undefined, ...omissible]) {
    const receivedEvents = events.filter((_, index) => index !== omitted);
    const texts = collectTexts(yield* trial.view([...trial.events, ...receivedEvents]));
    if (!texts.some((text) => text.includes(WHOLE)))
      trial.fail(`The text of ${type} is not shown in full: "${WHOLE}" is missing in the snapshot`);
    const isTwice = (text: string, piece: string): boolean => text.indexOf(piece) !== text.lastIndexOf(piece);
    const repeatedText = texts.find((text) => PIECES.some((piece) => isTwice(text, piece.trim())));
    if (repeatedText !== undefined)
      trial.fail(`A piece of the text of ${type} is shown twice: "${repeatedText.slice(0, 200)}"`);
  }
}

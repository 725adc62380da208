import type { StreamRules } from "../../protocol/stream-rules.js";
import type { KitEvent } from "../../sample/event-maker.js";
import { type Law, needsRules } from "../law.js";
import type { Trial } from "../trial.js";
import { textsOf } from "../view.js";

/** Texts that come in pieces and then as a whole. */
export const textLaws: readonly Law[] = [
  {
    id: "complete-wins",
    law: "The complete text replaces the earlier pieces: it is shown once and in full, whichever pieces were missed.",
    absent: needsRules("texts"),
    ended: false,
    check(trial) {
      for (const rule of trial.rules.texts ?? []) {
        const events = sendText(trial, rule);
        if (events !== undefined) checkText(trial, events, rule.whole);
      }
    },
  },
];

const PIECES = ["qzalpha one ", "qzbeta two ", "qzgamma three"] as const;
const WHOLE = PIECES.join("");

/** Sends a text in pieces, and then the complete text. Returns undefined if an event cannot be made. */
function sendText(trial: Trial, rule: NonNullable<StreamRules["texts"]>[number]): KitEvent[] | undefined {
  const builder = trial.builder();
  const names = Object.fromEntries(rule.key.map((field) => [field, builder.fresh(rule.whole, field, 1)]));
  const send = (type: string, field: string, text: string): KitEvent | undefined =>
    builder.send(builder.cursor(0), { type, wanted: { ...names, [field]: text } }, 1);
  const events = [
    ...PIECES.map((piece) => send(rule.delta, rule.part, piece)),
    send(rule.whole, rule.text, WHOLE),
  ];
  return events.includes(undefined) ? undefined : (events as KitEvent[]);
}

function checkText(trial: Trial, events: readonly KitEvent[], type: string): void {
  const alone = trial.tryView([...trial.events, ...events.slice(-1)]);
  // A consumer that does not show such texts unchanged is not checked.
  if (alone === undefined || !textsOf(alone).some((text) => text.includes(WHOLE))) return;
  // Without sequence numbers, a consumer cannot know that a piece is missing.
  const omissible = trial.protocol.stream?.sequence === undefined ? [] : PIECES.keys();
  for (const missed of [undefined, ...omissible]) {
    const received = events.filter((_, index) => index !== missed);
    const texts = textsOf(trial.view([...trial.events, ...received]));
    if (!texts.some((text) => text.includes(WHOLE)))
      trial.fail(`The text of ${type} is not shown in full: "${WHOLE}" stands nowhere in the snapshot`);
    const twice = texts.find((text) => PIECES.some((piece) => text.split(piece.trim()).length > 2));
    if (twice !== undefined)
      trial.fail(`A piece of the text of ${type} is shown twice: "${twice.slice(0, 200)}"`);
  }
}

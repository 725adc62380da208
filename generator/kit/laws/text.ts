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
        const told = tell(trial, rule);
        if (told !== undefined) checkText(trial, told, rule.whole);
      }
    },
  },
];

const PIECES = ["qzalpha one ", "qzbeta two ", "qzgamma three"] as const;
const WHOLE = PIECES.join("");

/** A text in pieces, and then whole. */
function tell(trial: Trial, rule: NonNullable<StreamRules["texts"]>[number]): KitEvent[] | undefined {
  const builder = trial.builder();
  const names = Object.fromEntries(rule.key.map((field) => [field, builder.fresh(rule.whole, field, 1)]));
  const send = (type: string, field: string, text: string): KitEvent | undefined =>
    builder.send(builder.cursor(0), { type, wanted: { ...names, [field]: text } }, 1);
  const told = [
    ...PIECES.map((piece) => send(rule.delta, rule.part, piece)),
    send(rule.whole, rule.text, WHOLE),
  ];
  return told.includes(undefined) ? undefined : (told as KitEvent[]);
}

function checkText(trial: Trial, told: readonly KitEvent[], type: string): void {
  const alone = trial.tryView([...trial.events, ...told.slice(-1)]);
  // A consumer that shows no texts of this kind, or not as they are, is not asked.
  if (alone === undefined || !textsOf(alone).some((text) => text.includes(WHOLE))) return;
  // Nothing is missed where missing numbers would not tell of it.
  const holes = trial.protocol.stream?.sequence === undefined ? [] : PIECES.keys();
  for (const missed of [undefined, ...holes]) {
    const heard = told.filter((_, index) => index !== missed);
    const texts = textsOf(trial.view([...trial.events, ...heard]));
    if (!texts.some((text) => text.includes(WHOLE)))
      trial.fail(`The text of ${type} is not shown in full: "${WHOLE}" stands nowhere in the snapshot`);
    const twice = texts.find((text) => PIECES.some((piece) => text.split(piece.trim()).length > 2));
    if (twice !== undefined)
      trial.fail(`A piece of the text of ${type} is shown twice: "${twice.slice(0, 200)}"`);
  }
}

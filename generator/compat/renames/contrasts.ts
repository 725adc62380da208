/** Knows words that name opposite or different things, so that one of them is no new name of the other. */
import { splitWords } from "./likeness.js";

/**
 * Groups of words that contrast. The words of one line of a group mean the same, and those of different lines do not: a
 * field `width` did not become `height`, and an event `order.created` did not become `order.shipped`.
 */
const CONTRASTS: readonly (readonly string[])[] = [
  ["input inputs in", "output outputs out"],
  ["min minimum least lower low lowest", "max maximum most upper high highest", "mean average avg median"],
  ["width", "height", "depth length"],
  ["from source src origin sender", "to target dest destination receiver recipient"],
  ["start begin first", "end finish stop last"],
  ["first given", "last family", "middle"],
  ["next following after", "previous prev preceding before"],
  ["old previous", "new current next"],
  ["parent", "child children", "sibling"],
  ["left", "right", "center", "top", "bottom"],
  ["lat latitude", "lng lon long longitude", "alt altitude"],
  ["x", "y", "z"],
  ["row rows", "column columns col"],
  ["request requests", "response responses reply"],
  ["question", "answer"],
  ["client", "server"],
  ["buyer customer", "seller vendor merchant"],
  ["read", "write"],
  ["public", "private", "secret"],
  ["internal", "external"],
  ["billing", "shipping delivery"],
  ["upload", "download"],
  ["import imported", "export exported"],
  ["include includes included", "exclude excludes excluded"],
  ["allow allowed allowlist", "deny denied block blocked denylist"],
  ["enable enabled on active", "disable disabled off inactive"],
  ["open opened", "close closed"],
  ["lock locked", "unlock unlocked"],
  ["credit", "debit"],
  ["gross", "net"],
  ["total", "subtotal", "tax", "discount"],
  ["price amount cost", "quantity count number"],
  ["success", "error failure"],
  ["true yes", "false no"],
  ["local", "remote"],
  ["user", "order", "product", "account", "group", "team", "organization organisation org"],
  ["file", "folder directory dir"],
  ["day days", "month months", "year years"],
  ["joined join connected", "left leave disconnected"],
  ["sent", "received"],
  [
    "created create creation added add inserted",
    "updated update changed change modified edited",
    "deleted delete deletion removed remove destroyed",
    "started start began",
    "ended end finished completed succeeded stopped",
    "failed fail",
    "cancelled canceled cancel aborted",
    "paused pause suspended",
    "resumed resume",
    "requested request",
    "approved approve accepted accept granted",
    "rejected reject denied deny declined refused",
    "shipped",
    "delivered",
    "sent",
    "received",
    "paid",
    "refunded",
    "published",
    "archived",
    "expired",
    "opened",
    "closed",
  ],
];

/** Prefixes that turn a word into its opposite: `locked` and `unlocked`. */
const NEGATION = /^(un|dis|non|in|de)/;

/** The lines of each word, as pairs of a group and a line. */
const LINES = new Map<string, (readonly [group: number, line: number])[]>();
for (const [group, lines] of CONTRASTS.entries())
  for (const [line, words] of lines.entries())
    for (const word of words.split(" ")) LINES.set(word, [...(LINES.get(word) ?? []), [group, line]]);

/** Returns whether two names differ in words that contrast. Words that both names have make no difference. */
export function areContrary(a: string, b: string): boolean {
  const old = splitWords(a);
  const now = splitWords(b);
  const oldWords = old.filter((word) => !now.includes(word));
  const newWords = now.filter((word) => !old.includes(word));
  return oldWords.some((word) => newWords.some((other) => contrast(word, other)));
}

function contrast(a: string, b: string): boolean {
  if (isNegationOf(a, b) || isNegationOf(b, a)) return true;
  const lines = LINES.get(b) ?? [];
  const haveSame = (LINES.get(a) ?? []).some(([group, line]) =>
    lines.some(([g, l]) => g === group && l === line),
  );
  return !haveSame && (LINES.get(a) ?? []).some(([group]) => lines.some(([other]) => other === group));
}

function isNegationOf(word: string, positive: string): boolean {
  return positive.length >= 4 && NEGATION.test(word) && word.replace(NEGATION, "") === positive;
}

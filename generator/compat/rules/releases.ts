import { createFieldExample, defineRulesWith, text } from "./rule.js";

const createWaiverFile = (expires: string, fingerprint = "0000000000000000") => ({
  "protocol.json": {
    waivers: [{ fingerprint, rule: "bound-tightened", reason: "Nobody uses it.", expires }],
  },
});

const TRAITS = {
  effect: "violates-history",
  reverse: { description: "none, because the rule is about files, not about a change" },
} as const;

/** Rules about releases and waivers. The code that reads releases and waivers reports their findings. */
export const RELEASE_RULES = defineRulesWith(TRAITS, {
  "release-altered": {
    summary: "a release file was changed",
    explanation:
      "Releases record all names that were ever published, so a release file must not change. The digest in the file detects changes.",
    hint: "Restore the file from version control, and make a new release for a new contract.",
    example: { before: {}, after: {} },
    describe: () => "The release file was changed.",
  },
  "waiver-unused": {
    summary: "a waiver matches no finding",
    explanation:
      "A waiver that is not needed may hide a later break. Breaks of stable contracts cannot be waived.",
    hint: "Remove the waiver from protocol.json.",
    example: { before: {}, after: createWaiverFile("2.0") },
    describe: ({ name, from }) =>
      `The waiver ${name} matches no finding of the rule ${from} that can be waived.`,
  },
  "waiver-expired": {
    summary: "a waiver has expired",
    explanation: "A waiver ends when protocol.json reaches the version in its member `expires`.",
    hint: "Fix the break, or review it again and give the waiver a later version.",
    example: { before: {}, after: createWaiverFile("1.0") },
    describe: ({ name, to }) => `The waiver ${name} has expired with version ${to}.`,
  },
  "version-bump-insufficient": {
    effect: "annotates",
    summary: "the contract has changed since the release of the same version",
    explanation:
      "A released version is one contract, so every later change belongs to the next minor version. `accrete release` refuses it.",
    hint: "Raise version in protocol.json.",
    example: createFieldExample(text, text),
    describe: ({ name, to }) =>
      `The version ${name} is released already, and the contract has changed since; it must be ${to} at least.`,
  },
});

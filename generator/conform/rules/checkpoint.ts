import type { Protocol } from "../../protocol/protocol.js";
import { entriesOf, isCurrent, readField } from "../comparable.js";
import { idOf, named, quote } from "../step-text.js";
import { defineStreamRule, type RuleFile, type Step, seenFromStart, type Watch } from "../stream-rule.js";

const checkpointLate = defineStreamRule({
  id: "checkpoint-late",
  summary: "an automatic checkpoint comes while its tool runs already",
  explanation:
    "Frames v1 and v2: an automatic checkpoint saves the files before a tool changes them. One that comes while a call of that tool is running, and before which there was none for these calls, has saved too late. It says nothing about tools without checkpoints, nor after a hole.",
  hint: "Create the checkpoint, send checkpoint_created, and only then tool_started.",
  severity: { reader: "error", writer: "error" },
});

/** The calls of one tool that run at the same time. */
interface Calls {
  readonly epoch: number;
  /** Whether there was, or may have been, a checkpoint before the first of them. */
  readonly covered: boolean;
  readonly first: string;
  open: number;
}

interface Tools {
  readonly calls: Map<string, Calls>;
  /** Tool name by id of a running call. */
  readonly running: Map<string, string>;
  /** Tools with a checkpoint that no call has used yet. */
  readonly ready: Set<string>;
  /** The last checkpoint failed; nobody knows whose it was. */
  failed: boolean;
}

/** Automatic checkpoints of frames come before their tool. */
export const checkpointRules: RuleFile = {
  rules: [checkpointLate],
  watch: ({ name }: Protocol) => (name === "frames" ? [watchCheckpoints] : []),
};

const MAX_TOOLS = 1000;

/** How many calls of one tool at the same time a comparison of contracts follows. */
const MAX_COMPARED_CALLS = 2;

const watchCheckpoints: Watch<Tools> = {
  rules: [checkpointLate],
  start: () => ({ calls: new Map(), running: new Map(), ready: new Set(), failed: false }),
  handlers: [
    { types: ["checkpoint_created"], check: takeCheckpoint },
    {
      types: ["checkpoint_failed"],
      check(tools) {
        tools.failed = true;
      },
    },
    { types: ["tool_started"], check: takeStart },
    {
      types: ["tool_ended", "tool_failed"],
      check(tools, { payload }) {
        const id = idOf(payload.tool_id) ?? "";
        const calls = tools.calls.get(tools.running.get(id) ?? "");
        tools.running.delete(id);
        if (calls) calls.open--;
      },
    },
  ],
  comparable: {
    madeOf: ["checkpoints"],
    usesEpochs: true,
    judges: ["checkpoint_created"],
    remembers: ["checkpoint_created", "checkpoint_failed", "tool_started", "tool_ended", "tool_failed"],
    allows: ["checkpoint_created", "checkpoint_failed", "tool_ended", "tool_failed"],
    reads: [
      ...readField(["checkpoint_created"], "auto", { kind: "listed", listed: [true, false] }),
      ...readField(["checkpoint_created"], "tool_name", { kind: "id" }),
      ...readField(["tool_started"], "name", { kind: "id" }),
      ...readField(["tool_started", "tool_ended", "tool_failed"], "tool_id", { kind: "id" }),
    ],
    snapshot({ calls, running, ready, failed }, context) {
      if ([...calls.values()].some(({ open }) => Math.abs(open) > MAX_COMPARED_CALLS)) return undefined;
      return [
        entriesOf(calls, ({ epoch, covered, open }) => [isCurrent(epoch, context), covered, open]),
        entriesOf(running, (tool) => tool),
        [...ready].sort(),
        failed,
      ];
    },
  },
};

function takeCheckpoint({ calls, ready }: Tools, step: Step): void {
  const { auto, tool_name: tool } = step.payload;
  if (auto !== true || typeof tool !== "string") return;
  const running = calls.get(tool);
  if (running && running.open > 0 && !running.covered && running.epoch === step.stream.epoch)
    step.report(
      checkpointLate,
      step.at("tool_name"),
      `${named(step)} is the automatic checkpoint of ${quote(tool)}, but comes after ${running.first}.`,
    );
  if (ready.size < MAX_TOOLS) ready.add(tool);
}

function takeStart(tools: Tools, step: Step): void {
  const { name: tool, tool_id } = step.payload;
  const id = idOf(tool_id);
  if (typeof tool !== "string" || id === undefined) return;
  const { epoch } = step.stream;
  let calls = tools.calls.get(tool);
  if (!calls || calls.open <= 0 || calls.epoch !== epoch) {
    const covered = tools.ready.has(tool) || tools.failed || !seenFromStart(step.stream);
    calls = { epoch, covered, first: named(step), open: 0 };
    if (tools.calls.size >= MAX_TOOLS || tools.running.size >= MAX_TOOLS) {
      tools.calls.clear();
      tools.running.clear();
      tools.ready.clear();
      step.limited(`more than ${MAX_TOOLS} tools that are followed at once`);
    }
    tools.calls.set(tool, calls);
  }
  calls.open++;
  tools.running.set(id, tool);
  tools.ready.delete(tool);
  tools.failed = false;
}

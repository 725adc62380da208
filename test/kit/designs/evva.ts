/** Consumers of evva/v0 that each show a part of it, written as their users need them. All of them are correct. */
import { type DesignSet, getOrAdd, type Loose } from "./design.js";

/** What each agent was asked and what it said. */
function chat() {
  const agents = new Map<string, Loose[]>();
  const growing = new Map<string, Loose>();
  return {
    take({ Kind, AgentID, RunStart, Text }: Loose) {
      const say = (line: Loose): Loose => {
        getOrAdd(agents, AgentID, () => []).push(line);
        return line;
      };
      if (Kind === "text_chunk") {
        const line = growing.get(AgentID) ?? say({ who: "agent", text: "" });
        line.text += Text.Text;
        growing.set(AgentID, line);
        return;
      }
      if (/^(turn_|run_|text$)/.test(Kind)) growing.delete(AgentID);
      if (Kind === "run_start") say({ who: "you", text: RunStart.Prompt });
      if (Kind === "text") say({ who: "agent", text: Text.Text });
    },
    show: () => [...agents].map(([agent, lines]) => ({ agent, lines })),
  };
}

/** The tools of each agent. */
function tools() {
  const calls = new Map<string, Loose>();
  return {
    take({ Kind, AgentID, ToolUseStart, ToolUseResult }: Loose) {
      if (Kind === "tool_use_start") {
        const { ToolID, Name, Input } = ToolUseStart;
        calls.set(`${AgentID} ${ToolID}`, { ToolID, Name, Input, state: "running", result: "" });
      }
      if (Kind === "tool_use_result") {
        const { ToolID, Content, IsError } = ToolUseResult;
        const call = getOrAdd(calls, `${AgentID} ${ToolID}`, () => ({ ToolID, Name: "?" }));
        Object.assign(call, { state: IsError ? "failed" : "done", result: Content });
      }
    },
    show: () => [...calls.values()],
  };
}

/** What people were asked. */
function questions() {
  const list: Loose[] = [];
  return {
    take({ Kind, AgentID, ApprovalNeeded, QuestionNeeded }: Loose) {
      if (Kind === "approval_needed")
        list.push({
          AgentID,
          id: ApprovalNeeded.RequestID,
          ask: `${ApprovalNeeded.ToolName}: ${ApprovalNeeded.Reason}`,
        });
      if (Kind === "question_needed")
        list.push({
          AgentID,
          id: QuestionNeeded.RequestID,
          ask: (QuestionNeeded.Questions ?? []).map((each: Loose) => each.Question),
        });
    },
    show: () => list,
  };
}

/** A badge for each agent. */
function status() {
  const agents = new Map<string, string>();
  const words: Loose = {
    run_start: "running",
    run_resume: "running",
    iter_limit: "paused",
    run_end: "finished",
    run_cancelled: "cancelled",
    error: "failed",
  };
  return {
    take({ Kind, AgentID }: Loose) {
      if (Object.hasOwn(words, Kind)) agents.set(AgentID, words[Kind]);
    },
    show: () => [...agents],
  };
}

/** The tokens of each agent so far. */
function usage() {
  const agents = new Map<string, Loose>();
  return {
    take({ Kind, AgentID, Usage }: Loose) {
      if (Kind === "usage")
        agents.set(AgentID, { input: Usage.Cumulative.InputTokens, output: Usage.Cumulative.OutputTokens });
    },
    show: () => [...agents].map(([agent, tokens]) => ({ agent, ...tokens })),
  };
}

/** The tokens of all calls, as thousands. */
function spent() {
  let tokens = 0;
  return {
    take({ Kind, Usage }: Loose) {
      if (Kind === "usage") tokens += Usage.Turn.InputTokens + Usage.Turn.OutputTokens;
    },
    show: () => `${(tokens / 1000).toFixed(1)}k tokens`,
  };
}

/** The permission mode of each root agent. */
function mode() {
  const modes = new Map<string, string>();
  return {
    take({ Kind, AgentID, ModeChanged }: Loose) {
      if (Kind === "mode_changed") modes.set(AgentID, ModeChanged.Mode);
    },
    show: () => Object.fromEntries(modes),
  };
}

/** How often each kind occurred. */
function counts() {
  const numbers = new Map<string, number>();
  return {
    take({ Kind }: Loose) {
      numbers.set(Kind, (numbers.get(Kind) ?? 0) + 1);
    },
    show: () => [...numbers],
  };
}

/** The agents and their children. */
function tree() {
  const parents = new Map<string, string>();
  return {
    take({ AgentID, ParentID }: Loose) {
      if (!parents.has(AgentID)) parents.set(AgentID, ParentID);
    },
    show: () => [...parents].map(([agent, parent]) => (parent === "" ? agent : `${parent} > ${agent}`)),
  };
}

/** What went wrong. */
function problems() {
  const list: Loose[] = [];
  return {
    take({ Kind, AgentID, Error: failure, ToolUseResult, CompactingEnd }: Loose) {
      if (Kind === "error") list.push({ AgentID, stage: failure.Stage, error: failure.Err });
      if (Kind === "tool_use_result" && ToolUseResult.IsError)
        list.push({ AgentID, error: ToolUseResult.Content });
      if (Kind === "compacting_end" && !CompactingEnd.OK) list.push({ AgentID, error: CompactingEnd.Err });
    },
    show: () => list,
  };
}

/** The turn in which each agent is. */
function turns() {
  const agents = new Map<string, Loose>();
  return {
    take({ Kind, AgentID, Turn }: Loose) {
      if (Kind === "turn_start") agents.set(AgentID, { turn: Turn.Iteration, busy: true });
      if (Kind === "turn_end") agents.set(AgentID, { turn: Turn.Iteration, busy: false });
    },
    show: () => [...agents],
  };
}

/** The changes of stored data. */
function updates() {
  const stores = new Map<string, Loose>();
  return {
    take({ Kind, StoreUpdate }: Loose) {
      if (Kind !== "store_update") return;
      const { Domain, Op, ID } = StoreUpdate;
      getOrAdd(stores, Domain, () => []).push(`${Op} ${ID}`);
    },
    show: () => Object.fromEntries(stores),
  };
}

/** Whether an agent compacts its context now. */
function compaction() {
  const agents = new Map<string, string>();
  return {
    take({ Kind, AgentID, Compacting, CompactingEnd }: Loose) {
      if (Kind === "compacting") agents.set(AgentID, `compacting (${Compacting.Type})`);
      if (Kind === "compacting_end")
        agents.set(AgentID, CompactingEnd.OK ? "" : `failed: ${CompactingEnd.Err}`);
    },
    show: () => [...agents],
  };
}

/** The last thing that an agent said. */
function lastText() {
  const last = new Map<string, string>();
  return {
    take({ Kind, AgentID, Text, RunEnd }: Loose) {
      if (Kind === "text") last.set(AgentID, Text.Text);
      if (Kind === "run_end") last.set(AgentID, RunEnd.Content);
    },
    show: () => Object.fromEntries(last),
  };
}

/** How many tools run. */
function running() {
  const open = new Set<string>();
  return {
    take({ Kind, AgentID, ToolUseStart, ToolUseResult }: Loose) {
      if (Kind === "tool_use_start") open.add(`${AgentID} ${ToolUseStart.ToolID}`);
      if (Kind === "tool_use_result") open.delete(`${AgentID} ${ToolUseResult.ToolID}`);
    },
    show: () => open.size,
  };
}

/** All events, each with its payload. */
function log() {
  const lines: Loose[] = [];
  return {
    take({ Kind, AgentID, ParentID, Time, ...payload }: Loose) {
      lines.push({ Kind, AgentID, payload });
    },
    show: () => lines,
  };
}

export const evvaDesigns: DesignSet = {
  designs: {
    chat,
    tools,
    questions,
    status,
    usage,
    spent,
    mode,
    counts,
    tree,
    problems,
    turns,
    updates,
    compaction,
    lastText,
    running,
    log,
  },
  identify: () => undefined,
  typeOf: ({ Kind }) => Kind,
};

/** Further consumers of evva/v0, in the shapes that frontends, bots and audit tools have. All of them are correct. */
import { type DesignSet, getOrAdd, type Loose } from "./design.js";

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const pair = (...ids: string[]): string => JSON.stringify(ids);

/** The milliseconds of a moment; undefined for the zero time, which says that no time was set. */
const moment = (time: string): number | undefined => {
  const value = Date.parse(time.toUpperCase());
  return Number.isNaN(value) || value === Date.parse("0001-01-01T00:00:00Z") ? undefined : value;
};

/** What each agent was told to do and how it went, in Markdown: subagents stand under their root agent. */
function outline() {
  const agents = new Map<string, Loose>();
  const results = new Map<string, (event: Loose) => string>([
    ["run_start", ({ RunStart }) => `- asked: ${RunStart.Prompt}`],
    ["run_resume", ({ RunResume }) => `- went on from message ${RunResume.FromMessageIndex}`],
    ["run_end", ({ RunEnd }) => `- answered: ${RunEnd.Content}`],
    ["run_cancelled", () => "- was stopped"],
    ["iter_limit", ({ IterLimit }) => `- paused after ${IterLimit.Reached} passes`],
    ["error", ({ Error: failure }) => `- failed in ${failure.Stage}: ${JSON.stringify(failure.Err)}`],
  ]);
  return {
    take(event: Loose) {
      const { Kind, AgentID, ParentID } = event;
      const line = results.get(Kind)?.(event);
      if (line !== undefined)
        getOrAdd(agents, AgentID, () => ({ id: AgentID, parent: ParentID, lines: [] })).lines.push(line);
    },
    show() {
      const all = [...agents.values()];
      const roots = new Set<string>(all.map(({ id, parent }) => (parent === "" ? id : parent)));
      const section = (sign: string, { id, lines }: Loose): string => [`${sign} ${id}`, ...lines].join("\n");
      return [...roots]
        .flatMap((root) => [
          section("#", agents.get(root) ?? { id: root, lines: [] }),
          ...all
            .filter(({ parent }) => parent === root && parent !== "")
            .map((agent) => section("##", agent)),
        ])
        .join("\n\n");
    },
  };
}

/** The status line of a terminal: modes, tokens and agents at work. */
function bar() {
  const modes = new Map<string, string>();
  const tokens = new Map<string, Loose>();
  const busy = new Map<string, boolean>();
  const thousands = (count: bigint): string => `${count / 1000n}.${(count % 1000n) / 100n}k`;
  return {
    take({ Kind, AgentID, Usage, ModeChanged }: Loose) {
      if (Kind === "mode_changed") modes.set(AgentID, ModeChanged.Mode);
      if (Kind === "usage") tokens.set(AgentID, Usage.Cumulative);
      if (Kind === "run_start" || Kind === "run_resume" || Kind === "turn_start") busy.set(AgentID, true);
      if (/^(run_end|run_cancelled|iter_limit|error)$/.test(Kind)) busy.set(AgentID, false);
    },
    show() {
      const sum = (field: string): bigint =>
        [...tokens.values()].reduce((total, counts) => total + BigInt(counts[field]), 0n);
      const working = [...busy.values()].filter(Boolean).length;
      return [
        modes.size === 0 ? "mode unknown" : [...modes.values()].join("/"),
        `${thousands(sum("InputTokens"))} in, ${thousands(sum("OutputTokens"))} out`,
        `${working} of ${busy.size} agents work`,
      ].join(" | ");
    },
  };
}

/** What people were asked in the current run of each agent. Answers are not reported, ends of runs are. */
class Prompts {
  readonly #agents = new Map<string, Loose[]>();

  take({ Kind, AgentID, ApprovalNeeded, QuestionNeeded }: Loose): void {
    switch (Kind) {
      case "run_start":
      case "run_resume":
      case "run_end":
      case "run_cancelled":
      case "error":
        this.#agents.delete(AgentID);
        break;
      case "approval_needed": {
        const { RequestID, ToolName, ToolInput, Reason, RiskHint, PlanContent } = ApprovalNeeded;
        const ask = PlanContent === "" ? `${ToolName} ${JSON.stringify(ToolInput)}` : PlanContent;
        this.#add(AgentID, { RequestID, ask, why: [Reason, RiskHint].filter((text) => text !== "") });
        break;
      }
      case "question_needed": {
        const { RequestID, Questions } = QuestionNeeded;
        const asks = (Questions ?? []).map(({ Question, MultiSelect, Options }: Loose) => {
          const labels = (Options ?? []).map(({ Label }: Loose) => Label).join(MultiSelect ? " + " : " / ");
          return labels === "" ? Question : `${Question} (${labels})`;
        });
        this.#add(AgentID, { RequestID, ask: asks.join("\n"), why: [] });
      }
    }
  }

  #add(agent: string, prompt: Loose): void {
    getOrAdd(this.#agents, agent, () => []).push(prompt);
  }

  show(): Loose {
    return [...this.#agents].map(([agent, prompts]) => ({ agent, prompts: [...prompts] }));
  }
}

/** The stores behind the panels: the newest state of each record that was not removed, by domain. */
function records() {
  type State = ReadonlyMap<string, Loose>;
  const reduce = (state: State, { Kind, AgentID, StoreUpdate }: Loose): State => {
    if (Kind !== "store_update") return state;
    const { Domain, Op, ID, Payload } = StoreUpdate;
    const next = new Map(state);
    if (Op === "removed") next.delete(pair(Domain, AgentID, ID));
    else next.set(pair(Domain, AgentID, ID), { Domain, AgentID, ID, Op, Payload });
    return next;
  };
  let state: State = new Map();
  return {
    take(event: Loose) {
      state = reduce(state, event);
    },
    show() {
      const domains = new Map<string, Loose[]>();
      for (const { Domain, ...record } of state.values()) getOrAdd(domains, Domain, () => []).push(record);
      return [...domains].sort(([a], [b]) => byText(a, b)).map(([domain, list]) => ({ domain, list }));
    },
  };
}

/** The text and the reasoning of each turn, whole or as they grow. */
function turnTexts() {
  const agents = new Map<string, Loose[]>();
  const open = new Map<string, Loose>();
  const begin = (agent: string, iteration: number | null): Loose => {
    const turn = { iteration, done: false, thinking: [], text: [], growing: new Set() };
    getOrAdd(agents, agent, () => []).push(turn);
    open.set(agent, turn);
    return turn;
  };
  const add = (agent: string, channel: "text" | "thinking", text: string, piece: boolean): void => {
    const turn = open.get(agent) ?? begin(agent, null);
    const blocks = turn[channel];
    if (piece && turn.growing.has(channel)) blocks[blocks.length - 1] += text;
    else blocks.push(text);
    if (piece) turn.growing.add(channel);
    else turn.growing.delete(channel);
  };
  return {
    take({ Kind, AgentID, Turn, Text, Thinking }: Loose) {
      switch (Kind) {
        case "turn_start":
          begin(AgentID, Turn.Iteration);
          break;
        case "turn_end": {
          const turn = open.get(AgentID);
          if (turn !== undefined)
            Object.assign(turn, { iteration: turn.iteration ?? Turn.Iteration, done: true });
          open.delete(AgentID);
          break;
        }
        case "run_start":
        case "run_resume":
        case "run_end":
        case "run_cancelled":
        case "error":
          open.delete(AgentID);
          break;
        case "text":
        case "text_chunk":
          add(AgentID, "text", Text.Text, Kind === "text_chunk");
          break;
        case "thinking":
        case "thinking_chunk":
          add(AgentID, "thinking", Thinking.Text, Kind === "thinking_chunk");
      }
    },
    show: () =>
      [...agents].map(([agent, turns]) => ({
        agent,
        turns: turns.map(({ iteration, done, thinking, text }) => ({
          iteration,
          done,
          thinking: thinking.filter((block: string) => block !== ""),
          text: text.filter((block: string) => block !== ""),
        })),
      })),
  };
}

/** One agent of the crew. */
class Member {
  readonly root: string;
  #state = "unknown";
  #tools = new Set<string>();

  constructor(id: string, parent: string) {
    this.root = parent === "" ? id : parent;
  }

  take({ Kind, ToolUseStart, ToolUseResult }: Loose): void {
    const next = Member.states.get(Kind);
    if (next !== undefined) {
      this.#state = next;
      if (Kind !== "turn_start" && Kind !== "iter_limit") this.#tools.clear();
    }
    if (Kind === "tool_use_start") {
      this.#tools.add(ToolUseStart.ToolID);
      if (this.#state === "unknown") this.#state = "works";
    }
    if (Kind === "tool_use_result") this.#tools.delete(ToolUseResult.ToolID);
  }

  static readonly states = new Map([
    ["run_start", "works"],
    ["run_resume", "works"],
    ["turn_start", "works"],
    ["iter_limit", "pauses"],
    ["run_end", "is done"],
    ["run_cancelled", "was stopped"],
    ["error", "failed"],
  ]);

  get color(): string {
    const bad = this.#state === "failed" || this.#state === "was stopped";
    return bad ? "red" : this.#state === "works" || this.#state === "is done" ? "green" : "yellow";
  }

  toString(): string {
    return this.#tools.size > 0 ? `${this.#state} (${this.#tools.size} open calls)` : this.#state;
  }
}

/** Who belongs to which root agent, and how each of them does. */
function crew() {
  const members = new Map<string, Member>();
  const others = new Set(["tool_use_start", "tool_use_result"]);
  return {
    take(event: Loose) {
      if (Member.states.has(event.Kind) || others.has(event.Kind))
        getOrAdd(members, event.AgentID, () => new Member(event.AgentID, event.ParentID)).take(event);
    },
    show() {
      const groups = new Map<string, Loose[]>();
      for (const [id, member] of members)
        getOrAdd(groups, member.root, () => []).push({ id, color: member.color, does: String(member) });
      return [...groups].map(([root, agents]) => ({ root, size: agents.length, agents }));
    },
  };
}

/** How long calls of each tool took on average, as far as start and times are known, and how many failed. */
function clocks() {
  const open = new Map<string, { name: string; since: number | undefined }>();
  const tools = new Map<string, { calls: number; failed: number; times: number[] }>();
  const tool = (name: string) => getOrAdd(tools, name, () => ({ calls: 0, failed: 0, times: [] }));
  return {
    take({ Kind, AgentID, Time, ToolUseStart, ToolUseResult }: Loose) {
      if (Kind === "tool_use_start") {
        open.set(pair(AgentID, ToolUseStart.ToolID), { name: ToolUseStart.Name, since: moment(Time) });
        tool(ToolUseStart.Name).calls++;
      }
      if (Kind !== "tool_use_result") return;
      const call = open.get(pair(AgentID, ToolUseResult.ToolID));
      if (call === undefined) return;
      open.delete(pair(AgentID, ToolUseResult.ToolID));
      const now = moment(Time);
      if (ToolUseResult.IsError) tool(call.name).failed++;
      if (call.since !== undefined && now !== undefined) tool(call.name).times.push(now - call.since);
    },
    show: () =>
      [...tools]
        .sort(([a], [b]) => byText(a, b))
        .map(([name, { calls, failed, times }]) => {
          const mean = times.reduce((sum, ms) => sum + ms, 0) / times.length;
          return `${name}: ${calls} calls, ${failed} failed, ${times.length === 0 ? "no times" : `${Math.round(mean)} ms`}`;
        }),
  };
}

/** Each stretch of work of each agent, and how it ended. */
function stretches() {
  const words = new Map([
    ["run_start", "works"],
    ["run_resume", "works"],
    ["iter_limit", "paused"],
    ["run_cancelled", "stopped"],
    ["error", "failed"],
    ["run_end", "done"],
  ]);
  const agents = new Map<string, { word: string; isOpen: boolean }[]>();
  return {
    take({ Kind, AgentID }: Loose) {
      const word = words.get(Kind);
      if (word === undefined) return;
      const list = getOrAdd(agents, AgentID, () => []);
      const last = list.at(-1);
      if (word === "works") {
        if (last?.isOpen) Object.assign(last, { word: "end not seen", isOpen: false });
        list.push({ word, isOpen: true });
      } else if (last?.isOpen) Object.assign(last, { word, isOpen: false });
      else list.push({ word, isOpen: false });
    },
    show: () =>
      [...agents]
        .sort(([a], [b]) => byText(a, b))
        .map(([agent, list]) => ({ agent, words: list.map(({ word }) => word) })),
  };
}

/** The prompts of each agent as Markdown, with how each run ended. */
function transcript() {
  const agents = new Map<string, string[]>();
  return {
    take({ Kind, AgentID, RunStart }: Loose) {
      const lines = getOrAdd(agents, AgentID, () => []);
      if (Kind === "run_start") lines.push(`> ${RunStart.Prompt}`);
      if (Kind === "run_end") lines.push("---");
      if (Kind === "run_cancelled") lines.push("*stopped*");
      if (Kind === "error") lines.push("*failed*");
    },
    show: () =>
      Object.fromEntries(
        [...agents].flatMap(([agent, lines]) => (lines.length === 0 ? [] : [[agent, lines.join("\n\n")]])),
      ),
  };
}

export const furtherEvvaDesigns: DesignSet = {
  designs: {
    outline,
    bar,
    prompts: () => new Prompts(),
    records,
    turnTexts,
    crew,
    clocks,
    stretches,
    transcript,
  },
  identify: () => undefined,
  typeOf: ({ Kind }) => Kind,
};

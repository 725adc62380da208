// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are pieces of source text
/**
 * Bugs by an author who had seen neither the laws nor the other bugs. The laws of that time caught 16 of the 56 real ones; some
 * laws were extended afterwards.
 */
import type { Row } from "./bugs.js";

export const FURTHER_HECATE: readonly Row[] = [
  [
    "tools",
    "shows no duration for a tool that took 0 ms",
    `if (data.duration_ms !== undefined)`,
    `if (data.duration_ms)`,
  ],
  [
    "tools",
    "keeps an ended tool ended when its id is invoked again",
    `tool.state = state;`,
    `if (tool.state === "" || tool.state === "running") tool.state = state;`,
    "writers use the id of a call once",
  ],
  [
    "approvals",
    "passes over an answer whose question it never saw",
    `} else if (type === "approval.resolved") {`,
    `} else if (type === "approval.resolved" && gates.has(\`\${event.run_id} \${data.approval_id}\`)) {`,
  ],
  [
    "approvals",
    "shows the reason of the policy for an empty summary",
    `data.summary ?? data.policy_reason`,
    `data.summary || data.policy_reason`,
    "An empty summary says nothing about what would be done; the reason of the policy is the required text for the person who decides.",
  ],
  [
    "inbox",
    "has room for one question of each run",
    `const key = \`\${run_id}/\${data.approval_id}\`;`,
    `const key = run_id;`,
  ],
  [
    "status",
    "keeps a finished run finished when it starts again",
    `if (word !== undefined) runs.set(run_id, word);`,
    `if (word !== undefined && runs.get(run_id) !== "finished") runs.set(run_id, word);`,
  ],
  [
    "status",
    "shows every run event as a state, a saved checkpoint too",
    `const word = words.get(type);`,
    `const word = words.get(type) ?? (type.startsWith("run.") ? type.slice(4) : undefined);`,
  ],
  ["busy", "is idle as soon as one of two runs ends", `active.delete(run_id)`, `active.clear()`],
  [
    "lastText",
    "takes the first block of a turn for all of its text",
    `if (type === "assistant.text_complete")`,
    `if (type === "assistant.text_complete" && data.block_index === 0)`,
  ],
  [
    "chat",
    "puts all blocks of a turn into one bubble",
    `data.turn_index, data.block_index]`,
    `data.turn_index]`,
  ],
  [
    "chat",
    "trims the pieces of a text while it grows",
    `bubble.text += data.delta;`,
    `bubble.text += data.delta.trimEnd();`,
  ],
  [
    "chat",
    "takes a message that repeats the one before for an echo",
    `if (type === "user.message") say(`,
    `if (type === "user.message" && runs.get(run_id)?.at(-1)?.text !== data.text) say(`,
  ],
  [
    "counts",
    "counts from zero again when another run is created",
    `numbers.set(type, (numbers.get(type) ?? 0) + 1);`,
    `if (type === "run.created") numbers.clear();
      numbers.set(type, (numbers.get(type) ?? 0) + 1);`,
  ],
  [
    "costs",
    "never lets the cost fall, not even after a gap",
    `run.micros = data.cumulative_cost_micros_usd;`,
    `run.micros = Math.max(run.micros, data.cumulative_cost_micros_usd);`,
  ],
  [
    "bill",
    "rounds each run to cents before it adds them",
    `sum + micros, 0) / 1e6)`,
    `sum + Math.round(micros / 1e4), 0) / 100)`,
  ],
  [
    "bill",
    "has one amount for all runs of a task",
    `take({ run_id, type, data }: Loose) {
      if (type === "cost.tick") runs.set(run_id, `,
    `take({ run_id, task_id, type, data }: Loose) {
      if (type === "cost.tick") runs.set(task_id ?? run_id, `,
  ],
  [
    "terminal",
    "crashes if the command is given by its arguments alone",
    `data.command_string ?? data.argv.join(" ")`,
    `data.command_string.trim() || data.argv.join(" ")`,
  ],
  [
    "terminal",
    "takes stderr that comes after stdout for sent again",
    `if (type === "tool.shell.output_chunk")`,
    `if (type === "tool.shell.output_chunk" && data.byte_offset >= shell.out.length + shell.err.length)`,
  ],
  [
    "todos",
    "keeps the old list when the new one is empty",
    `if (type === "tool.todo_write.updated")`,
    `if (type === "tool.todo_write.updated" && data.todos.length > 0)`,
  ],
  [
    "problems",
    "prefers the error of the record to the message for people",
    `data.message ?? data.error ?? ""`,
    `data.error ?? data.message ?? ""`,
  ],
  [
    "problems",
    "overlooks a process that was killed, with exit code -1",
    `data.exit_code !== 0`,
    `data.exit_code > 0`,
  ],
  [
    "files",
    "mixes up files of the same name in different folders",
    `paths.add(data.path)`,
    `paths.add(data.path.split("/").pop())`,
  ],
  [
    "gauge",
    "takes the result of a search for the end of its tool",
    `/^tool\\.(completed|failed|cancelled|timed_out)$/`,
    `/^tool\\..*(completed|failed|cancelled|timed_out)$/`,
  ],
  [
    "turns",
    "drops a turn whose start it has not seen",
    `const row = getOrAdd(`,
    `if (type !== "turn.started" && !rows.has(key)) return;
      const row = getOrAdd(`,
  ],
  [
    "turns",
    "shows the cost of the run so far as that of the turn",
    `cost: data.cost_micros_usd }`,
    `cost: data.run_cumulative_cost_micros_usd ?? data.cost_micros_usd }`,
  ],
  [
    "artifacts",
    "takes any changed property for the status",
    `if (type === "artifact.updated" && data.field === "status")`,
    `if (type === "artifact.updated")`,
  ],
  [
    "timings",
    "turns its list around each time it is shown",
    `show: () => list,`,
    `show: () => list.reverse(),`,
  ],
  [
    "mcpCalls",
    "shows nothing for a result that it does not know",
    `data.result ?? data.summary ?? "done"`,
    `({ dispatched: "dispatched", tool_error: "tool_error" } as Loose)[data.result]`,
  ],
  [
    "log",
    "takes the number of another run for a repeat",
    `rows.push({`,
    `if (!rows.some(({ number }) => number === sequence)) rows.push({`,
  ],
  [
    "log",
    "sorts the rows of all runs by their numbers",
    `show: () => rows,`,
    `show: () => [...rows].sort((a, b) => a.number - b.number),`,
    "Nothing is promised about the order of events of different runs, and the rows of each run, which each name it, stay in order.",
  ],
];

export const FURTHER_FRAMES: readonly Row[] = [
  [
    "tools",
    "puts each piece of output on a line of its own",
    `call.out += frame.chunk;`,
    `call.out += call.out === "" ? frame.chunk : \`\\n\${frame.chunk}\`;`,
  ],
  [
    "tasks",
    "shows null for a task without a title",
    `frame.title ?? frame.tool_name`,
    `frame.title === undefined ? frame.tool_name : frame.title`,
  ],
  [
    "transcript",
    "renews what it shows at a new session, not at new text",
    `show: () => [...sessions.values()],`,
    `show: (() => {
      let size = -1;
      let shown: Loose[] = [];
      return () => {
        if (sessions.size !== size) shown = [...sessions.values()].map((session) => ({ ...session }));
        size = sessions.size;
        return shown;
      };
    })(),`,
  ],
  [
    "counts",
    "takes a low number of another stream for a repeat",
    `const numbers: { [type: string]: number } = Object.create(null);
  return {
    take({ type }: Loose) {`,
    `const numbers: { [type: string]: number } = Object.create(null);
  let last = -1;
  return {
    take({ type, seq }: Loose) {
      if (seq <= last) return;
      last = seq;`,
  ],
  [
    "checkpoints",
    "finds a checkpoint by its label",
    `list.find((each) => each.id === id)`,
    `list.find((each) => each.label === label)`,
  ],
  [
    "skills",
    "forgets the uses of a skill that is loaded again",
    `known.set(name, known.get(name) ?? 0)`,
    `known.set(name, 0)`,
  ],
  [
    "problems",
    "shows problems with the same text once",
    `show: () => list,`,
    `show: () => [...new Set(list)],`,
  ],
  [
    "terminals",
    "empties the screen when its size changes",
    `screen().size = \`\${frame.cols}x\${frame.rows}\`;`,
    `Object.assign(screen(), { text: "", size: \`\${frame.cols}x\${frame.rows}\` });`,
  ],
  [
    "running",
    "forgets the tools of all sessions when one ends",
    `if (frame.type === "tool_ended" || frame.type === "tool_failed") open.delete(key);`,
    `if (frame.type === "tool_ended" || frame.type === "tool_failed") open.delete(key);
      if (frame.type === "session_ended") open.clear();`,
  ],
  [
    "status",
    "shows every reason but completed as an error",
    `\`ended: \${frame.reason}\``,
    `frame.reason === "completed" ? "ended: completed" : "ended: error"`,
  ],
  [
    "artifacts",
    "shows the word null or undefined for no preview",
    `preview: preview ?? ""`,
    `preview: \`\${preview}\``,
  ],
  [
    "lastInput",
    "keeps the older input when the new one is empty",
    `if (type === "session_started")`,
    `if (type === "session_started" && input)`,
  ],
  [
    "providers",
    "counts the end marker of a stream as garbled",
    `if (how === "invalid_json")`,
    `if (how !== "event")`,
  ],
  [
    "timings",
    "leaves out the time of tools with another exit code than 0",
    `take({ type, duration_ms }: Loose) {
      if (type === "tool_ended")`,
    `take({ type, duration_ms, exit_code }: Loose) {
      if (type === "tool_ended" && exit_code === 0)`,
  ],
  [
    "log",
    "leaves out fields that are 0, false, null or empty",
    `push({ seq, type, fields })`,
    `push({ seq, type, fields: Object.fromEntries(Object.entries(fields).filter(([, value]) => value)) })`,
  ],
];

export const FURTHER_EVVA: readonly Row[] = [
  ["chat", "lets text grow on after a turn that was cut off", `/^(turn_|run_|text$)/`, `/^(turn_end|text)$/`],
  [
    "tools",
    "keeps the state of a tool in the event itself",
    `{ ToolID, Name, Input, state: "running", result: "" }`,
    `Object.assign(ToolUseStart, { ToolID, Name, Input, state: "running", result: "" })`,
  ],
  [
    "questions",
    "shows the first question of several alone",
    `(QuestionNeeded.Questions ?? []).map(`,
    `(QuestionNeeded.Questions ?? []).slice(0, 1).map(`,
  ],
  [
    "status",
    "shows what happens to a subagent as the state of its root",
    `take({ Kind, AgentID }: Loose) {
      if (Object.hasOwn(words, Kind)) agents.set(AgentID, `,
    `take({ Kind, AgentID, ParentID }: Loose) {
      if (Object.hasOwn(words, Kind)) agents.set(ParentID || AgentID, `,
  ],
  [
    "usage",
    "forgets the tokens of the session when a run starts",
    `if (Kind === "usage")`,
    `if (Kind === "run_start") agents.delete(AgentID);
      if (Kind === "usage")`,
  ],
  [
    "spent",
    "leaves out the tokens of subagents",
    `take({ Kind, Usage }: Loose) {
      if (Kind === "usage")`,
    `take({ Kind, ParentID, Usage }: Loose) {
      if (Kind === "usage" && ParentID === "")`,
  ],
  [
    "mode",
    "passes over the mode that is set first",
    `if (Kind === "mode_changed")`,
    `if (Kind === "mode_changed" && ModeChanged.PrevMode)`,
  ],
  [
    "counts",
    "shows the first ten kinds alone",
    `show: () => [...numbers],`,
    `show: () => [...numbers].slice(0, 10),`,
  ],
  [
    "tree",
    "learns of an agent from its run_start alone",
    `take({ AgentID, ParentID }: Loose) {
      if (!parents.has(AgentID))`,
    `take({ Kind, AgentID, ParentID }: Loose) {
      if (Kind === "run_start" && !parents.has(AgentID))`,
  ],
  [
    "problems",
    "shows an error that is an object as [object Object]",
    `error: failure.Err }`,
    `error: \`\${failure.Err}\` }`,
  ],
  [
    "turns",
    "counts on over runs instead of reading the number",
    `{ turn: Turn.Iteration, busy: true }`,
    `{ turn: (agents.get(AgentID)?.turn ?? 0) + 1, busy: true }`,
  ],
  [
    "updates",
    "takes an equal change right after another for a repeat",
    `getOrAdd(stores, Domain, () => []).push(\`\${Op} \${ID}\`);`,
    `const list = getOrAdd(stores, Domain, () => []);\n      if (list.at(-1) !== \`\${Op} \${ID}\`) list.push(\`\${Op} \${ID}\`);`,
  ],
  [
    "compaction",
    "overlooks a compaction that a person started, at ratio 0",
    `if (Kind === "compacting")`,
    `if (Kind === "compacting" && Compacting.UsageRatio)`,
  ],
  [
    "lastText",
    "keeps the last text when the final answer is empty",
    `if (Kind === "run_end")`,
    `if (Kind === "run_end" && RunEnd.Content)`,
    "An agent that ends with an empty answer says nothing more, so the text before it is still the last thing it said.",
  ],
  [
    "running",
    "counts a tool that reports a failure as running",
    `if (Kind === "tool_use_result")`,
    `if (Kind === "tool_use_result" && !ToolUseResult.IsError)`,
  ],
];

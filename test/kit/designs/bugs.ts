// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are pieces of source text
/** Bugs that are planted in the partial consumers of this folder: each is one edit of one of them. */
import { mapValues } from "../../../generator/json.js";
import { FURTHER_EVVA, FURTHER_FRAMES, FURTHER_HECATE } from "./further-bugs.js";
import { UNSEEN_EVVA, UNSEEN_FRAMES, UNSEEN_HECATE } from "./unseen-bugs.js";

/** A bug: an edit of the function of a design, and whether it breaks the contract. */
export interface DesignBug {
  readonly design: string;
  readonly name: string;
  /** Text that occurs exactly once in the function of the design. */
  readonly find: string;
  readonly replacement: string;
  /** The reason why what the consumer shows is still right by the contract; absent if the bug is real. */
  readonly harmless?: string;
  /** The reason why no law catches the bug; absent if one does. */
  readonly missed?: string;
}

export type Row = readonly [
  design: string,
  name: string,
  find: string,
  replacement: string,
  harmless?: string,
];

/** Why no law catches a bug, by its design and its name. */
const MISSED: { readonly [protocol: string]: { readonly [bug: string]: string } } = {
  "hecate/v1": {
    "busy: is idle when any run ends":
      "it shows the same as a badge of the run that spoke last, which is a right view",
    "terminal: shows exit code 0 as unknown":
      "a consumer may have a word of its own for zero, such as none or done, and no law knows what words mean",
    "turns: shows failed turns as done":
      "the error of a failed turn is shown beside the state, so the ends look different",
    "tools: shows blocked tools as running": "a block is declared as no end of a tool",
    "todos: shows completed things as pending": "values in lists are not compared with each other",
    "problems: shows one failure of each tool":
      "the failures of two calls are not compared when the name is the same",
    "status: shows every run event as a state, a saved checkpoint too": "no law knows which words are states",
    "busy: is idle as soon as one of two runs ends":
      "it shows the same as a badge of the run that spoke last, which is a right view",
    "costs: never lets the cost fall, not even after a gap":
      "no declaration says whether totals that begin again are added to those before",
    "bill: rounds each run to cents before it adds them": "the amount of each run is right to a cent",
    "bill: has one amount for all runs of a task":
      "a consumer may show the total of a task, which the events of each of its runs have",
    "problems: prefers the error of the record to the message for people":
      "no law knows which of two texts is for people",
    "gauge: takes the result of a search for the end of its tool":
      "a consumer may take an event for the end of a tool, as it does with blocks",
    "turns: shows the cost of the run so far as that of the turn":
      "no law knows which of two figures a consumer means",
    "artifacts: takes any changed property for the status":
      "no law knows which property of an update a consumer means",
    "mcpCalls: shows nothing for a result that it does not know":
      "a consumer may show some of the known results alone",
  },
  "frames/v2": {
    "checkpoints: drops a checkpoint with the same label":
      "no declaration says which field names a checkpoint, and a list may have an entry for each name",
    "artifacts: drops an artifact with the same kind":
      "no declaration says which fields name an artifact, and a list may have an entry for each name",
    "tasks: shows tasks as cancelled when that is requested": "a request to cancel states no state",
    "transcript: begins the text anew at a tool": "no other event comes between two pieces of a text",
    "checkpoints: counts one return to each checkpoint":
      "no declaration says which field names a checkpoint, and the same return may come twice",
    "checkpoints: mixes sessions": "no declaration says which field names a checkpoint",
    "problems: drops errors with the same words": "an event with other errors is shown, too",
    "terminals: drops output before the size is known":
      "no declaration says that the size comes before output",
    "tasks: shows null for a task without a title": "null is what the field has",
    "checkpoints: finds a checkpoint by its label": "no declaration says which field names a checkpoint",
    "skills: forgets the uses of a skill that is loaded again":
      "no declaration says that the uses of a skill are counted",
    "status: shows every reason but completed as an error":
      "a consumer may have one word for several reasons",
    "lastInput: keeps the older input when the new one is empty":
      "a consumer may keep the last text that says something",
    "providers: counts the end marker of a stream as garbled": "no law knows what a count is about",
    "timings: leaves out the time of tools with another exit code than 0":
      "a consumer may list the tools that succeeded alone",
  },
  "evva/v0": {
    "problems: drops failures of tools with the same words":
      "an event with the id of a call is not sent twice with equal content",
    "compaction: shows failures as done": "pairs are no lifecycles, so their ends are not compared",
    "chat: lets text grow on after a turn that was cut off":
      "no declaration says where the texts of this protocol begin again",
    "questions: shows the first question of several alone":
      "a consumer may show the first entry of a list alone",
    "status: shows what happens to a subagent as the state of its root":
      "the rules demand that a parent is known, and no law makes a run with a parent",
    "usage: forgets the tokens of the session when a run starts": "a consumer may begin anew with each run",
    "spent: leaves out the tokens of subagents": "a consumer may be about some agents alone",
    "mode: passes over the mode that is set first": "a consumer may show changes alone",
    "tree: learns of an agent from its run_start alone": "a consumer may show the agents that started alone",
    "turns: counts on over runs instead of reading the number": "no law knows what a number is about",
    "compaction: overlooks a compaction that a person started, at ratio 0":
      "a consumer may pass over an event because a number of it is zero",
  },
};

function toBug(protocol: string, [design, name, find, replacement, harmless]: Row): DesignBug {
  const missed = MISSED[protocol]?.[`${design}: ${name}`];
  return {
    ...{ design, name, find, replacement },
    ...(harmless !== undefined && { harmless }),
    ...(missed !== undefined && { missed }),
  };
}

const HECATE: readonly Row[] = [
  ["tools", "looks up unknown types among built-in properties", `__proto__: null,`, ``],
  ["tools", "shows failed tools as done", `"tool.failed": "failed"`, `"tool.failed": "done"`],
  ["tools", "shows cancelled tools as done", `"tool.cancelled": "cancelled"`, `"tool.cancelled": "done"`],
  [
    "tools",
    "shows tools that timed out as cancelled",
    `"tool.timed_out": "timed out"`,
    `"tool.timed_out": "cancelled"`,
  ],
  ["tools", "ignores cancelled tools", `"tool.cancelled": "cancelled",`, ``],
  [
    "tools",
    "drops the end of a tool whose start was lost",
    `const tool = getOrAdd(run, data.tool_call_id`,
    `if (state !== "running" && !run.has(data.tool_call_id)) return;\n      const tool = getOrAdd(run, data.tool_call_id`,
  ],
  ["tools", "keys tools by name", `getOrAdd(run, data.tool_call_id,`, `getOrAdd(run, data.tool_name,`],
  ["tools", "keys tools by id alone over all runs", `getOrAdd(runs, run_id,`, `getOrAdd(runs, "all",`],
  [
    "tools",
    "applies an end to the tool that started last",
    `tool.state = state;`,
    `(state === "running" ? tool : ([...run.values()].findLast(({ state: each }) => each === "running") ?? tool)).state = state;`,
  ],
  [
    "tools",
    "truncates durations to 32 bits",
    `tool.duration = data.duration_ms`,
    `tool.duration = data.duration_ms | 0`,
  ],
  [
    "tools",
    "shows a tool that ended as running again when a later event names it",
    `const state = states[type];`,
    `const state = states[type] ?? (runs.get(run_id)?.has(data.tool_call_id) ? "running" : undefined);`,
  ],
  [
    "tools",
    "ends all tools of a run at once",
    `tool.state = state;`,
    `if (state === "running") tool.state = state;\n      else for (const each of run.values()) each.state = state;`,
  ],
  ["tools", "shows only the last 50 tools", `[...run].map(`, `[...run].slice(-50).map(`],
  [
    "tools",
    "reads the kind as if it were always there",
    `if (data.kind !== undefined) tool.kind = data.kind;`,
    `tool.kind = data.kind.toUpperCase();`,
  ],
  [
    "tools",
    "shows ended tools only with a reason",
    `tool.state = state;`,
    `if (state === "running" || data.error !== undefined || data.summary !== undefined) tool.state = state;`,
  ],
  [
    "tools",
    "converts ids that look like numbers",
    `([call, tool]) => ({ call, ...tool })`,
    `([call, tool]) => ({ call: Number(call) || call, ...tool })`,
  ],
  [
    "approvals",
    "shows rejected as approved",
    `gate(event).state = data.decision;`,
    `gate(event).state = "approved";`,
  ],
  [
    "approvals",
    "shows each answer as answered",
    `gate(event).state = data.decision;`,
    `gate(event).state = "answered";`,
  ],
  [
    "approvals",
    "shows cancelled as rejected",
    `gate(event).state = data.decision;`,
    `gate(event).state = data.decision === "approved" ? "approved" : "rejected";`,
  ],
  [
    "approvals",
    "keys approvals by the call",
    "`${run_id} ${data.approval_id}`",
    "`${run_id} ${data.tool_call_id ?? data.approval_id}`",
  ],
  [
    "approvals",
    "keys approvals by the kind",
    "`${run_id} ${data.approval_id}`",
    "`${run_id} ${data.kind ?? data.approval_id}`",
  ],
  [
    "approvals",
    "resolves the approval that was opened last",
    `gate(event).state = data.decision;`,
    `(([...gates.values()].findLast(({ state }) => state === "waiting") ?? gate(event)) as Loose).state = data.decision;`,
  ],
  [
    "approvals",
    "resolves the approval that was opened first",
    `gate(event).state = data.decision;`,
    `(([...gates.values()].find(({ state }) => state === "waiting") ?? gate(event)) as Loose).state = data.decision;`,
  ],
  ["approvals", "shows a time-out as approved", `.state = "timed out"`, `.state = "approved"`],
  [
    "approvals",
    "ignores time-outs",
    `else if (type === "approval.timed_out") gate(event).state = "timed out";`,
    ``,
  ],
  [
    "approvals",
    "drops answers whose question was lost",
    `} else if (type === "approval.resolved") {`,
    `} else if (type === "approval.resolved" && gates.has(\`\${event.run_id} \${data.approval_id}\`)) {`,
  ],
  ["approvals", "mixes approvals of two runs", "`${run_id} ${data.approval_id}`", "data.approval_id"],
  [
    "approvals",
    "swaps who answered and the comment",
    `gate(event).by = data.by;`,
    `gate(event).by = data.comment;`,
    "no law can know which words mean who",
  ],
  [
    "approvals",
    "shows an empty question without a summary",
    `data.summary ?? data.policy_reason`,
    `data.summary.trim()`,
  ],
  [
    "inbox",
    "removes the question that was asked last",
    `open.delete(key);`,
    `open.delete([...open.keys()].at(-1) ?? key);`,
  ],
  [
    "inbox",
    "removes the question that was asked first",
    `open.delete(key);`,
    `open.delete([...open.keys()][0] ?? key);`,
  ],
  ["inbox", "removes all questions", `open.delete(key);`, `open.clear();`],
  ["inbox", "keeps questions that timed out", ` || type === "approval.timed_out"`, ``],
  ["inbox", "keys questions by id alone", "`${run_id}/${data.approval_id}`", "`${data.approval_id}`"],
  ["inbox", "keys questions by run", "`${run_id}/${data.approval_id}`", "`${run_id}`"],
  ["inbox", "keys questions by their kind", "`${run_id}/${data.approval_id}`", "`${run_id}/${data.kind}`"],
  [
    "inbox",
    "drops a question with the same words",
    `open.set(key,`,
    `if (![...open.values()].includes(\`\${data.kind}: \${data.policy_reason}\`)) open.set(key,`,
  ],
  ["status", "shows failed runs as finished", `["run.failed", "failed"]`, `["run.failed", "finished"]`],
  [
    "status",
    "shows cancelled runs as finished",
    `["run.cancelled", "cancelled"]`,
    `["run.cancelled", "finished"]`,
  ],
  ["status", "shows failed runs as running", `["run.failed", "failed"],`, ``],
  [
    "status",
    "shows a finished run as running after any later event",
    `if (word !== undefined) runs.set(run_id, word);`,
    `runs.set(run_id, word ?? "running");`,
  ],
  [
    "status",
    "shows one badge for all runs",
    `runs.set(run_id, word)`,
    `runs.set("run", word)`,
    "a view of the run that spoke last is another view",
  ],
  [
    "status",
    "shows one badge for each session",
    `take({ run_id, type }: Loose) {`,
    `take({ session_id, type, run_id: run }: Loose) {\n      const run_id = session_id ?? run;`,
  ],
  [
    "status",
    "ignores the first event of a run",
    `take({ run_id, type }: Loose) {`,
    `take({ run_id, type, sequence }: Loose) {\n      if (!sequence) return;`,
  ],
  [
    "status",
    "truncates numbers to 32 bits and ignores older ones",
    `take({ run_id, type }: Loose) {`,
    `take({ run_id, type, sequence }: Loose) {\n      if ((sequence | 0) < 0) return;`,
  ],
  ["busy", "stays busy after a failed run", ` || type === "run.failed"`, ``],
  ["busy", "is idle when any run ends", `active.delete(run_id)`, `active.clear()`],
  [
    "lastText",
    "keeps the first text",
    `if (type === "assistant.text_complete") last.set`,
    `if (type === "assistant.text_complete" && !last.has(run_id)) last.set`,
    "the first text of a run, such as its title, is another view",
  ],
  [
    "lastText",
    "trims texts",
    `last.set(run_id, data.text)`,
    `last.set(run_id, data.text.trim())`,
    "the text is complete, and blanks at its ends are not seen",
  ],
  [
    "lastText",
    "strips what is not ASCII",
    `last.set(run_id, data.text)`,
    `last.set(run_id, data.text.replace(/[^\\x20-\\x7e]/g, ""))`,
  ],
  ["chat", "trims pieces", `bubble.text += data.delta`, `bubble.text += data.delta.trim()`],
  [
    "chat",
    "strips what is not ASCII",
    `bubble.text += data.delta`,
    `bubble.text += data.delta.replace(/[^\\x20-\\x7e\\n]/g, "")`,
  ],
  ["chat", "keeps only the last piece", `bubble.text += data.delta`, `bubble.text = data.delta`],
  [
    "chat",
    "drops a piece that equals the one before",
    `bubble.text += data.delta`,
    `bubble.text += bubble.text.endsWith(data.delta) ? "" : data.delta`,
  ],
  ["chat", "does not begin anew after a failed turn", ` || type === "turn.failed"`, ``],
  ["chat", "begins no text anew", `turns.set(run_id, epoch + 1);`, `turns.set(run_id, epoch);`],
  ["chat", "keys texts by block alone", `data.turn_index, data.block_index]`, `data.block_index]`],
  ["chat", "keys texts by turn alone", `data.turn_index, data.block_index]`, `data.turn_index]`],
  [
    "chat",
    "drops a message with the same text",
    `if (type === "user.message") say`,
    `if (type === "user.message" && !(runs.get(run_id) ?? []).some(({ text }) => text === data.text)) say`,
  ],
  [
    "chat",
    "drops pieces with the same text and time",
    `if (type === "assistant.text_delta" && !bubble.done)`,
    `if (type === "assistant.text_delta" && !bubble.done && !bubble.text.includes(data.delta))`,
  ],
  [
    "chat",
    "remembers the last 100 lines",
    `getOrAdd(runs, run_id, () => []).push(bubble);`,
    `const lines = getOrAdd(runs, run_id, () => []);\n        lines.push(bubble);\n        if (lines.length > 100) lines.shift();`,
  ],
  [
    "chat",
    "appends the complete text",
    `Object.assign(bubble, { text: data.text, done: true })`,
    `Object.assign(bubble, { text: bubble.text + data.text, done: true })`,
  ],
  ["chat", "mixes the texts of two runs", `JSON.stringify([run_id, epoch,`, `JSON.stringify([epoch,`],
  [
    "chat",
    "collapses blanks of pieces",
    `bubble.text += data.delta`,
    `bubble.text += data.delta.replace(/^\\s+/, "")`,
  ],
  [
    "chat",
    "ignores empty turns",
    `say({ who: "you", text: data.text })`,
    `data.turn_index && say({ who: "you", text: data.text })`,
  ],
  [
    "counts",
    "counts types of a family together",
    `numbers.set(type, (numbers.get(type) ?? 0) + 1)`,
    `numbers.set(type.split(".")[0], (numbers.get(type.split(".")[0]) ?? 0) + 1)`,
    "a count by family is another view, and a right one",
  ],
  [
    "counts",
    "counts to 64 and begins again",
    `(numbers.get(type) ?? 0) + 1`,
    `((numbers.get(type) ?? 0) + 1) % 64`,
  ],
  [
    "counts",
    "counts events of equal content once",
    `take({ type }: Loose) {`,
    `take({ type, data }: Loose) {\n      const text = \`\${type} \${JSON.stringify(Object.entries(data).sort())}\`;\n      if (((numbers as Loose).seen ??= new Set()).has(text)) return;\n      (numbers as Loose).seen.add(text);`,
  ],
  [
    "counts",
    "counts events of one second once",
    `take({ type }: Loose) {`,
    `take({ type, occurred_at, run_id }: Loose) {\n      const text = \`\${type} \${occurred_at} \${run_id}\`;\n      if (((numbers as Loose).seen ??= new Set()).has(text)) return;\n      (numbers as Loose).seen.add(text);`,
  ],
  [
    "costs",
    "adds up totals",
    `run.micros = data.cumulative_cost_micros_usd`,
    `run.micros += data.cumulative_cost_micros_usd`,
  ],
  [
    "costs",
    "truncates costs to 32 bits",
    `run.micros = data.cumulative_cost_micros_usd`,
    `run.micros = data.cumulative_cost_micros_usd | 0`,
  ],
  [
    "costs",
    "truncates tokens to 32 bits",
    `run.input = data.cumulative_input_tokens`,
    `run.input = data.cumulative_input_tokens >>> 0`,
  ],
  [
    "costs",
    "shows costs as floats of 32 bits",
    `run.micros = data.cumulative_cost_micros_usd`,
    `run.micros = Math.fround(data.cumulative_cost_micros_usd)`,
  ],
  [
    "costs",
    "shows one cost for all runs",
    `getOrAdd(runs, run_id,`,
    `getOrAdd(runs, "all",`,
    "a view of the run that spoke last is another view",
  ],
  [
    "costs",
    "rounds costs to thousands",
    `run.micros = data.cumulative_cost_micros_usd`,
    `run.micros = Math.round(data.cumulative_cost_micros_usd / 1000) * 1000`,
    "a rounded figure is right where nothing says that it is exact",
  ],
  [
    "bill",
    "adds up totals",
    `runs.set(run_id, data.cumulative_cost_micros_usd)`,
    `runs.set(run_id, (runs.get(run_id) ?? 0) + data.cumulative_cost_micros_usd)`,
  ],
  [
    "bill",
    "truncates costs to 32 bits",
    `data.cumulative_cost_micros_usd)`,
    `data.cumulative_cost_micros_usd | 0)`,
  ],
  ["terminal", "keeps only the last piece of output", `+= data.data`, `= data.data`],
  ["terminal", "trims output", `+= data.data`, `+= data.data.trimEnd()`],
  [
    "terminal",
    "strips colours and all that is not ASCII",
    `+= data.data`,
    `+= data.data.replace(/[^\\x20-\\x7e\\n]/g, "")`,
  ],
  [
    "terminal",
    "drops a chunk that equals the one before",
    `+= data.data`,
    `+= shell.last === data.data ? "" : (shell.last = data.data)`,
  ],
  [
    "terminal",
    "joins the output of parallel shells",
    "const key = `${run_id} ${data.tool_call_id}`;",
    "const key = `${run_id}`;",
  ],
  [
    "terminal",
    "joins the output of two runs",
    "const key = `${run_id} ${data.tool_call_id}`;",
    "const key = data.tool_call_id;",
  ],
  [
    "terminal",
    "drops output whose command was lost",
    `const shell = getOrAdd`,
    `if (type !== "tool.shell.command" && !shells.has(key)) return;\n      const shell = getOrAdd`,
  ],
  [
    "terminal",
    "shows exit code 0 as unknown",
    "`exit code ${data.exit_code}`",
    '`exit code ${data.exit_code || "unknown"}`',
  ],
  [
    "terminal",
    "shows the exit code as a byte",
    "`exit code ${data.exit_code}`",
    "`exit code ${data.exit_code & 255}`",
  ],
  ["terminal", "throws at a signal that is null", `data.signal ??`, `data.signal.toUpperCase() ??`],
  [
    "todos",
    "appends lists",
    `lists.set(run_id, data.todos)`,
    `lists.set(run_id, [...(lists.get(run_id) ?? []), ...data.todos])`,
  ],
  [
    "todos",
    "keeps the first list",
    `lists.set(run_id, data.todos)`,
    `lists.has(run_id) || lists.set(run_id, data.todos)`,
  ],
  [
    "todos",
    "ignores an empty list",
    `if (type === "tool.todo_write.updated")`,
    `if (type === "tool.todo_write.updated" && data.todos.length > 0)`,
  ],
  [
    "todos",
    "shows the list of another run",
    `lists.set(run_id, data.todos)`,
    `lists.set("run", data.todos)`,
    "a view of the run that spoke last is another view",
  ],
  [
    "problems",
    "drops a problem with the same words",
    `if (type.startsWith("error.")) list.push`,
    `if (type.startsWith("error.") && !list.some((each) => JSON.stringify(each.detail) === JSON.stringify(data))) list.push`,
  ],
  ["problems", "shows the last 50 problems", `show: () => list`, `show: () => list.slice(-50)`],
  [
    "problems",
    "overwrites problems after 64",
    `list.push({ run_id, type, detail: data })`,
    `list[list.length < 64 ? list.length : list.length % 64] = { run_id, type, detail: data }`,
  ],
  ["gauge", "ignores that tools time out", `|timed_out`, ``],
  ["gauge", "counts down at each end", `running.delete(key)`, `running.delete([...running][0] ?? key)`],
  ["gauge", "mixes runs", "const key = `${run_id} ${data.tool_call_id}`;", "const key = data.tool_call_id;"],
  [
    "turns",
    "ignores turn 0",
    `if (!type.startsWith("turn.")) return;`,
    `if (!type.startsWith("turn.") || !data.turn_index) return;`,
  ],
  [
    "turns",
    "keys turns by run",
    "`${run_id} ${data.turn_index}`",
    "run_id",
    "a view of the turn that goes on is another view",
  ],
  ["turns", "keys turns by index alone", "`${run_id} ${data.turn_index}`", "`${data.turn_index}`"],
  ["turns", "shows failed turns as done", `data.will_retry ? "retrying" : "failed"`, `"done"`],
  ["turns", "truncates costs to 32 bits", `cost: data.cost_micros_usd }`, `cost: data.cost_micros_usd | 0 }`],
  [
    "artifacts",
    "shows reverted as applied",
    `set(data.artifact_id, { status: "reverted" })`,
    `set(data.artifact_id, { status: "applied" })`,
  ],
  [
    "artifacts",
    "shows rejected as applied",
    `{ status: data.new_value }`,
    `{ status: data.new_value === "rejected" ? "applied" : data.new_value }`,
  ],
  [
    "artifacts",
    "drops states of artifacts whose creation was lost",
    `const set = (id: string, fields: Loose): void => {`,
    `const set = (id: string, fields: Loose): void => {\n        if (fields.kind === undefined && !known.has(\`\${run_id} \${id}\`)) return;`,
  ],
  [
    "log",
    "drops events of equal content",
    `rows.push(`,
    `if (!rows.some((row) => row.type === type && row.run === run_id && JSON.stringify(row.data) === JSON.stringify(data))) rows.push(`,
  ],
  [
    "log",
    "drops events of one type and time",
    `take({ run_id, sequence, type, data }: Loose) {`,
    `take({ run_id, sequence, type, data, occurred_at }: Loose) {\n      const text = type + occurred_at + run_id;\n      if (((rows as Loose).seen ??= new Set()).has(text)) return;\n      (rows as Loose).seen.add(text);`,
  ],
  ["log", "keeps the last 50 rows", `show: () => rows`, `show: () => rows.slice(-50)`],
  ["log", "keeps the last 1,000 rows", `show: () => rows`, `show: () => rows.slice(-1000)`],
  ["log", "truncates numbers to 32 bits", `number: sequence`, `number: sequence | 0`],
  ["log", "drops the event with number 0", `rows.push(`, `if (sequence) rows.push(`],
  [
    "log",
    "drops events of unknown families",
    `rows.push(`,
    `if (/^(run|turn|assistant|user|tool|approval|artifact|cost|policy|error|gap|task|snapshot|external)\\b/.test(type)) rows.push(`,
  ],
  [
    "log",
    "throws at null",
    `rows.push(`,
    `for (const value of Object.values(data)) (value as Loose).toString();\n      rows.push(`,
  ],
  [
    "log",
    "sorts rows by type",
    `show: () => rows`,
    `show: () => [...rows].sort((a, b) => (a.type < b.type ? -1 : 1))`,
    "an order of its own is right as long as it follows from the events",
  ],
];

const FRAMES: readonly Row[] = [
  ["tools", "shows failed tools as ended", `{ state: "failed", error: frame.error }`, `{ state: "ended" }`],
  ["tools", "keeps only the last piece of output", `call.out += frame.chunk`, `call.out = frame.chunk`],
  ["tools", "joins the output of parallel tools", "`${keyOf(frame)} ${tool_id}`", "keyOf(frame)"],
  ["tools", "mixes sessions", "`${keyOf(frame)} ${tool_id}`", "tool_id"],
  [
    "tools",
    "ignores the kind of the stream",
    "`${keyOf(frame)} ${tool_id}`",
    "`${frame.stream_id} ${tool_id}`",
  ],
  [
    "tools",
    "keys streams by the optional session",
    "`${keyOf(frame)} ${tool_id}`",
    "`${frame.session_id} ${tool_id}`",
  ],
  [
    "tools",
    "drops output whose start was lost",
    `const call = getOrAdd`,
    `if (type !== "tool_started" && !calls.has(\`\${keyOf(frame)} \${tool_id}\`)) return;\n      const call = getOrAdd`,
  ],
  ["tools", "hides exit code 0", `code: frame.exit_code }`, `code: frame.exit_code || null }`],
  ["tools", "trims output", `call.out += frame.chunk`, `call.out += frame.chunk.trim()`],
  [
    "tools",
    "strips what is not ASCII",
    `call.out += frame.chunk`,
    `call.out += frame.chunk.replace(/[^\\x20-\\x7e\\n]/g, "")`,
  ],
  [
    "tools",
    "drops equal chunks",
    `call.out += frame.chunk`,
    `call.out += call.out.endsWith(frame.chunk) ? "" : frame.chunk`,
  ],
  [
    "tools",
    "shows a failure as running",
    `if (type === "tool_failed") Object.assign(call, { state: "failed", error: frame.error });`,
    ``,
  ],
  [
    "tools",
    "ends the tool that started last",
    `Object.assign(call, { state: "ended", code: frame.exit_code })`,
    `Object.assign([...calls.values()].findLast(({ state }) => state === "running") ?? call, { state: "ended", code: frame.exit_code })`,
  ],
  ["tasks", "shows cancelled tasks as exited", `status: "cancelled", why`, `status: "exited", why`],
  [
    "tasks",
    "shows failed tasks as exited",
    `{ status: frame.status,`,
    `{ status: frame.status === "failed" ? "exited" : frame.status,`,
  ],
  [
    "tasks",
    "drops states of tasks whose start was lost",
    `const task = getOrAdd`,
    `if (type !== "tool_task_spawned" && !known.has(\`\${keyOf(frame)} \${task_id}\`)) return;\n      const task = getOrAdd`,
  ],
  [
    "tasks",
    "sets the first state again when the task writes",
    `if (type === "tool_task_spawned")`,
    `if (type === "tool_task_cancel_requested") task.status = "spawned";\n      if (type === "tool_task_spawned")`,
  ],
  [
    "tasks",
    "throws at a title that is null",
    `frame.title ?? frame.tool_name`,
    `frame.title === undefined ? frame.tool_name : frame.title.trim()`,
  ],
  [
    "transcript",
    "keeps only the last piece",
    `session().output += frame.delta`,
    `session().output = frame.delta`,
  ],
  ["transcript", "trims pieces", `session().output += frame.delta`, `session().output += frame.delta.trim()`],
  [
    "transcript",
    "strips what is not ASCII",
    `session().output += frame.delta`,
    `session().output += frame.delta.replace(/[^\\x20-\\x7e\\n]/g, "")`,
  ],
  [
    "transcript",
    "drops equal pieces",
    `session().output += frame.delta`,
    `session().output += session().last === frame.delta ? "" : (session().last = frame.delta)`,
  ],
  ["transcript", "mixes sessions", `getOrAdd(sessions, keyOf(frame),`, `getOrAdd(sessions, "one",`],
  [
    "transcript",
    "ignores the kind of the stream",
    `getOrAdd(sessions, keyOf(frame),`,
    `getOrAdd(sessions, frame.stream_id,`,
  ],
  [
    "transcript",
    "drops output without an input",
    `if (frame.type === "output_text_delta")`,
    `if (frame.type === "output_text_delta" && sessions.has(keyOf(frame)))`,
  ],
  ["counts", "forgets after 64", `(numbers[type] ?? 0) + 1`, `((numbers[type] ?? 0) + 1) % 64`],
  ["checkpoints", "shows the last 20", `show: () => list.map(`, `show: () => list.slice(-20).map(`],
  [
    "checkpoints",
    "drops a checkpoint with the same label",
    `if (type === "checkpoint_created") list.push`,
    `if (type === "checkpoint_created" && !list.some((each) => each.label === label)) list.push`,
  ],
  [
    "problems",
    "throws at a name that is null",
    `\${frame.name ?? "?"}`,
    `\${frame.name === undefined ? "?" : frame.name.trim()}`,
  ],
  ["problems", "shows the last 50", `show: () => list`, `show: () => list.slice(-50)`],
  ["terminals", "keeps only the last piece", `screen().text += frame.chunk`, `screen().text = frame.chunk`],
  ["terminals", "joins tasks", "`${keyOf(frame)} ${frame.task_id}`", "`one`"],
  [
    "terminals",
    "swaps rows and columns",
    "`${frame.cols}x${frame.rows}`",
    "`${frame.rows}x${frame.cols}`",
    "no law can know which number comes first",
  ],
  ["running", "ignores failed tools", ` || frame.type === "tool_failed"`, ``],
  ["running", "mixes sessions", "`${keyOf(frame)} ${frame.tool_id}`", "frame.tool_id"],
  [
    "status",
    "stays live",
    `if (frame.type === "session_ended") sessions.set(keyOf(frame), \`ended: \${frame.reason}\`);\n      else if`,
    `if`,
    "a list of sessions without their ends is another view",
  ],
  [
    "artifacts",
    "truncates sizes to 32 bits",
    `bytes, preview: preview`,
    `bytes: bytes | 0, preview: preview`,
  ],
  [
    "artifacts",
    "throws at a preview that is null",
    `preview ?? ""`,
    `preview === undefined ? "" : preview.slice(0)`,
  ],
  [
    "artifacts",
    "drops an artifact with the same kind",
    `if (type === "artifact_written") list.push`,
    `if (type === "artifact_written" && !list.some((each) => each.kind === kind && each.bytes === bytes)) list.push`,
  ],
  [
    "providers",
    "counts equal events once",
    `row.events++;`,
    `if (row.last !== how) row.events++;\n      row.last = how;`,
  ],
  ["timings", "truncates to 32 bits", `total += duration_ms`, `total += duration_ms | 0`],
  [
    "timings",
    "shows the last time",
    `total += duration_ms`,
    `total = duration_ms`,
    "another view, and a right one",
  ],
  [
    "log",
    "mixes streams",
    `getOrAdd(streams, keyOf(frame),`,
    `getOrAdd(streams, "one",`,
    "one list of all frames is another view",
  ],
  [
    "log",
    "truncates numbers to 32 bits",
    `.push({ seq, type, fields })`,
    `.push({ seq: seq | 0, type, fields })`,
  ],
  [
    "log",
    "drops frames of equal content",
    `getOrAdd(streams, keyOf(frame), () => []).push(`,
    `const rows = getOrAdd(streams, keyOf(frame), () => []);\n      if (!rows.some((row) => row.type === type && JSON.stringify(row.fields) === JSON.stringify(fields))) rows.push(`,
  ],
  ["log", "drops frame 0", `getOrAdd(streams,`, `if (seq) getOrAdd(streams,`],
];

const EVVA: readonly Row[] = [
  ["chat", "keeps only the last piece", `line.text += Text.Text`, `line.text = Text.Text`],
  ["chat", "trims pieces", `line.text += Text.Text`, `line.text += Text.Text.trim()`],
  [
    "chat",
    "drops equal pieces",
    `line.text += Text.Text`,
    `line.text += line.text.endsWith(Text.Text) ? "" : Text.Text`,
  ],
  ["chat", "mixes agents", `growing.get(AgentID)`, `growing.values().next().value`],
  [
    "chat",
    "drops a prompt with the same text",
    `if (Kind === "run_start") say`,
    `if (Kind === "run_start" && !(agents.get(AgentID) ?? []).some(({ text }) => text === RunStart.Prompt)) say`,
  ],
  [
    "chat",
    "strips what is not ASCII",
    `line.text += Text.Text`,
    `line.text += Text.Text.replace(/[^\\x20-\\x7e\\n]/g, "")`,
  ],
  ["tools", "shows failures as done", `IsError ? "failed" : "done"`, `"done"`],
  [
    "tools",
    "drops results whose start was lost",
    `const call = getOrAdd`,
    `if (!calls.has(\`\${AgentID} \${ToolID}\`)) return;\n        const call = getOrAdd`,
  ],
  [
    "tools",
    "mixes agents",
    "const call = getOrAdd(calls, `${AgentID} ${ToolID}`",
    "const call = getOrAdd(calls, [...calls.keys()].find((key) => key.endsWith(ToolID)) ?? `${AgentID} ${ToolID}`",
  ],
  [
    "tools",
    "gives results to the tool that started last",
    'getOrAdd(calls, `${AgentID} ${ToolID}`, () => ({ ToolID, Name: "?" }))',
    "[...calls.values()].at(-1) ?? {}",
  ],
  [
    "questions",
    "throws at a list that is null",
    `(QuestionNeeded.Questions ?? [])`,
    `QuestionNeeded.Questions`,
  ],
  [
    "questions",
    "drops a question with the same words",
    `if (Kind === "approval_needed")`,
    `if (Kind === "approval_needed" && !list.some(({ ask }) => ask === \`\${ApprovalNeeded.ToolName}: \${ApprovalNeeded.Reason}\`))`,
  ],
  ["questions", "shows the last 20", `show: () => list`, `show: () => list.slice(-20)`],
  ["status", "shows failed as finished", `error: "failed"`, `error: "finished"`],
  ["status", "shows cancelled as finished", `run_cancelled: "cancelled"`, `run_cancelled: "finished"`],
  ["status", "stays running after an error", `error: "failed",`, ``],
  [
    "status",
    "is running again after any event",
    `if (Object.hasOwn(words, Kind)) agents.set(AgentID, words[Kind]);`,
    `agents.set(AgentID, Object.hasOwn(words, Kind) ? words[Kind] : "running");`,
  ],
  [
    "status",
    "mixes agents",
    `agents.set(AgentID, words[Kind])`,
    `agents.set("agent", words[Kind])`,
    "a view of the agent that spoke last is another view",
  ],
  [
    "usage",
    "truncates tokens to 32 bits",
    `input: Usage.Cumulative.InputTokens`,
    `input: Usage.Cumulative.InputTokens | 0`,
  ],
  [
    "usage",
    "adds up totals",
    `agents.set(AgentID, { input: Usage.Cumulative.InputTokens`,
    `agents.set(AgentID, { input: (agents.get(AgentID)?.input ?? 0) + Usage.Cumulative.InputTokens`,
  ],
  [
    "usage",
    "mixes agents",
    `agents.set(AgentID, {`,
    `agents.set("agent", {`,
    "a view of the agent that spoke last is another view",
  ],
  ["counts", "counts to 64", `(numbers.get(Kind) ?? 0) + 1`, `((numbers.get(Kind) ?? 0) + 1) % 64`],
  ["problems", "shows the last 50", `show: () => list`, `show: () => list.slice(-50)`],
  ["problems", "throws at an error that is null", `error: failure.Err }`, `error: failure.Err.toString() }`],
  [
    "updates",
    "drops equal updates",
    `.push(\`\${Op} \${ID}\`)`,
    `.push(...(stores.get(Domain)?.at(-1) === \`\${Op} \${ID}\` ? [] : [\`\${Op} \${ID}\`]))`,
  ],
  [
    "running",
    "counts down the first tool",
    `open.delete(\`\${AgentID} \${ToolUseResult.ToolID}\`)`,
    `open.clear()`,
  ],
  [
    "log",
    "drops events of equal content",
    `lines.push(`,
    `if (!lines.some((line) => line.Kind === Kind && line.AgentID === AgentID && JSON.stringify(line.payload) === JSON.stringify(payload))) lines.push(`,
  ],
  ["log", "keeps the last 1,000", `show: () => lines`, `show: () => lines.slice(-1000)`],
  [
    "log",
    "drops unknown kinds",
    `lines.push(`,
    `if (Object.keys(payload).every((name) => name !== "Future")) lines.push(`,
  ],
];

const ROWS: { readonly [protocol: string]: readonly Row[] } = {
  "hecate/v1": [...HECATE, ...UNSEEN_HECATE, ...FURTHER_HECATE],
  "frames/v2": [...FRAMES, ...UNSEEN_FRAMES, ...FURTHER_FRAMES],
  "evva/v0": [...EVVA, ...UNSEEN_EVVA, ...FURTHER_EVVA],
};

/** The bugs by the protocol of their consumers. */
export const DESIGN_BUGS: { readonly [protocol: string]: readonly DesignBug[] } = mapValues(
  ROWS,
  (rows, protocol) => rows.map((row) => toBug(protocol, row)),
);

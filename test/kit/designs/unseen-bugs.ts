// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are pieces of source text
/**
 * Bugs of the same classes as those of bugs.ts. They were written before any run of the kit on them, and no law was changed for
 * one of them, so they tell how many bugs of a consumer that nobody knows the kit catches.
 */
import type { Row } from "./bugs.js";

export const UNSEEN_HECATE: readonly Row[] = [
  [
    "tools",
    "shows blocked tools as running",
    `"policy.tool_blocked": "blocked"`,
    `"policy.tool_blocked": "running"`,
  ],
  [
    "tools",
    "hides a duration of zero",
    `tool.duration = data.duration_ms`,
    `tool.duration = data.duration_ms || null`,
  ],
  [
    "tools",
    "keys tools by the first eight characters of their ids",
    `getOrAdd(run, data.tool_call_id,`,
    `getOrAdd(run, data.tool_call_id.slice(0, 8),`,
  ],
  [
    "approvals",
    "ignores upper and lower case of ids",
    "`${run_id} ${data.approval_id}`",
    "`${run_id} ${data.approval_id}`.toLowerCase()",
  ],
  [
    "approvals",
    "lets all questions time out at once",
    `gate(event).state = "timed out";`,
    `for (const each of [gate(event), ...gates.values()]) if (each.state === "waiting") each.state = "timed out";`,
  ],
  [
    "inbox",
    "keeps rejected questions",
    `type === "approval.resolved" ||`,
    `(type === "approval.resolved" && data.decision === "approved") ||`,
  ],
  [
    "inbox",
    "keeps ten questions",
    `open.set(key, \`\${data.kind}: \${data.policy_reason}\`);`,
    `open.size < 10 && open.set(key, \`\${data.kind}: \${data.policy_reason}\`);`,
  ],
  [
    "status",
    "keys runs by the end of their ids",
    `runs.set(run_id, word)`,
    `runs.set(run_id.slice(-2), word)`,
  ],
  ["busy", "stays busy after a cancelled run", ` || type === "run.cancelled"`, ``],
  [
    "lastText",
    "strips what is not in the basic plane",
    `last.set(run_id, data.text)`,
    `last.set(run_id, data.text.replace(/[\\u{10000}-\\u{10ffff}]/gu, ""))`,
  ],
  [
    "chat",
    "keeps the first line of each piece",
    `bubble.text += data.delta`,
    `bubble.text += data.delta.split("\\n")[0]`,
  ],
  [
    "chat",
    "puts blanks between pieces",
    `bubble.text += data.delta`,
    `bubble.text += (bubble.text && " ") + data.delta`,
  ],
  ["chat", "keys texts by the last digit of the block", `data.block_index]`, `data.block_index % 10]`],
  [
    "counts",
    "stops to count at 999",
    `(numbers.get(type) ?? 0) + 1`,
    `Math.min(999, (numbers.get(type) ?? 0) + 1)`,
  ],
  [
    "costs",
    "truncates tokens to 16 bits",
    `run.output = data.cumulative_output_tokens`,
    `run.output = data.cumulative_output_tokens & 0xffff`,
  ],
  [
    "terminal",
    "shows the exit at the command that came last",
    `shell.exit = data.signal`,
    `([...shells.values()].at(-1) ?? shell).exit = data.signal`,
  ],
  [
    "todos",
    "keeps the end of a longer list",
    `lists.set(run_id, data.todos)`,
    `lists.set(run_id, Object.assign([...(lists.get(run_id) ?? [])], data.todos))`,
  ],
  [
    "todos",
    "shows completed things as pending",
    `[\${status}]`,
    `[\${status === "completed" ? "pending" : status}]`,
  ],
  [
    "problems",
    "shows one failure of each tool",
    `if (type === "tool.failed" || type === "tool.timed_out")`,
    `if ((type === "tool.failed" || type === "tool.timed_out") && !list.some(({ tool }) => tool === data.tool_name))`,
  ],
  [
    "files",
    "ignores upper and lower case of paths",
    `paths.add(data.path)`,
    `paths.add(data.path.toLowerCase())`,
  ],
  ["files", "keeps 100 paths", `paths.add(data.path)`, `paths.size < 100 && paths.add(data.path)`],
  ["gauge", "counts to 255 and begins again", `total++;`, `total = (total + 1) & 255;`],
  ["turns", "hides zero tokens", `data.output_tokens ?? null`, `data.output_tokens || null`],
  [
    "turns",
    "drops ends of turns whose start was lost",
    `const row = getOrAdd`,
    `if (type !== "turn.started" && !rows.has(key)) return;\n      const row = getOrAdd`,
  ],
  ["artifacts", "mixes artifacts of two runs", "`${run_id} ${id}`", "`${id}`"],
  [
    "timings",
    "drops a time that equals the one before",
    `list.push({`,
    `if (list.at(-1)?.tool !== data.tool_name || list.at(-1)?.seconds !== Math.round(data.duration_ms / 1000)) list.push({`,
  ],
  [
    "mcpCalls",
    "shows failures without a reason as done",
    '`failed: ${data.error ?? ""}`',
    `data.error ?? "done"`,
    "a failed call of an MCP server always has an error, and the consumer shows it",
  ],
  [
    "mcpCalls",
    "mixes runs",
    "const key = `${run_id} ${data.tool_call_id}`;",
    "const key = data.tool_call_id;",
  ],
  ["log", "shows five digits of numbers", `number: sequence`, `number: sequence % 100_000`],
  [
    "log",
    "drops an event whose number another run had",
    `rows.push(`,
    `if (!rows.some((row) => row.number === sequence)) rows.push(`,
  ],
];

export const UNSEEN_FRAMES: readonly Row[] = [
  [
    "tools",
    "lets all tools fail at once",
    `Object.assign(call, { state: "failed", error: frame.error });`,
    `for (const each of calls.values()) if (each === call || each.state === "running") Object.assign(each, { state: "failed", error: frame.error });`,
  ],
  [
    "tasks",
    "shows tasks as cancelled when that is requested",
    `if (type === "tool_task_spawned")`,
    `if (type === "tool_task_cancel_requested") task.status = "cancelled";\n      if (type === "tool_task_spawned")`,
  ],
  ["tasks", "hides exit code 0", `code: frame.exit_code ?? null`, `code: frame.exit_code || null`],
  [
    "transcript",
    "begins the text anew at a tool",
    `if (frame.type === "session_started")`,
    `if (frame.type === "tool_started") session().output = "";\n      if (frame.type === "session_started")`,
  ],
  ["checkpoints", "counts one return to each checkpoint", `point.rewound++`, `point.rewound = 1`],
  ["checkpoints", "mixes sessions", "`${keyOf(frame)} ${checkpoint_id}`", "checkpoint_id"],
  [
    "skills",
    "counts to 15 and begins again",
    `(known.get(name) ?? 0) + 1`,
    `((known.get(name) ?? 0) + 1) % 16`,
  ],
  [
    "problems",
    "drops errors with the same words",
    `list.push(...frame.errors)`,
    `list.push(...frame.errors.filter((each: Loose) => !list.includes(each)))`,
  ],
  [
    "terminals",
    "drops output before the size is known",
    `if (frame.type === "tool_task_output_delta")`,
    `if (frame.type === "tool_task_output_delta" && screens.has(\`\${keyOf(frame)} \${frame.task_id}\`))`,
  ],
  [
    "status",
    "ends all sessions at once",
    `sessions.set(keyOf(frame), \`ended: \${frame.reason}\`);`,
    `for (const key of [keyOf(frame), ...sessions.keys()]) sessions.set(key, \`ended: \${frame.reason}\`);`,
  ],
  ["artifacts", "hides a size of zero", `bytes, preview: preview`, `bytes: bytes || "", preview: preview`],
];

export const UNSEEN_EVVA: readonly Row[] = [
  [
    "questions",
    "drops a question with the id of another agent's",
    `if (Kind === "approval_needed")`,
    `if (Kind === "approval_needed" && !list.some(({ id }) => id === ApprovalNeeded.RequestID))`,
  ],
  [
    "spent",
    "adds up totals",
    `Usage.Turn.InputTokens + Usage.Turn.OutputTokens`,
    `Usage.Cumulative.InputTokens + Usage.Cumulative.OutputTokens`,
  ],
  [
    "problems",
    "drops failures of tools with the same words",
    `&& ToolUseResult.IsError)`,
    `&& ToolUseResult.IsError && !list.some(({ error }) => error === ToolUseResult.Content))`,
  ],
  ["turns", "ignores turn 0", `if (Kind === "turn_start")`, `if (Kind === "turn_start" && Turn.Iteration)`],
  [
    "turns",
    "ends the turns of all agents at once",
    `agents.set(AgentID, { turn: Turn.Iteration, busy: false });`,
    `for (const agent of [AgentID, ...agents.keys()]) agents.set(agent, { turn: agents.get(agent)?.turn ?? Turn.Iteration, busy: false });`,
  ],
  [
    "updates",
    "keeps the last 30 updates",
    `show: () => Object.fromEntries(stores)`,
    `show: () => Object.fromEntries([...stores].map(([domain, list]) => [domain, list.slice(-30)]))`,
  ],
  ["compaction", "shows failures as done", 'CompactingEnd.OK ? "" : `failed: ${CompactingEnd.Err}`', `""`],
];

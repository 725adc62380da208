/** Lists bugs that real frontends have. Each is one edit of a correct consumer, with the laws that catch it. */
export interface Bug {
  readonly name: string;
  /** The consumer that gets it: a file of test/kit/consumers. */
  readonly in: "reducer" | "rebuilder";
  /** The protocol of its events; hecate/v1 if absent. */
  readonly protocol?: "hecate/v1" | "frames/v1" | "frames/v2" | "evva/v0";
  /** Text that occurs exactly once in the consumer. */
  readonly find: string;
  /** The text that replaces it. */
  readonly replacement: string;
  /** Ids of the laws that it breaks. */
  readonly breaks: readonly string[];
}

/** The statements with which the reducer handles an event of an unknown type. */
const UNKNOWN_EVENT_BRANCH = `      opaque.push(event);
      note(run, event);`;

/** One row for each bug. */
export const BUGS: readonly Bug[] = [
  {
    name: "reads an optional field as if it were always there",
    in: "reducer",
    find: `if (ENDS.includes(type)) run.status = type;`,
    replacement: `if (type === "run.started") run.status = (data.worker_id as string).toUpperCase();`,
    breaks: ["never-throws"],
  },
  {
    name: "includes the time of day in the snapshot",
    in: "reducer",
    find: `status: "", cost: null }`,
    replacement: `status: String(performance.now()), cost: null }`,
    breaks: ["deterministic"],
  },
  {
    name: "shares its runs with other consumers",
    in: "reducer",
    find: `const runs = new Map<string, Run>();`,
    replacement: `const runs: Map<string, Run> = ((createConsumer as any).runs ??= new Map());`,
    breaks: ["create-independent"],
  },
  {
    name: "shows events other than those of tools and texts in a microtask",
    in: "reducer",
    find: `status = type;\n      note(run, event);`,
    replacement: `status = type;\n      queueMicrotask(() => note(run, event));`,
    breaks: ["complete-after-push"],
  },
  {
    name: "empties the list of new items when it draws",
    in: "reducer",
    find: `items: items.map(`,
    replacement: `items: items.splice(0).map(`,
    breaks: ["bulk-equals-stream"],
  },
  {
    name: "draws once and never again",
    in: "reducer",
    find: `snapshot: () => [...runs].map(([key, run]) => ({ run: key, ...show(run) })),`,
    replacement: `snapshot: () => ((runs as any).drawn ??= [...runs].map(([key, run]) => ({ run: key, ...show(run) }))),`,
    breaks: ["bulk-equals-stream"],
  },
  {
    name: "marks the payload as shown",
    in: "reducer",
    find: `details: [event.data] });`,
    replacement: `details: [Object.assign(event.data, { shown: true })] });`,
    breaks: ["input-untouched"],
  },
  {
    name: "adds to a list of the event",
    in: "reducer",
    find: `function note(run: Run, event: HecateEvent): void {`,
    replacement: `function note(run: Run, event: HecateEvent): void {\n    (event.data.redacted_keys as string[] | undefined)?.push("seen");`,
    breaks: ["input-untouched"],
  },
  {
    name: "uses the first field as the title",
    in: "reducer",
    find: `shown: event.type, text: ""`,
    replacement: `shown: event.type, text: String(Object.keys(event.data)[0])`,
    breaks: ["key-order"],
  },
  {
    name: "throws at an unknown type",
    in: "reducer",
    find: UNKNOWN_EVENT_BRANCH,
    replacement: `throw new Error("unknown event");`,
    breaks: ["unknown-type"],
  },
  {
    name: "drops unknown types",
    in: "reducer",
    find: UNKNOWN_EVENT_BRANCH,
    replacement: ``,
    breaks: ["unknown-type"],
  },
  {
    name: "shows only the payload of unknown types",
    in: "reducer",
    find: UNKNOWN_EVENT_BRANCH,
    replacement: `      opaque.push(event.data as never);\n      note(run, event);`,
    breaks: ["unknown-type-opaque"],
  },
  {
    name: "shows unknown types newest first",
    in: "reducer",
    find: `opaque: () => opaque,`,
    replacement: `opaque: () => [...opaque].reverse(),`,
    breaks: ["unknown-type-opaque"],
  },
  {
    name: "validates as strictly as a writer",
    in: "reducer",
    find: `createReader(protocol)`,
    replacement: `createReader({ ...protocol, decodeEvent: (value) => protocol.decodeEvent(value, { profile: "writer" }) })`,
    breaks: ["unknown-fields", "unknown-values"],
  },
  {
    name: "has no icon for a new kind of tool",
    in: "reducer",
    find: `return ICONS[String(kind)] ?? "•";`,
    replacement: `return kind === undefined ? "•" : (ICONS[String(kind)] as string).trim();`,
    breaks: ["unknown-values", "next-version"],
  },
  {
    name: "shows only tool events of known kinds",
    in: "reducer",
    find: `} else if (typeof data.tool_call_id === "string") {`,
    replacement: `} else if (typeof data.kind === "string" && ICONS[data.kind] === undefined) {
    } else if (typeof data.tool_call_id === "string") {`,
    breaks: ["unknown-values"],
  },
  {
    name: "ignores the call that an event of an unknown type refers to",
    in: "reducer",
    find: UNKNOWN_EVENT_BRANCH,
    replacement: `      if (run.boxes.has(JSON.stringify(["tool", event.data.tool_call_id]))) throw new Error("not of a call");
${UNKNOWN_EVENT_BRANCH}`,
    breaks: ["next-version"],
  },
  {
    name: "appends redeliveries",
    in: "reducer",
    find: `delivery.kind === "duplicate" || delivery.kind === "conflict"`,
    replacement: `delivery.kind === "conflict"`,
    breaks: ["duplicate-adjacent"],
  },
  {
    name: "remembers only the last id",
    in: "rebuilder",
    find: `if (!events.has(name)) events.set(name, event);`,
    // A new object is a key that no other event has.
    replacement: `events.set([...events.keys()].at(-1) === name || !events.has(name) ? name : {}, event);`,
    breaks: ["duplicate-late"],
  },
  {
    name: "waits for the first number",
    in: "reducer",
    find: `    reduce(run, event);\n  }`,
    replacement: `    if (reader.gaps(stream)[0]?.after === undefined && reader.gaps(stream).length > 0) return;\n    reduce(run, event);\n  }`,
    breaks: ["start-above-first", "shown-without-opening"],
  },
  {
    name: "waits until a gap is filled",
    in: "reducer",
    find: `    reduce(run, event);\n  }`,
    replacement: `    if (reader.gaps(stream).some(({ after }) => after !== undefined)) return;\n    reduce(run, event);\n  }`,
    breaks: ["shown-after-gap", "shown-without-opening"],
  },
  {
    name: "stops at a gap marker",
    in: "reducer",
    find: `    reduce(run, event);\n  }`,
    replacement: `    if (run.items.some(({ shown }) => shown === "gap.run_disconnected")) return;\n    reduce(run, event);\n  }`,
    breaks: ["shown-after-gap-marker"],
  },
  {
    name: "ignores everything after the end of a run",
    in: "reducer",
    find: `    reduce(run, event);\n  }`,
    replacement: `    if (run.status !== "") return;\n    reduce(run, event);\n  }`,
    breaks: ["late-gap-marker"],
  },
  {
    name: "reports a gap one number too early",
    in: "reducer",
    find: `reader.gaps(stream)),`,
    replacement: `reader.gaps(stream).map((gap) => ({ ...gap, before: gap.before - 1 }))),`,
    breaks: ["gaps-listed"],
  },
  {
    name: "forgets gaps",
    in: "reducer",
    find: `reader.gaps(stream)),`,
    replacement: `reader.gaps(stream).slice(1)),`,
    breaks: ["gaps-listed"],
  },
  {
    name: "assigns tool output to the call that started last",
    in: "reducer",
    find: `itemOf(run, "tool", data.tool_call_id).details.push([iconOf(data.kind), type, data]);`,
    replacement: `if (type === "tool.invoked") (run as any).last = data.tool_call_id;
      itemOf(run, "tool", (run as any).last ?? data.tool_call_id).details.push([iconOf(data.kind), type, data]);`,
    breaks: ["calls-separate", "calls-interleaved"],
  },
  {
    name: "appends text to the block that started last",
    in: "reducer",
    find: `if (!block.done) block.text += String(data.delta);`,
    replacement: `const last = run.items.findLast(({ shown }) => shown === "assistant.text") ?? block;
      if (!block.done) last.text += String(data.delta);`,
    breaks: ["texts-separate"],
  },
  {
    name: "uses one text for all blocks",
    in: "reducer",
    find: `if (!block.done) block.text += String(data.delta);`,
    replacement: `run.status += String(data.delta);`,
    breaks: ["texts-separate"],
  },
  {
    name: "uses one text for all blocks of a turn",
    in: "reducer",
    find: `const key = JSON.stringify([name, id]);`,
    replacement: `const key = JSON.stringify([name, Array.isArray(id) ? id.slice(0, 2) : id]);`,
    breaks: ["texts-separate"],
  },
  {
    name: "uses one output for all calls",
    in: "reducer",
    find: `output[stream] = (output[stream] ?? "") + String(data.data);`,
    replacement: `run.status += String(data.data);`,
    breaks: ["calls-separate", "calls-interleaved"],
  },
  {
    name: "merges all runs",
    in: "reducer",
    find: `const run = runOf(stream);`,
    replacement: `const run = runOf("");`,
    breaks: ["runs-separate"],
  },
  {
    name: "merges calls with the same id in two runs",
    in: "reducer",
    find: `const run = runs.get(key) ?? { items: [], boxes: new Map(), epoch`,
    replacement: `const run = runs.get(key) ?? { items: [], boxes: ((runs as any).boxes ??= new Map()), epoch`,
    breaks: ["runs-separate", "run-view"],
  },
  {
    name: "drops an event whose number occurred in another run",
    in: "reducer",
    find: `    const run = runOf(stream);`,
    replacement: `    if (reader.streams().some((other) => other !== stream && Number(reader.cursor(other)) >= event.sequence)) return;
    const run = runOf(stream);`,
    breaks: ["runs-separate", "run-view"],
  },
  {
    name: "shows another run's events in the view of one",
    in: "reducer",
    find: `viewRun: (stream: string) => show(runOf(stream)),`,
    replacement: `viewRun: (stream: string) => show(runOf(stream) && [...runs.values()][0] as Run),`,
    breaks: ["run-view"],
  },
  {
    name: "shows calls as an object with their ids as keys",
    in: "rebuilder",
    find: `calls: [...calls.values()]`,
    replacement: `calls: Object.values(
        [...calls].reduce((all, [name, call]) => { all[JSON.parse(name)[1]] = call; return all; }, {} as any),
      )`,
    breaks: ["proto-id", "id-opaque"],
  },
  {
    name: "shows the result of a tool only if it has the newest field",
    in: "reducer",
    find: `} else if (typeof data.tool_call_id === "string") {`,
    replacement: `} else if (type === "tool.completed" && data.summary === undefined) {
    } else if (typeof data.tool_call_id === "string") {`,
    breaks: ["previous-version", "ends-shown"],
  },
  {
    name: "expects only one redelivery at a time",
    in: "reducer",
    find: `delivery.kind === "duplicate" || delivery.kind === "conflict"`,
    // `again` is true after a redelivery that was dropped. The next redelivery is then taken for a new event.
    replacement: `((runs as any).again = delivery.kind === "duplicate" && !(runs as any).again) || delivery.kind === "conflict"`,
    breaks: ["resume-overlap"],
  },
  {
    name: "converts ids that look like numbers",
    in: "reducer",
    find: `const key = JSON.stringify([name, id]);`,
    replacement: `const key = JSON.stringify([name, Number(id) || id]);`,
    breaks: ["id-opaque"],
  },
  {
    name: "shows a finished tool only if it has an artifact",
    in: "reducer",
    find: `} else if (typeof data.tool_call_id === "string") {`,
    replacement: `} else if ("result_artifact_id patch_artifact_id artifact_id".split(" ").every((id) => !(id in data)) && /completed|edit|patch|applied/.test(type)) {
    } else if (typeof data.tool_call_id === "string") {`,
    breaks: ["unmet-requirements", "ends-shown"],
  },
  {
    name: "appends the complete text to its pieces",
    in: "reducer",
    find: `block.text = String(data.text);`,
    replacement: `block.text += String(data.text);`,
    breaks: ["complete-text-replaces"],
  },
  {
    name: "ignores the complete text when there were pieces",
    in: "reducer",
    find: `block.text = String(data.text);`,
    replacement: `block.text ||= String(data.text);`,
    breaks: ["complete-text-replaces"],
  },
  {
    name: "drops long pieces",
    in: "reducer",
    find: `if (!block.done) block.text +=`,
    replacement: `if (!block.done && String(data.delta).length < 65_536) block.text +=`,
    breaks: ["large-chunk"],
  },
  {
    name: "searches all events for each event",
    in: "rebuilder",
    find: `if (!events.has(name)) events.set(name, event);`,
    replacement: `if (![...events.values()].some((other) => id !== undefined && other[id] === name)) events.set(name, event);`,
    breaks: ["linear-cost"],
  },
  {
    name: "returns the cursor of the newest stream",
    in: "reducer",
    find: `cursor: (stream: string) => reader.cursor(stream),`,
    replacement: `cursor: (_stream: string) => reader.cursor(reader.streams().at(-1) as string),`,
    breaks: ["cursor"],
  },
  {
    name: "decodes each chunk of bytes separately",
    in: "rebuilder",
    find: `decoder.decode(more, { stream: true })`,
    replacement: `decoder.decode(more)`,
    breaks: ["sse-framing"],
  },
  {
    name: "splits lines at line feeds only",
    in: "rebuilder",
    find: `const END = /\\r?\\n\\r?\\n/;`,
    replacement: `const END = /\\n\\n/;`,
    breaks: ["sse-framing"],
  },
  {
    name: "uses only the last data line of a frame",
    in: "rebuilder",
    find: `take(data.join("\\n"))`,
    replacement: `take(data.at(-1) ?? "")`,
    breaks: ["sse-framing"],
  },
  {
    name: "listens to unnamed events only",
    in: "reducer",
    find: `for (const frame of parser.push(bytes))`,
    replacement: `for (const frame of parser.push(bytes).filter((each) => each.event === "message"))`,
    breaks: ["sse-wrapped"],
  },
  {
    name: "treats the wrapper as an event",
    in: "reducer",
    find: `for (const { value } of unwrap(JSON.parse(frame.data))) push(value);`,
    replacement: `push(JSON.parse(frame.data));`,
    breaks: ["sse-wrapped"],
  },
  {
    name: "counts shown events to get the cursor",
    in: "reducer",
    find: `cursor: (stream: string) => reader.cursor(stream),`,
    replacement: `cursor: (stream: string) => runs.get(stream)?.items.length,`,
    breaks: ["cursor"],
  },
  {
    name: "forgets what was shown when the connection breaks",
    in: "reducer",
    find: `parser = createSseParser();
    },`,
    replacement: `parser = createSseParser();
      runs.clear();
    },`,
    breaks: ["reconnect"],
  },
  {
    name: "starts with a new list of ids when the connection breaks",
    in: "reducer",
    find: `      // A new connection begins with a new frame.`,
    replacement: `      Object.assign(reader, createReader(protocol));`,
    breaks: ["reconnect"],
  },
  {
    name: "sorts events other than texts and calls by time",
    in: "rebuilder",
    find: `rest.push(known(event) ? { type, payload } : event);`,
    replacement: `{
        rest.push(known(event) ? { type, payload } : event);
        const times = ((rest as any).times ??= []);
        times.push(event[protocol.stream?.time ?? ""]);
        for (let at = rest.length - 1; at > 0 && times[at] < times[at - 1]; at--)
          for (const list of [rest, times]) [list[at - 1], list[at]] = [list[at], list[at - 1]];
      }`,
    breaks: ["time-not-order"],
  },
  {
    name: "waits for the event that opens a run",
    in: "reducer",
    find: `    reduce(run, event);\n  }`,
    replacement: `    (run as any).opened ||= /^run\\.(created|queued|started)$/.test(event.type);
    if (!(run as any).opened) return;
    reduce(run, event);\n  }`,
    breaks: ["shown-without-opening"],
  },
  {
    name: "waits for the start of a session",
    in: "rebuilder",
    protocol: "frames/v2",
    find: `for (const event of sorted(stream)) {`,
    replacement: `for (const event of sorted(stream).some((each) => typeOf(each) === "session_started") ? sorted(stream) : []) {`,
    breaks: ["shown-without-opening"],
  },
  {
    name: "ignores that a tool call timed out",
    in: "reducer",
    find: `} else if (typeof data.tool_call_id === "string") {`,
    replacement: `} else if (type === "tool.timed_out") {
    } else if (typeof data.tool_call_id === "string") {`,
    breaks: ["ends-shown"],
  },
  {
    name: "shows an approval as open for ever",
    in: "reducer",
    find: `itemOf(run, "approval", data.approval_id).details.push([type, data]);`,
    replacement: `itemOf(run, "approval", data.approval_id).details[1] ??= [type, data];`,
    breaks: ["ends-shown"],
  },
  {
    name: "ignores that a tool failed",
    in: "rebuilder",
    protocol: "frames/v1",
    find: `} else if (life && known(event)) {`,
    replacement: `} else if (type === "tool_failed") {
      } else if (life && known(event)) {`,
    breaks: ["ends-shown"],
  },
  {
    name: "ignores results of tools",
    in: "rebuilder",
    protocol: "evva/v0",
    find: `} else if (life && known(event)) {`,
    replacement: `} else if (type === "tool_use_result") {
      } else if (life && known(event)) {`,
    breaks: ["ends-shown"],
  },
  {
    name: "adds up costs that are totals",
    in: "reducer",
    find: `run.cost = data;`,
    replacement: `const before = (run.cost ?? {}) as { [name: string]: number };
      run.cost = Object.fromEntries(
        Object.entries(data).map(([name, value]) => [name, typeof value === "number" ? value + (before[name] ?? 0) : value]),
      );`,
    breaks: ["cumulative-not-summed"],
  },
  {
    name: "adds up token counts that are totals",
    in: "rebuilder",
    protocol: "evva/v0",
    find: `} else rest.push(known(event) ? { type, payload } : event);`,
    replacement: `} else if (type === "usage") {
        const { InputTokens: tokens } = payload.Cumulative as { readonly InputTokens: number };
        const sum = blocks.get("tokens") ?? { whole: true, text: "0" };
        blocks.set("tokens", { whole: true, text: String(Number(sum.text) + tokens) });
      } else rest.push(known(event) ? { type, payload } : event);`,
    breaks: ["cumulative-not-summed"],
  },
  {
    name: "joins the outputs of parallel tools",
    in: "rebuilder",
    protocol: "frames/v2",
    find: `calls.set(name, [...(calls.get(name) ?? []), { type, payload }]);`,
    replacement: `if (typeof payload.chunk === "string") calls.set("", [String(calls.get("") ?? "") + payload.chunk]);
        else calls.set(name, [...(calls.get(name) ?? []), { type, payload }]);`,
    breaks: ["calls-interleaved"],
  },
  {
    name: "joins the errors of parallel tools",
    in: "rebuilder",
    protocol: "frames/v1",
    find: `calls.set(name, [...(calls.get(name) ?? []), { type, payload }]);`,
    replacement: `if (type === "tool_stderr") calls.set("", [String(calls.get("") ?? "") + payload.chunk]);
        else calls.set(name, [...(calls.get(name) ?? []), { type, payload }]);`,
    breaks: ["calls-interleaved"],
  },
  {
    name: "merges all sessions",
    in: "rebuilder",
    protocol: "frames/v2",
    find: `const streamOf = (event: Event): string => key.map((field) => String(event[field])).join("/");`,
    replacement: `const streamOf = (_event: Event): string => key.join("/");`,
    breaks: ["runs-separate"],
  },
  {
    name: "counts redelivered pieces of text",
    in: "reducer",
    find: `delivery.kind === "duplicate" || delivery.kind === "conflict"`,
    replacement: `(delivery.kind === "duplicate" && (delivery.event as any).type !== "assistant.text_delta") || delivery.kind === "conflict"`,
    breaks: ["duplicate-adjacent"],
  },
  {
    name: "counts redelivered output of a shell",
    in: "reducer",
    find: `delivery.kind === "duplicate" || delivery.kind === "conflict"`,
    replacement: `(delivery.kind === "duplicate" && (delivery.event as any).type !== "tool.shell.output_chunk") || delivery.kind === "conflict"`,
    breaks: ["duplicate-adjacent"],
  },
  {
    name: "counts redelivered starts of tools",
    in: "rebuilder",
    protocol: "frames/v1",
    find: `const name = id === undefined ? events.size : event[id];`,
    replacement: `const name = id === undefined || typeOf(event) === "tool_started" ? {} : event[id];`,
    breaks: ["duplicate-adjacent"],
  },
  {
    name: "expects optional references of artifacts",
    in: "rebuilder",
    protocol: "frames/v2",
    find: `const text = texts.find(`,
    replacement: `if (type === "tool_ended") (payload.artifact_refs as any).at?.(0);
      const text = texts.find(`,
    breaks: ["never-throws"],
  },
  {
    name: "expects a list where null is allowed",
    in: "rebuilder",
    protocol: "evva/v0",
    find: `const text = texts.find(`,
    replacement: `if (type === "tool_use_result") (payload.ContentBlocks as any).at(0);
      const text = texts.find(`,
    breaks: ["never-throws"],
  },
  {
    name: "shows every answer to an approval as answered",
    in: "reducer",
    find: `itemOf(run, "approval", data.approval_id).details.push([type, data]);`,
    replacement: `itemOf(run, "approval", data.approval_id).details.push(type === "approval.resolved" ? "answered" : [type, data]);`,
    breaks: ["ends-differ"],
  },
  {
    name: "shows a failed run as running",
    in: "reducer",
    find: `if (ENDS.includes(type)) run.status = type;`,
    replacement: `if (type === "run.started") run.status = "running";
      if (type === "run.finished" || type === "run.cancelled") run.status = type;`,
    breaks: ["ends-all-shown"],
  },
  {
    name: "shows a run as running after any event that is no end",
    in: "reducer",
    find: `if (ENDS.includes(type)) run.status = type;`,
    replacement: `run.status = ENDS.includes(type) ? type : "running";`,
    breaks: ["ends-last"],
  },
  {
    name: "gives an answer to the question that was asked last",
    in: "reducer",
    find: `itemOf(run, "approval", data.approval_id).details.push([type, data]);`,
    replacement: `const asked = type === "approval.requested" ? data.approval_id : ((run as any).asked ?? data.approval_id);
      (run as any).asked = asked;
      itemOf(run, "approval", asked).details.push([type, data]);`,
    breaks: ["ends-matched"],
  },
  {
    name: "drops the end of a tool whose start was lost",
    in: "reducer",
    find: `} else if (typeof data.tool_call_id === "string") {`,
    replacement: `} else if (type === "tool.cancelled" && !run.boxes.has(JSON.stringify(["tool", data.tool_call_id]))) {
    } else if (typeof data.tool_call_id === "string") {`,
    breaks: ["start-lost"],
  },
  {
    name: "drops the blank before a piece of text",
    in: "reducer",
    find: `block.text += String(data.delta)`,
    replacement: `block.text += String(data.delta).replace(/^ /, "")`,
    breaks: ["pieces-joined"],
  },
  {
    name: "drops events of equal content",
    in: "reducer",
    find: `function note(run: Run, event: HecateEvent): void {`,
    replacement: `function note(run: Run, event: HecateEvent): void {
    const seen: Set<string> = ((run as any).seen ??= new Set());
    const content = event.type + JSON.stringify(event.data);
    if (seen.has(content)) return;
    seen.add(content);`,
    breaks: ["equal-content"],
  },
  {
    name: "shows only the last hundred items",
    in: "reducer",
    find: `items: items.map(`,
    replacement: `items: items.slice(-100).map(`,
    breaks: ["long-stream"],
  },
  {
    name: "truncates costs to 32 bits",
    in: "reducer",
    find: `run.cost = data;`,
    replacement: `run.cost = Object.fromEntries(
        Object.entries(data).map(([name, value]) => [name, typeof value === "number" ? value | 0 : value]),
      );`,
    breaks: ["numbers-exact"],
  },
  {
    name: "takes numbers above 31 bits for negative ones",
    in: "reducer",
    find: `const event = delivery.event as HecateEvent;`,
    replacement: `const event = delivery.event as HecateEvent;
    if ((Number((event as any).sequence) | 0) < 0) return;`,
    breaks: ["sequence-range"],
  },
];

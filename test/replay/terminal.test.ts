/** If this fails, text of events breaks the terminal view or is lost in it. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countColumns, wrapLines } from "../../generator/replay/columns.js";
import { createViewProtocol } from "../../generator/replay/show-events.js";
import { createTerminal } from "../../generator/replay/terminal.js";
import { createReader } from "../../generator/stream/index.js";
import type { Block } from "../../generator/view/block.js";
import { parseMarkdown } from "../../generator/view/markdown.js";
import { addOutput, MIN_OUTPUT_LENGTH } from "../../generator/view/update-blocks.js";
import { createView } from "../../generator/view/view.js";
import { readLines, VALIDATORS } from "../serve/start.js";

const PROTOCOLS = VALIDATORS.map(createViewProtocol);
const text = fc.string({ unit: "binary", maxLength: 200 });

/** Deliveries of any payload under any type that a protocol knows, and of types that it does not. */
const anyDelivery = fc.constantFrom(...PROTOCOLS).chain((protocol) =>
  fc
    .array(
      fc.record({
        type: fc.oneof(
          { weight: 9, arbitrary: fc.constantFrom(...Object.keys(protocol.metadata)) },
          { weight: 1, arbitrary: text },
        ),
        payload: fc.oneof(
          fc.dictionary(
            fc.constantFrom(
              "tool_call_id",
              "tool_id",
              "ToolID",
              "text",
              "delta",
              "chunk",
              "data",
              "input",
              "error",
              "approval_id",
              "summary",
              "turn_index",
              "__proto__",
            ),
            fc.jsonValue({ maxDepth: 2 }),
            { noNullPrototype: true },
          ),
          fc.jsonValue({ maxDepth: 2 }),
        ),
        stream: fc.constantFrom("one", "two", "__proto__", "\u001b[2J"),
        kind: fc.constantFrom("new" as const, "late" as const, "conflict" as const),
        known: fc.boolean(),
        sequence: fc.option(fc.nat(), { nil: undefined }),
      }),
      { maxLength: 20 },
    )
    .map((items) => ({ protocol, items })),
);

describe("the terminal", () => {
  it.each([20, 47, 80])(
    "of %i columns shows any events without an exception, a control character or a wider line",
    (width) => {
      fc.assert(
        fc.property(anyDelivery, ({ protocol, items }) => {
          const { placement, property = "data", discriminator } = protocol.envelope;
          const view = createView(protocol);
          const terminal = createTerminal({
            width,
            color: false,
            keepsAnsi: false,
            showsReasoning: true,
            showsTimes: false,
          });
          let printed = "";
          for (const { type, payload, stream, kind, known, sequence = 0 } of items) {
            const inner =
              placement === "nested" || typeof payload !== "object" ? { [property]: payload } : payload;
            const event = { ...inner, [discriminator]: type };
            const delivery = { kind, known, event, stream, sequence, cursor: sequence, forgotten: false };
            printed += terminal.take(view.take(delivery), (name) => name);
          }
          printed += terminal.take(view.end(), String) + terminal.end();
          expect(printed).not.toMatch(/[^\P{C}\n\p{Co}\p{Cn}]/u);
          for (const line of printed.split("\n")) expect(countColumns(line)).toBeLessThanOrEqual(width);
        }),
      );
    },
  );

  it("prints the same text with colours and without", () => {
    const drawn = [true, false].map((color) => {
      const [protocol] = PROTOCOLS.filter(({ id }) => id === "hecate/v1");
      if (!protocol) throw new Error("no protocol");
      const reader = createReader(protocol);
      const view = createView(protocol);
      const terminal = createTerminal({
        width: 60,
        color,
        keepsAnsi: color,
        showsReasoning: true,
        showsTimes: false,
      });
      const lines = readLines("test/cases/replay/hostile.jsonl");
      const printed = lines.map((line) => terminal.take(view.take(reader.read(JSON.parse(line))), String));
      return printed.join("") + terminal.end();
    });
    expect(drawn[0]).toContain("\u001b[");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with it
    expect(drawn[0]?.replace(/\u001b\[\d+m/g, "").replace(/ +$/gm, "")).toBe(drawn[1]);
  });
});

describe("the parts", () => {
  it("wrapping keeps every character except blanks at breaks, in lines that fit", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 300 }),
        fc.integer({ min: 2, max: 60 }),
        (text, width) => {
          const lines = wrapLines([{ style: "plain", text }], width).map((line) =>
            line.map((piece) => piece.text).join(""),
          );
          expect(lines.join("").replace(/[ \n]/g, "")).toBe(text.replace(/[ \n]/g, ""));
          for (const line of lines) expect(countColumns(line.trimEnd())).toBeLessThanOrEqual(width);
        },
      ),
    );
  });

  it("Markdown loses no word", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("word", " ", "\n", "# ", "- ", "> ", "```\n", "*", "**", "`", "_", "1. "), {
          maxLength: 60,
        }),
        (parts) => {
          const blocks = parseMarkdown(parts.join(""));
          const kept = JSON.stringify(blocks).split("word").length;
          const fences = /(^|\n) {0,3}(`{3,}|~{3,})[^\n]*word/.test(parts.join(""));
          if (!fences) expect(kept).toBe(parts.join("").split("word").length);
        },
      ),
    );
  });

  it("long output keeps its end and the number of characters before it, in time linear in its pieces", () => {
    const output: Parameters<typeof addOutput>[0] = [];
    const piece = "0123456789".repeat(100);
    for (let index = 0; index < 1000; index++) addOutput(output, "stdout", piece);
    const [only] = output;
    expect(output).toHaveLength(1);
    expect((only?.text.length ?? 0) + (only?.dropped ?? 0)).toBe(1_000_000);
    expect(only?.text.length).toBeLessThanOrEqual(2 * MIN_OUTPUT_LENGTH);
  });
});

describe("a view", () => {
  const createBlocks = (id: string, events: readonly object[]): Block[] => {
    const protocol = PROTOCOLS.find((one) => one.id === id);
    if (!protocol) throw new Error(`no protocol ${id}`);
    const [reader, view] = [createReader(protocol), createView(protocol)];
    const all = new Map(
      events.flatMap((event) => view.take(reader.read(event))).map((block) => [block.id, block]),
    );
    return [...all.values()];
  };
  const createEvent = (sequence: number, type: string, data: object): object => ({
    schema_version: "1",
    event_id: `evt_${sequence}`,
    run_id: "run_1",
    sequence,
    occurred_at: "2026-05-03T10:23:40.000Z",
    type,
    data,
  });
  const createDelta = (sequence: number, piece: string): object =>
    createEvent(sequence, "assistant.text_delta", { turn_index: 1, block_index: 0, delta: piece });

  it("joins pieces of a text, and replaces them by the complete text", () => {
    const whole = createEvent(3, "assistant.text_complete", {
      turn_index: 1,
      block_index: 0,
      text: "Right.",
    });
    const pieces = [createEvent(0, "run.created", {}), createDelta(1, "Wr"), createDelta(2, "ong")];
    expect(createBlocks("hecate/v1", pieces).at(-1)).toMatchObject({
      kind: "text",
      text: "Wrong",
      open: true,
    });
    expect(createBlocks("hecate/v1", [...pieces, whole]).at(-1)).toMatchObject({
      text: "Right.",
      open: false,
    });
  });

  it("does not end a text at an unknown event", () => {
    const events = [createDelta(0, "one "), createEvent(1, "future.event", {}), createDelta(2, "text")];
    expect(createBlocks("hecate/v1", events)).toMatchObject([{ text: "one text" }, { kind: "unknown" }]);
  });

  it("shows a gap once: as the marker, if that names the whole gap", () => {
    const marker = (last: number): object =>
      createEvent(5, "gap.events_pruned", {
        first_pruned_sequence: 0,
        last_pruned_sequence: last,
        pruned_at: "2026-05-03T10:23:40Z",
        reason: "retention_window",
      });
    expect(createBlocks("hecate/v1", [marker(4)]).map(({ kind }) => kind)).toEqual(["gap"]);
    expect(createBlocks("hecate/v1", [marker(2)]).map(({ kind }) => kind)).toEqual(["gap", "gap"]);
  });
});

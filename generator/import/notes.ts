/** Collects sentences about what an import changed, each with the number of places. */
export class ImportNotes {
  private readonly counts = new Map<string, number>();
  private readonly losses = new Set<string>();

  /** Adds one place of a change. */
  add(sentence: string): void {
    this.counts.set(sentence, (this.counts.get(sentence) ?? 0) + 1);
  }

  /** Adds one place of a constraint that was lost. */
  addLoss(clause: string): void {
    const sentence = formatLoss(clause);
    this.losses.add(sentence);
    this.add(sentence);
  }

  /** Returns the sentences in the order of their first places: all, or those about lost constraints. */
  list(kind: "all" | "losses" = "all"): string[] {
    return [...this.counts]
      .filter(([sentence]) => kind === "all" || this.losses.has(sentence))
      .map(([sentence, count]) => (count === 1 ? sentence : `${sentence} (${count} ×)`));
  }
}

/** Formats the sentence about something that an import lost. */
export function formatLoss(clause: string): string {
  return `LOST: ${clause}`;
}

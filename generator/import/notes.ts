/** Collects sentences about what an import changed, each with the number of places. */
export class ImportNotes {
  private readonly counts = new Map<string, number>();

  /** Adds one place of a change. */
  add(sentence: string): void {
    this.counts.set(sentence, (this.counts.get(sentence) ?? 0) + 1);
  }

  /** Returns all sentences in the order of their first places. */
  list(): string[] {
    return [...this.counts].map(([sentence, count]) => (count === 1 ? sentence : `${sentence} (${count} ×)`));
  }
}

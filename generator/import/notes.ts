/** Collects what an import changed: a sentence for each kind of change, with the number of places. */
export class Notes {
  private readonly counts = new Map<string, number>();

  /** Adds one more place of a change. */
  add(sentence: string): void {
    this.counts.set(sentence, (this.counts.get(sentence) ?? 0) + 1);
  }

  /** Returns all sentences in the order of their first places. */
  list(): string[] {
    return [...this.counts].map(([sentence, count]) => (count === 1 ? sentence : `${sentence} (${count} ×)`));
  }
}

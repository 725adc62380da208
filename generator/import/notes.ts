/** What an import changed, each sentence with the number of places. Nothing is changed without one. */
export class Notes {
  private readonly counts = new Map<string, number>();

  /** Records one more place of which `sentence` holds. */
  add(sentence: string): void {
    this.counts.set(sentence, (this.counts.get(sentence) ?? 0) + 1);
  }

  /** All sentences in the order of their first place. */
  list(): string[] {
    return [...this.counts].map(([sentence, count]) => (count === 1 ? sentence : `${sentence} (${count} ×)`));
  }
}

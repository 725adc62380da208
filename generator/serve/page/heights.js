/** The heights of the rows of a list, with the sums of all rows before one in logarithmic time (a Fenwick tree). */

/** Creates an empty list of heights. */
export function createHeights() {
  /** @type {number[]} */
  let heights = [];
  /** The sums of ranges of heights; the first place is not used. @type {number[]} */
  let tree = [0];

  /** @param {number} height */
  const append = (height) => {
    heights.push(height);
    const place = heights.length;
    let sum = height;
    for (let child = place - 1; child > place - (place & -place); child -= child & -child)
      sum += tree[child] ?? 0;
    tree.push(sum);
  };
  /**
   * Returns the sum of the heights before a row.
   * @param {number} index
   */
  const sum = (index) => {
    let total = 0;
    for (let place = Math.min(index, heights.length); place > 0; place -= place & -place)
      total += tree[place] ?? 0;
    return total;
  };
  return {
    append,
    sum,
    /** @param {number} index */
    get: (index) => heights[index] ?? 0,
    total: () => sum(heights.length),
    /** @param {readonly number[]} all */
    reset(all) {
      heights = [];
      tree = [0];
      for (const height of all) append(height);
    },
    /**
     * Changes the height of a row.
     * @param {number} index
     * @param {number} height
     */
    set(index, height) {
      const change = height - (heights[index] ?? 0);
      heights[index] = height;
      for (let place = index + 1; place < tree.length; place += place & -place)
        tree[place] = (tree[place] ?? 0) + change;
    },
    /**
     * Returns the row at a position in pixels; the last one for positions beyond the end.
     * @param {number} position
     */
    find(position) {
      let [place, rest] = [0, Math.max(0, position)];
      for (let step = 2 ** Math.floor(Math.log2(Math.max(1, heights.length))); step > 0; step >>= 1) {
        const next = place + step;
        if (next >= tree.length || (tree[next] ?? 0) > rest) continue;
        place = next;
        rest -= tree[next] ?? 0;
      }
      return Math.max(0, Math.min(place, heights.length - 1));
    },
  };
}

/** Keeps the selected event of a run. The address may name an event that has not arrived yet. */

/** @typedef {import("./model.js").ShownEvent} ShownEvent */

/** @typedef {ReturnType<typeof createSelection>} Selection */

/**
 * Creates a selection without an event.
 * @param {import("./model.js").Model} model
 */
export function createSelection(model) {
  /** @type {string | undefined} */
  let label;
  /** @type {ShownEvent | undefined} */
  let event;
  return {
    getEvent: () => event,
    /** Returns the label of the selected event while the event has not arrived. */
    getMissingLabel: () => (event === undefined ? label : undefined),
    /**
     * Selects the event with a label; none for `undefined`.
     * @param {string | undefined} chosen
     */
    select(chosen) {
      label = chosen;
      event = chosen === undefined ? undefined : model.findEvent(chosen);
    },
  };
}

/** The address of the page after `#`: a protocol, a run, an event of it, and a search. */

/** @typedef {{ protocol: string, run: string, event?: string | undefined, search?: string | undefined }} Address */

/**
 * Returns the address of a run or of one of its events.
 * @param {Address} address
 */
export function formatAddress({ protocol, run, event, search }) {
  const parts = [protocol, run, ...(event === undefined ? [] : [event])];
  const query = search ? `?search=${encodeURIComponent(search)}` : "";
  return `#/${parts.map(encodeURIComponent).join("/")}${query}`;
}

/**
 * Parses the address of a run. Returns undefined if the text is not one.
 * @param {string} hash
 * @returns {Address | undefined}
 */
export function parseAddress(hash) {
  const [path = "", query = ""] = hash.split("?", 2);
  if (!path.startsWith("#/")) return undefined;
  try {
    const [protocol, run, event] = path.slice(2).split("/").map(decodeURIComponent);
    if (!protocol || !run) return undefined;
    return {
      protocol,
      run,
      event: event || undefined,
      search: new URLSearchParams(query).get("search") ?? "",
    };
  } catch {
    return undefined;
  }
}

/**
 * Changes the event or the search in the address of the page, which then shows them.
 * @param {Pick<Address, "protocol" | "run">} run
 * @param {Pick<Address, "event" | "search">} changes
 */
export function changeAddress({ protocol, run }, changes) {
  location.hash = formatAddress({ ...parseAddress(location.hash), protocol, run, ...changes });
}

/**
 * Returns the address of an event in the search that the page shows.
 * @param {Pick<Address, "protocol" | "run">} run
 * @param {{ label: string }} event
 */
export function formatEventAddress({ protocol, run }, { label }) {
  return formatAddress({ protocol, run, event: label, search: parseAddress(location.hash)?.search });
}

/** How much a header such as `Accept` wants `name`, by its own words, from 0 to 1: `*` speaks for nothing here. */
export function weightOf(header: string | undefined, name: string): number {
  const weights = (header ?? "").split(",").map((part) => {
    const [token = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
    const quality = parameters.find((parameter) => /^q=[01](\.\d*)?$/.test(parameter))?.slice(2);
    return token === name ? Number(quality ?? 1) : 0;
  });
  return Math.max(...weights);
}

/** Whether such a header wants `name` at all. */
export function wants(header: string | undefined, name: string): boolean {
  return weightOf(header, name) > 0;
}

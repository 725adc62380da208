/** Whether a header such as `Accept` or `Accept-Encoding` wants `name`, by its own words: `*` speaks for nothing here. */
export function wants(header: string | undefined, name: string): boolean {
  return (header ?? "").split(",").some((part) => {
    const [token = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
    return token === name && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}

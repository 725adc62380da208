/** The examples of the playground. */
export const EXAMPLES: readonly { readonly title: string; readonly before: string; readonly after: string }[];

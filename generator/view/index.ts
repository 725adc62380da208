/**
 * `accrete-client/view`: turns the deliveries of `accrete-client/stream` into the blocks that a user interface shows,
 * as the page of `accrete serve` and `accrete replay` do. It has no dependency and runs in browsers, workers and Node.
 */
export type { ResolvedView, Role, Tone, ViewDeclaration } from "../protocol/view-roles.js";
export {
  type ApprovalBlock,
  type Block,
  describeGap,
  type Facts,
  type FaultBlock,
  type GapBlock,
  type NoticeBlock,
  type Output,
  type TextBlock,
  type ToolBlock,
  type UnknownBlock,
} from "./block.js";
export { type MarkdownBlock, parseMarkdown } from "./markdown.js";
export type { ViewContract } from "./payload.js";
export { createSummaryCollector, type RunSummary, type SummaryCollector, type ToolUse } from "./summary.js";
export { createView, type View } from "./view.js";

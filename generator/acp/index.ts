/** `accrete-client/acp`: shows the runs of an agent in editors that speak the Agent Client Protocol. */
export { type AcpDecision, type AcpOutcome, type AcpPermissionOption, readDecision } from "./decision.js";
export type { AcpExtension, AcpMessage, AcpNotification, AcpPermissionRequest } from "./messages.js";
export { type AcpOptions, type AcpTranslator, createAcpTranslator } from "./translator.js";

/** `accrete/acp`: shows the runs of an agent in editors that speak the Agent Client Protocol. */
export type {
  AcpExtension,
  AcpMessage,
  AcpNotification,
  AcpPermissionOption,
  AcpPermissionRequest,
} from "./messages.js";
export {
  type AcpOptions,
  type AcpOutcome,
  type AcpTranslator,
  createAcpTranslator,
  decisionOf,
} from "./translator.js";

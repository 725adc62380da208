/** `accrete-kit`: contract tests that a frontend runs against its own consumer, in its own test runner. */
export type { Adapter, Consumer, Hook } from "./adapter.js";
export { type ConsumerCase, consumerCases, type KitOptions } from "./consumer-cases.js";
export {
  type ConsumerRecord,
  type DescribeOptions,
  describeConsumer,
  type Runner,
} from "./describe-consumer.js";
export type { KitProtocol, KitSchemas } from "./kit-protocol.js";

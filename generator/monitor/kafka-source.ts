/** Reads events from topics of Kafka as a member of a consumer group. Each partition has a session of its own. */
import { setTimeout as pause } from "node:timers/promises";
import type { Consumer, ConsumerOptions, Message, MessagesStream } from "@platformatic/kafka";
import { importOptional, UsageError } from "../failure.js";
import type { Environment } from "../io.js";
import { formatCount, getErrorMessage } from "../text.js";
import { checkMessage } from "./check-message.js";
import type { MonitorSession } from "./monitor-session.js";
import type { OwnedSession } from "./session-store.js";
import { type Source, type SourceContext, waitForAbort } from "./source.js";

/** What is read from Kafka. */
export interface KafkaAddress {
  readonly brokers: readonly string[];
  readonly topics: readonly string[];
  readonly group: string;
  readonly usesTls: boolean;
}

/** Milliseconds without a sign of life after which the group gives the partitions of a monitor to others. */
const SESSION_TIMEOUT_MS = 15_000;
/** Milliseconds between two looks at the ends of the partitions. */
const LAG_INTERVAL_MS = 10_000;
/** Milliseconds before a failed request is tried again. */
const RETRY_MS = 1000;

/** A partition that this monitor reads. */
interface Partition extends ReturnType<MonitorSession["openInput"]> {
  readonly topic: string;
  readonly number: number;
  readonly owned: OwnedSession;
}

type KafkaConsumer = Consumer<Buffer, Buffer, Buffer, Buffer>;

/** The state of a source. */
interface GroupMember {
  readonly address: KafkaAddress;
  readonly context: SourceContext;
  readonly consumer: KafkaConsumer;
  /** The partitions of the current assignment, by their names. */
  readonly partitions: Map<string, Partition>;
  /** The messages of the current assignment. */
  stream?: MessagesStream<Buffer, Buffer, Buffer, Buffer> | undefined;
  /** Counts assignments and interruptions, so that what belongs to an earlier one is recognised. */
  epoch: number;
  /** Ends the source with an error. */
  fail(error: unknown): void;
}

/** Creates a source that reads topics. The positions in the states count, not those that the group has committed. */
export function createKafkaSource(address: KafkaAddress): Source {
  return async (context) => {
    const { Consumer } = await importOptional(
      () => import("@platformatic/kafka"),
      "@platformatic/kafka is needed to read topics of Kafka. Install it: npm install @platformatic/kafka (on Node 20: @platformatic/kafka@1)",
    );
    const consumer: KafkaConsumer = new Consumer(describeConsumer(address, context.io.environment ?? {}));
    let fail: GroupMember["fail"] = () => {};
    const failed = new Promise<never>((_, reject) => {
      fail = reject;
    });
    const member: GroupMember = { address, context, consumer, partitions: new Map(), epoch: 0, fail };
    // The member gives its partitions up only when their states are written.
    consumer.on("consumer:group:rebalance", () => interrupt(member, "close"));
    consumer.on("consumer:group:join", () => {
      // Another member may have had the partitions since their states were written.
      interrupt(member, "drop");
      void resume(member);
    });
    consumer.on("error", () => void joinGroup(member));
    try {
      const { topics } = await consumer.metadata({ topics: [...address.topics] });
      for (const topic of address.topics) consumer.topics.track(topic);
      const known = countPartitions(topics);
      await consumer.joinGroup({});
      const timer = setInterval(() => void lookAtEnds(member, known).catch(() => {}), LAG_INTERVAL_MS);
      await Promise.race([waitForAbort(context.stop), failed]).finally(() => clearInterval(timer));
    } catch (error) {
      throw error instanceof UsageError
        ? error
        : new UsageError(`Kafka at ${address.brokers.join(", ")}: ${describeError(error)}`);
    } finally {
      // Another member may get the partitions as soon as this one has left.
      member.epoch++;
      context.sessions.saveNow();
      await new Promise<void>((resolve) => consumer.close(true, () => resolve()));
    }
  };
}

function describeConsumer(
  { brokers, group, usesTls }: KafkaAddress,
  {
    KAFKA_USERNAME: username,
    KAFKA_PASSWORD: password,
    KAFKA_SASL_MECHANISM: mechanism = "PLAIN",
  }: Environment,
): ConsumerOptions<Buffer, Buffer, Buffer, Buffer> {
  type Mechanism = NonNullable<ConsumerOptions<Buffer, Buffer, Buffer, Buffer>["sasl"]>["mechanism"];
  return {
    clientId: "accrete-monitor",
    groupId: group,
    bootstrapBrokers: [...brokers],
    autocommit: false,
    sessionTimeout: SESSION_TIMEOUT_MS,
    ...(usesTls && { tls: {} }),
    ...(username !== undefined && {
      sasl: { mechanism: mechanism as Mechanism, username, password: password ?? "" },
    }),
  };
}

/** Stops reading. `end` says whether the states of the partitions are written first. */
function interrupt(member: GroupMember, end: "close" | "drop"): void {
  member.epoch++;
  for (const [name, { owned }] of member.partitions) {
    owned[end]();
    member.context.lags.delete(name);
  }
  member.partitions.clear();
  const { stream } = member;
  member.stream = undefined;
  stream?.close().catch(() => {});
}

/** Reads the assigned partitions from the positions of their states on. Tries again until it succeeds, or is interrupted. */
async function resume(member: GroupMember): Promise<void> {
  const { context, consumer } = member;
  const { epoch } = member;
  for (let failures = 0; member.epoch === epoch && !context.stop.aborted; failures++)
    try {
      if (member.partitions.size === 0) openPartitions(member);
      const stream = await openStream(member);
      if (member.epoch !== epoch) return void (await stream?.close());
      context.reportOpen();
      if (stream === undefined) return;
      member.stream = stream;
      stream.on("data", (message) => {
        if (member.epoch === epoch) acceptMessage(member, message);
      });
      stream.on("error", (error: unknown) => {
        if (member.epoch !== epoch) return;
        noteFailure(member, error);
        interrupt(member, "close");
        void pause(RETRY_MS).then(() => resume(member));
      });
      return;
    } catch (error) {
      if (member.epoch !== epoch) return;
      if (error instanceof UsageError) return member.fail(error);
      if (failures === 0) noteFailure(member, error);
      consumer.clearMetadata();
      await pause(RETRY_MS);
    }
}

function noteFailure({ context }: GroupMember, error: unknown): void {
  if (!context.stop.aborted)
    context.io.stderr(`accrete: Kafka: ${describeError(error)} It is tried again.\n`);
}

/** Joins the group again after an error. */
async function joinGroup(member: GroupMember): Promise<void> {
  const { consumer, context } = member;
  for (let failures = 0; !context.stop.aborted; failures++)
    try {
      await consumer.joinGroup({});
      return;
    } catch (error) {
      if (failures === 0) noteFailure(member, error);
      await pause(RETRY_MS);
    }
}

/** Opens the states of the assigned partitions. */
function openPartitions({ consumer, context, partitions }: GroupMember): void {
  for (const { topic, partitions: numbers } of consumer.assignments ?? [])
    for (const number of numbers) {
      const owned = context.sessions.open(`${topic}-${number}`);
      const name = `kafka:${topic}/${number}`;
      partitions.set(name, { topic, number, owned, ...owned.session.openInput(name) });
    }
}

/** Opens a stream of the messages after the positions of all partitions; undefined if there is no partition. */
async function openStream(member: GroupMember): Promise<GroupMember["stream"]> {
  const { consumer, partitions } = member;
  if (partitions.size === 0) return undefined;
  const wanted = listPartitionNumbers(partitions);
  const topics = Object.keys(wanted);
  // The special times of Kafka for the first message and for the next one.
  const [first, next] = await Promise.all(
    [-2n, -1n].map((timestamp) => consumer.listOffsets({ topics, partitions: wanted, timestamp })),
  );
  for (const [name, { topic, number, position, owned }] of partitions) {
    const begin = Number(first?.get(topic)?.[number] ?? 0);
    const end = Number(next?.get(topic)?.[number] ?? 0);
    if (position.offset > end)
      throw new UsageError(
        `${name} ends at offset ${end}, but ${formatCount(position.offset, "message")} were read before. Was the topic created again? Remove ${owned.file} to read it from its beginning.`,
      );
    if (position.offset < begin && position.lines > 0) {
      owned.session.markGap();
      member.context.io.stderr(
        `accrete: ${name}: ${formatCount(begin - position.offset, "message")} were deleted before they were read\n`,
      );
    }
    position.offset = Math.max(position.offset, begin);
  }
  return consumer.consume({
    topics,
    mode: "manual",
    fallbackMode: "earliest",
    offsets: [...partitions.values()].map(({ topic, number, position }) => ({
      topic,
      partition: number,
      offset: BigInt(position.offset),
    })),
  });
}

/** Returns the numbers of the partitions by their topics. */
function listPartitionNumbers(partitions: GroupMember["partitions"]): { [topic: string]: number[] } {
  const numbers: { [topic: string]: number[] } = {};
  for (const { topic, number } of partitions.values()) numbers[topic] = [...(numbers[topic] ?? []), number];
  return numbers;
}

function acceptMessage(
  { partitions, context }: GroupMember,
  { topic, partition, offset, value }: Message<Buffer, Buffer, Buffer, Buffer>,
): void {
  const { position, input, sink } = partitions.get(`kafka:${topic}/${partition}`) ?? {};
  if (position === undefined || input === undefined || sink === undefined || offset < position.offset) return;
  position.offset = Number(offset) + 1;
  // A message without a value says that earlier ones with its key are deleted.
  if (!value) return;
  position.lines++;
  checkMessage(input, sink, value, position.offset);
  context.touch();
}

/** Measures how many messages were not checked yet, commits the positions for tools, and joins again if there are new partitions. */
async function lookAtEnds(member: GroupMember, known: Map<string, number>): Promise<void> {
  const { consumer, partitions, context, epoch } = member;
  const { topics } = await consumer.metadata({ topics: [...member.address.topics], forceUpdate: true });
  const counts = countPartitions(topics);
  if ([...counts].some(([topic, count]) => count !== known.get(topic))) {
    for (const [topic, count] of counts) known.set(topic, count);
    interrupt(member, "close");
    await joinGroup(member);
    return;
  }
  if (partitions.size === 0) return;
  const wanted = listPartitionNumbers(partitions);
  const next = await consumer.listOffsets({
    topics: Object.keys(wanted),
    partitions: wanted,
    timestamp: -1n,
  });
  if (member.epoch !== epoch) return;
  for (const [name, { topic, number, position }] of partitions)
    context.lags.set(name, Math.max(0, Number(next.get(topic)?.[number] ?? 0) - position.offset));
  await consumer.commit({
    offsets: [...partitions.values()].map(({ topic, number, position }) => ({
      topic,
      partition: number,
      offset: BigInt(position.offset),
      leaderEpoch: -1,
    })),
  });
}

function countPartitions(
  topics: ReadonlyMap<string, { readonly partitionsCount: number }>,
): Map<string, number> {
  return new Map([...topics].map(([topic, { partitionsCount }]) => [topic, partitionsCount]));
}

/** Returns the message of the deepest error: those above only say that requests have failed. */
function describeError(error: unknown): string {
  const { errors, cause } = error as { readonly errors?: readonly unknown[]; readonly cause?: unknown };
  const inner = errors?.at(-1) ?? cause;
  return inner === undefined ? getErrorMessage(error) : describeError(inner);
}

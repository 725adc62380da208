import { isIPv6 } from "node:net";
import { InvalidArgumentError, Option } from "commander";
import type { ListenAddress } from "../monitor/http-source.js";
import type { KafkaAddress } from "../monitor/kafka-source.js";
import type { NatsAddress } from "../monitor/nats-source.js";
import type { CommandEntry } from "./command.js";
import {
  eventProtocolOption,
  parseNonEmpty,
  profileOption,
  readOptionalText,
  readText,
  schemasOrBundledOption,
} from "./options.js";

/** Reads `PORT`, `HOST:PORT` or `[IPv6]:PORT`. */
function parseListenAddress(value: string): ListenAddress {
  const [, bracketed, named, digits = ""] = /^(?:\[([^\]]+)\]:|([^:[\]/\s]+):)?(\d{1,5})$/.exec(value) ?? [];
  const port = Number(digits);
  if (digits === "" || port > 65_535 || (bracketed !== undefined && !isIPv6(bracketed)))
    throw new InvalidArgumentError("It must be a port, or an address and a port such as 0.0.0.0:4790.");
  return { host: bracketed ?? named ?? "127.0.0.1", port };
}

/** Reads `kafka://HOST:PORT,…/TOPIC,…?group=NAME`. */
function parseKafkaAddress(value: string): KafkaAddress {
  const [, scheme, hosts = "", topics = "", group = "accrete-monitor"] =
    /^(kafkas?):\/\/([^/?#@\s]+)\/([A-Za-z0-9._,-]+)(?:\?group=([^&#\s]+))?$/.exec(value) ?? [];
  if (scheme === undefined)
    throw new InvalidArgumentError(
      "It must be kafka://HOST:PORT/TOPIC, or kafkas:// with TLS; ?group=NAME may follow. Passwords are read from KAFKA_USERNAME and KAFKA_PASSWORD.",
    );
  return {
    brokers: splitHosts(hosts, 9092),
    topics: [...new Set(splitList(topics))],
    group: decodeURIComponent(group),
    usesTls: scheme === "kafkas",
  };
}

/** Reads `nats://HOST:PORT,…/STREAM?subjects=SUBJECT,…`. */
function parseNatsAddress(value: string): NatsAddress {
  const [, scheme, hosts = "", stream = "", subjects = ""] =
    /^(nats|tls):\/\/([^/?#@\s]+)\/([^/?#\s.*>]+)(?:\?subjects=([^&#\s]+))?$/.exec(value) ?? [];
  if (scheme === undefined)
    throw new InvalidArgumentError(
      "It must be nats://HOST:PORT/STREAM, or tls:// with TLS; ?subjects=SUBJECT,SUBJECT may follow. Passwords are read from NATS_USER and NATS_PASSWORD, NATS_TOKEN, or the file NATS_CREDS.",
    );
  return {
    servers: splitHosts(hosts, 4222),
    stream: decodeURIComponent(stream),
    subjects: splitList(decodeURIComponent(subjects)),
    usesTls: scheme === "tls",
  };
}

function splitList(text: string): string[] {
  return text.split(",").filter((item) => item !== "");
}

function splitHosts(hosts: string, port: number): string[] {
  return splitList(hosts).map((host) => (/:\d+$/.test(host) ? host : `${host}:${port}`));
}

/** The command `accrete monitor`. */
export const monitorCommand: CommandEntry = {
  name: "monitor",
  summary: "check events while they arrive",
  operands: {
    syntax: "[file...]",
    description: "files of JSON Lines, which are followed while they grow; - for standard input",
  },
  options: [
    eventProtocolOption,
    profileOption,
    new Option("--url <url>", "follow a live feed of server-sent events"),
    new Option(
      "--kafka <url>",
      "read topics as a member of a consumer group: kafka://HOST:PORT/TOPIC?group=NAME; needs @platformatic/kafka and --state",
    ).argParser(parseKafkaAddress),
    new Option(
      "--nats <url>",
      "read a stream of JetStream: nats://HOST:PORT/STREAM; needs @nats-io/transport-node and @nats-io/jetstream",
    ).argParser(parseNatsAddress),
    new Option(
      "--listen <[host:]port>",
      "take batches over HTTP, and answer /metrics, /health and /ready; on this machine only without a host",
    ).argParser(parseListenAddress),
    new Option(
      "--otlp <url>",
      "send metrics to an OTLP receiver such as http://localhost:4318; needs the SDK of OpenTelemetry",
    ),
    new Option("--state <file>", "keep the state in this file, and go on from it after a restart").argParser(
      parseNonEmpty,
    ),
    new Option("--format <format>", "lines: each finding is a line of JSON; text: with a summary each minute")
      .choices(["lines", "text"])
      .default("lines"),
    schemasOrBundledOption,
  ],
  examples: [
    ["monitor events.jsonl --state monitor.json", "a file that grows; a restart goes on where it was"],
    ["monitor --listen 4790", "batches that programs of this machine send to http://127.0.0.1:4790/events"],
    [
      "monitor --kafka kafka://localhost:9092/events --state monitor.json",
      "the partitions of a topic, which several monitors can share",
    ],
    ["monitor --url http://localhost:8080/events/stream --format text", "a live feed, at a terminal"],
  ],
  exits: "0 stopped by SIGINT or SIGTERM, or all inputs have ended; 2 wrong usage or unreadable input.",
  run: async (files, options, io) => {
    const { monitor } = await import("../monitor/monitor.js");
    return monitor(
      {
        files,
        schemas: readText(options, "schemas"),
        protocol: readOptionalText(options, "protocol"),
        profile: options.profile === "writer" ? "writer" : "reader",
        format: options.format === "text" ? "text" : "lines",
        url: readOptionalText(options, "url"),
        kafka: options.kafka as KafkaAddress | undefined,
        nats: options.nats as NatsAddress | undefined,
        listen: options.listen as ListenAddress | undefined,
        otlp: readOptionalText(options, "otlp"),
        state: readOptionalText(options, "state"),
      },
      io,
    );
  },
};

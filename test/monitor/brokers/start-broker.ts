/** Installs and starts real brokers for tests. Where a program is absent, or a download fails, they say so and return undefined. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { getCachedFolder } from "../../cache.js";

/** A broker that runs. */
export interface Broker {
  /** Its host and port. */
  readonly address: string;
  stop(): Promise<void>;
}

const NATS_SERVER = "github.com/nats-io/nats-server/v2@v2.15.3";

/** Starts a broker of Kafka, which is its own controller (KRaft). */
export async function startKafka(): Promise<Broker | undefined> {
  const jars = install("kafka", "pom.xml", (folder) => {
    const pom = path.join(import.meta.dirname, "pom.xml");
    const copy = ["-q", "-B", "-f", pom, "dependency:copy-dependencies", `-DoutputDirectory=${folder}`];
    return spawnSync("mvn", [...copy, "-DincludeScope=runtime"]);
  });
  if (jars === undefined || spawnSync("java", ["-version"]).status !== 0) {
    console.warn("java or mvn is absent, or Maven Central cannot be reached: Kafka is not tested");
    return undefined;
  }
  const folder = mkdtempSync(path.join(tmpdir(), "accrete-kafka-"));
  const [port, controllerPort] = [await findFreePort(), await findFreePort()];
  const settings = path.join(folder, "server.properties");
  writeFileSync(
    settings,
    `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${controllerPort}
listeners=PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}
advertised.listeners=PLAINTEXT://127.0.0.1:${port}
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
log.dirs=${folder}/data
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
group.initial.rebalance.delay.ms=0
`,
  );
  const java = ["-Xmx512m", "-XX:TieredStopAtLevel=1", "-cp", `${jars}/*`];
  const format = ["kafka.tools.StorageTool", "format", "-t", "MkU3OEVBNTcwNTJENDM2Qk", "-c", settings];
  if (spawnSync("java", [...java, ...format]).status !== 0) throw new Error("Kafka could not be set up");
  return waitForPort(spawn("java", [...java, "kafka.Kafka", settings], { stdio: "ignore" }), port, folder);
}

/** Starts a server of NATS with JetStream. */
export async function startNats(): Promise<Broker | undefined> {
  const programs = install("nats", "start-broker.ts", (folder) =>
    spawnSync("go", ["install", NATS_SERVER], { env: { ...process.env, GOBIN: folder } }),
  );
  if (programs === undefined) {
    console.warn("go is absent, or its module proxy cannot be reached: NATS is not tested");
    return undefined;
  }
  const folder = mkdtempSync(path.join(tmpdir(), "accrete-nats-"));
  const port = await findFreePort();
  const options = ["-a", "127.0.0.1", "-p", String(port), "-js", "-sd", folder];
  const server = spawn(path.join(programs, "nats-server"), options, { stdio: "ignore" });
  return waitForPort(server, port, folder);
}

/** Returns the folder that a command has filled, now or in an earlier run; undefined if the command fails. */
function install(
  name: string,
  pins: string,
  run: (folder: string) => { readonly status: number | null },
): string | undefined {
  try {
    return getCachedFolder(name, [`test/monitor/brokers/${pins}`], (folder) => {
      if (run(folder).status !== 0) throw new Error(`${name} could not be installed`);
    });
  } catch {
    return undefined;
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address ? address.port : 0;
}

async function waitForPort(server: ChildProcess, port: number, folder: string): Promise<Broker> {
  const closed = once(server, "close");
  const canConnect = (): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect(port, "127.0.0.1", () => {
        socket.destroy();
        resolve(true);
      }).on("error", () => resolve(false));
    });
  while (!(await canConnect())) {
    if (server.exitCode !== null) throw new Error(`The broker ended with exit code ${server.exitCode}.`);
    await pause(100);
  }
  return {
    address: `127.0.0.1:${port}`,
    async stop() {
      server.kill("SIGKILL");
      await closed;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

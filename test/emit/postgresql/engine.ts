/** Runs queries over the generated views on a server of PostgreSQL, which listens at a socket in a temporary folder. */
import { type SpawnOptions, spawn, spawnSync } from "node:child_process";
import { chownSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { DIALECTS } from "../../../generator/emit/sql/dialects.js";
import type { Protocol } from "../../../generator/protocol/protocol.js";
import {
  type RawEvents,
  type Row,
  readContent,
  readSchemaName,
  readStatements,
  type Views,
  writeRows,
} from "../sql/engine.js";

/** A running server. */
export interface PostgresqlServer {
  /** Creates views over events; see `openDuckdb`. */
  openViews(protocol: Protocol, events: RawEvents): Promise<Views>;
  /** Runs statements, and returns what they print. */
  run(statements: string): string;
  stop(): Promise<void>;
}

/** Starts a server. If its programs are absent, prints a warning and returns undefined. */
export async function startPostgresql(): Promise<PostgresqlServer | undefined> {
  const programs = findPrograms();
  if (programs === undefined) {
    console.warn("initdb, postgres or psql is absent: the views on PostgreSQL are not checked");
    return undefined;
  }
  const user = findUser();
  if (user && spawnSync("test", ["-x", tmpdir()], { ...user, cwd: "/" }).status !== 0) {
    console.warn("the server's user cannot enter the folder of temporary files: PostgreSQL is not started");
    return undefined;
  }
  const folder = mkdtempSync(path.join(tmpdir(), "postgresql-accrete-"));
  const data = path.join(folder, "data");
  mkdirSync(data);
  if (user) for (const one of [folder, data]) chownSync(one, user.uid, user.gid);
  const options: SpawnOptions = {
    cwd: folder,
    env: { ...process.env, LC_ALL: "C" },
    stdio: "ignore",
    ...user,
  };
  const initialization = ["-D", data, "-U", "accrete", "-A", "trust", "-E", "UTF8", "--no-sync"];
  if (spawnSync(programs.initdb, initialization, options).status !== 0) throw new Error("initdb failed");
  // Times must not depend on the time zone of the session.
  const settings = ["-c", "listen_addresses=", "-c", "timezone=America/Caracas", "-c", "fsync=off"];
  const server = spawn(programs.postgres, ["-D", data, "-k", folder, ...settings], options);
  const run = (input: string): string => {
    const target = [
      "-X",
      "-q",
      "-A",
      "-t",
      "-v",
      "ON_ERROR_STOP=1",
      "-h",
      folder,
      "-U",
      "accrete",
      "postgres",
    ];
    const { status, stdout, stderr } = spawnSync(programs.psql, target, {
      input,
      encoding: "utf8",
      env: { ...process.env, PGOPTIONS: "-c client_min_messages=warning" },
      maxBuffer: 1 << 28,
    });
    if (status !== 0) throw new Error(stderr.slice(0, 2000));
    return stdout;
  };
  await waitForServer(run);
  return {
    async openViews(protocol, events) {
      const schema = readSchemaName(protocol, "postgresql");
      // The head of the file shows how to create the table.
      const head = readContent(protocol, "postgresql").replace(/^-- ?/gm, "");
      const table = /^CREATE SCHEMA.*^CREATE TABLE[^;]*;/ms.exec(head)?.[0] ?? "";
      const rows = path.join(folder, "rows.csv");
      writeRows(rows, events, ({ event, file, position }) => [event, file, position].join("\x02"));
      run(`DROP SCHEMA IF EXISTS ${schema} CASCADE;
${table}
${readStatements(protocol, "postgresql").join(";\n")};
\\copy ${schema}.raw_events (line, file, position) FROM '${rows}' WITH (FORMAT csv, QUOTE E'\\x01', DELIMITER E'\\x02')
`);
      return {
        schema,
        quote: DIALECTS.postgresql.quoteName,
        query: async (sql) =>
          JSON.parse(
            run(
              `SET search_path = ${schema};\nSELECT coalesce(json_agg(row), '[]') FROM (\n${sql}\n) AS row;`,
            ),
          ) as Row[],
      };
    },
    run,
    stop: () =>
      new Promise((resolve) => {
        server.once("exit", () => {
          rmSync(folder, { recursive: true, force: true });
          resolve();
        });
        server.kill("SIGINT");
      }),
  };
}

/** Returns the paths of programs: in the folder of the server, which need not be in PATH, or else in PATH. */
function findPrograms(): { readonly [name in "initdb" | "postgres" | "psql"]: string } | undefined {
  const folder = spawnSync("pg_config", ["--bindir"], { encoding: "utf8" }).stdout?.trim() ?? "";
  const find = (name: string): string | undefined =>
    [path.join(folder, name), name].find((program) => spawnSync(program, ["--version"]).status === 0);
  const [initdb, postgres, psql] = ["initdb", "postgres", "psql"].map(find);
  return initdb && postgres && psql ? { initdb, postgres, psql } : undefined;
}

/** Returns the user of the server, which refuses to run as root. */
function findUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const read = (option: string): number =>
    Number(spawnSync("id", [option, "nobody"], { encoding: "utf8" }).stdout);
  return { uid: read("-u"), gid: read("-g") };
}

async function waitForServer(run: (input: string) => string): Promise<void> {
  for (;;)
    try {
      run("SELECT 1;");
      return;
    } catch (error) {
      if (!String(error).includes("connection to server")) throw error;
      await wait(50);
    }
}

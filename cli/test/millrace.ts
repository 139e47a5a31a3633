import { Readable, Writable } from "node:stream";
import { runCommandLine } from "../src/main.ts";
import type { Streams } from "../src/open-terminal.ts";
import type { ServerDoor } from "../src/service/server-door.ts";
import { cleanEnv, type Ended, newFolder, type RunOptions } from "./run-millrace.ts";

export type Running = { ended: Promise<Ended>; output: () => string };
type StartOptions = RunOptions & {
  /** Both outputs are a terminal of this width; nobody sits at it. */
  columns?: number;
};

/** `millrace <args>` within this process, with pipes for its streams: a process for each would cost more than the tests. */
export function millrace(args: readonly string[], options: StartOptions = {}): Promise<Ended> {
  return startMillrace(args, options).ended;
}

/** The same, while it runs. */
export function startMillrace(
  argv: readonly string[],
  { env = {}, cwd = newFolder(), stdin = "", columns }: StartOptions = {},
): Running {
  const [stdout, stderr] = [collector(columns), collector(columns)];
  const streams = { in: Readable.from([Buffer.from(stdin)]), out: stdout.stream, err: stderr.stream };
  const world = { argv, env: cleanEnv(env), cwd, streams: streams as unknown as Streams, server: SERVER };
  const ended = runCommandLine(world).then((code) => {
    return { code: code ?? null, stdout: stdout.text(), stderr: stderr.text() };
  });
  return { ended, output: () => stdout.text() + stderr.text() };
}

/** The service itself is a process: `spawnMillrace`. */
const SERVER: ServerDoor = {
  start: () => Promise.reject(new Error("no service is started within a test")),
  databaseTool: () => import("../../server/src/main/database-tool.ts"),
};

function collector(columns: number | undefined): { stream: Writable; text: () => string } {
  let text = "";
  const stream = new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, done) => {
      text += chunk;
      done();
    },
  });
  return { stream: Object.assign(stream, columns ? { isTTY: true, columns, rows: 40 } : {}), text: () => text };
}

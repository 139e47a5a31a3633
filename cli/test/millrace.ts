import { Readable, Writable } from "node:stream";
import { runCommandLine } from "../src/main.ts";
import type { Streams } from "../src/open-terminal.ts";
import type { ServerLoader } from "../src/service/server-loader.ts";
import { cleanEnv, type Ended, newFolder, type RunOptions } from "./run-millrace.ts";

export type Running = { ended: Promise<Ended>; output: () => string };
type StartOptions = RunOptions & {
  /** Makes stdout and stderr a terminal of this width. Stdin is not interactive. */
  columns?: number;
};

/** Runs `millrace <args>` in this process with pipes as streams, which is much faster than spawning. */
export function millrace(args: readonly string[], options: StartOptions = {}): Promise<Ended> {
  return startMillrace(args, options).ended;
}

/** The same, as a running command. */
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

/** The service itself needs a process: `spawnMillrace`. */
const SERVER: ServerLoader = {
  start: () => Promise.reject(new Error("a test in this process cannot start the service")),
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

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { newDataDir } from "../start-millrace.mjs";

/** A Redis without data loss: each command is in the log, and the log on disk, before the response. */
const DURABLE = ["--appendonly", "yes", "--appendfsync", "always", "--save", ""];

/** Uses a socket, like PostgreSQL, so that ports cannot collide. */
export async function startRedis() {
  const folder = newDataDir();
  const socket = join(folder, "redis.sock");
  const place = ["--port", "0", "--unixsocket", socket, "--dir", folder];
  const child = spawn("redis-server", [...place, ...DURABLE], { stdio: ["ignore", "pipe", "inherit"] });
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  await untilReady(child);
  return {
    socket,
    pid: child.pid,
    version: /v=(\S+)/.exec(execFileSync("redis-server", ["--version"], { encoding: "utf8" }))[1],
    stop: async () => {
      process.off("exit", kill);
      kill();
      await once(child, "exit");
    },
  };
}

async function untilReady(child) {
  let output = "";
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    output += chunk;
    if (/ready to accept connections/i.test(output)) break;
  }
  if (child.exitCode !== null) throw new Error(`redis-server did not start:\n${output}`);
  child.stdout.resume();
}

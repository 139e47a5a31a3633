import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { whenFileEnds } from "../world/end-of-file.ts";
import { until } from "../world/until.ts";

/** Starts an installed program with this file as its last argument, and waits until it listens on the port. */
export async function startProgram(program: string, args: string[], config: string, port: number): Promise<void> {
  const folder = mkdtempSync("/tmp/millrace-tests-");
  const file = join(folder, "config");
  writeFileSync(file, config, { mode: 0o644 });
  const child = spawn(program, [...args, file], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (text) => (output += text));
  whenFileEnds(async () => {
    if (!hasEnded(child)) await Promise.all([once(child, "exit"), child.kill("SIGKILL")]);
    rmSync(folder, { recursive: true, force: true });
  });
  await until(`${program} to listen`, 20_000, () => {
    if (hasEnded(child)) throw new Error(`${program} ended:\n${output}`);
    return isListening(port);
  });
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  const isOpen = await once(socket, "connect").then(
    () => true,
    () => false,
  );
  socket.destroy();
  return isOpen;
}

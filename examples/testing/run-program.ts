import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { whenFileEnds } from "../../server/test/world/end-of-file.ts";

type Printed = { code: number | null; stdout: string; stderr: string };

export type Program = {
  child: ChildProcess;
  /** Signals the program and all its children, like a terminal. */
  signal: (signal: NodeJS.Signals) => void;
  printed: () => string;
  errors: () => string;
  ended: Promise<Printed>;
};

/** Runs a program in its folder, as a reader would. */
export function runProgram(folder: string, command: string[], env: Record<string, string>): Program {
  const [program = "", ...args] = command;
  const child = spawn(program, args, { cwd: folder, env: { PATH: process.env.PATH, ...env }, detached: true });
  const [out, err] = [collect(child.stdout), collect(child.stderr)];
  const signal = (name: NodeJS.Signals) => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) process.kill(-child.pid, name);
  };
  whenFileEnds(async () => signal("SIGKILL"));
  const ended = once(child, "close").then(([code]) => ({ code, stdout: out(), stderr: err() }));
  return { child, signal, printed: out, errors: err, ended };
}

function collect(stream: NodeJS.ReadableStream): () => string {
  let text = "";
  stream.setEncoding("utf8").on("data", (part) => {
    text += part;
  });
  return () => text;
}

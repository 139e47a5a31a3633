import { execFileSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { codeOf } from "./embedded-postgres-error.ts";

/** Whether the process runs. A zombie does not: in a container whose init does not reap, dead processes stay listed. */
export function isRunning(pid: number): boolean {
  // 0 and below mean process groups.
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
  const state = linuxStat(pid)?.[0];
  return state !== "Z" && state !== "X";
}

/** Distinguishes a process from a later one with the same pid; undefined on systems that do not expose it. */
export function processStart(pid: number): string | undefined {
  if (process.platform === "linux") {
    const startedAt = linuxStat(pid)?.[19];
    return startedAt && `${bootId()}:${startedAt}`;
  }
  return process.platform === "win32" ? undefined : psColumn(pid, "lstart");
}

/** Whether the process was started with this argument; true on systems that do not expose it. */
export function wasStartedWith(pid: number, argument: string): boolean {
  if (process.platform === "win32") return true;
  if (process.platform !== "linux") return psColumn(pid, "command")?.includes(argument) ?? false;
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(argument);
  } catch {
    return false;
  }
}

/** The working directory of the process; undefined where the system does not expose it, or not to us. */
export function workingDirectory(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}

/** Fields of /proc/pid/stat from the third (state) on; the second is a name that may contain spaces and brackets. */
function linuxStat(pid: number): string[] | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return undefined;
  }
}

function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return "";
  }
}

function psColumn(pid: number, column: string): string | undefined {
  try {
    const out = execFileSync("ps", ["-o", `${column}=`, "-p", String(pid)], { stdio: ["ignore", "pipe", "ignore"] });
    return out.toString().trim();
  } catch {
    return undefined;
  }
}

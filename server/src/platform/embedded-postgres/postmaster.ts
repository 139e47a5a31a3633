import { readFileSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "./embedded-postgres-error.ts";
import { isRunning, wasStartedWith, workingDirectory } from "./running-process.ts";

/** The server's main process, from its postmaster.pid (layout: pidfile.h of PostgreSQL). */
export interface Postmaster {
  pid: number;
  port: number;
  socketDir: string;
  /** Empty until the server has written it. */
  status: "" | "starting" | "stopping" | "ready" | "standby";
}

/** The server that now runs on this cluster. */
export function findPostmaster(clusterDir: string): Postmaster | undefined {
  const found = readPostmasterFile(clusterDir);
  return found && isPostmasterOf(clusterDir, found.pid) ? found : undefined;
}

export function isReady(clusterDir: string, pid: number): boolean {
  const found = readPostmasterFile(clusterDir);
  return found?.pid === pid && found.status === "ready";
}

/** PostgreSQL itself takes over from a dead pid, but refuses when the pid now belongs to another program. */
export function removeReusedPidFile(clusterDir: string): void {
  const found = readPostmasterFile(clusterDir);
  if (found && isRunning(found.pid) && !isPostmasterOf(clusterDir, found.pid)) rmSync(join(clusterDir, PID_FILE));
}

const PID_FILE = "postmaster.pid";

function readPostmasterFile(clusterDir: string): Postmaster | undefined {
  const lines = readLines(join(clusterDir, PID_FILE));
  const pid = Number(lines[0]);
  if (!pid) return undefined;
  const status = (lines[7] ?? "").trim() as Postmaster["status"];
  return { pid, port: Number(lines[3]), socketDir: lines[4] ?? "", status };
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, "utf8").split("\n");
  } catch (error) {
    if (codeOf(error) !== "ENOENT" && codeOf(error) !== "ENOTDIR") throw error;
    return [];
  }
}

/**
 * A postmaster's working directory is its cluster; where that is hidden (macOS, root in a container), its arguments are
 * checked.
 */
function isPostmasterOf(clusterDir: string, pid: number): boolean {
  if (!isRunning(pid)) return false;
  const directory = workingDirectory(pid);
  return directory ? directory === realpathSync(clusterDir) : wasStartedWith(pid, clusterDir);
}

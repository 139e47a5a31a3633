import { readFileSync, readlinkSync } from "node:fs";
import { isRunning, processStart } from "../../platform/embedded-postgres/running-process.ts";

/**
 * Identifies one process on one machine, also after it has ended; all null where the system does not provide enough.
 */
export type ProcessIdentity = { machine: string | null; pid: number | null; process_start: string | null };

const UNKNOWN: ProcessIdentity = { machine: null, pid: null, process_start: null };

/**
 * This process. A pid is unique only within one boot of one machine and one pid namespace: two containers, or two
 * machines of the same name, differ.
 */
export function ownProcess(): ProcessIdentity {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const machine = `${boot} ${readlinkSync("/proc/self/ns/pid")}`;
    const process_start = processStart(process.pid);
    return process_start === undefined ? UNKNOWN : { machine, pid: process.pid, process_start };
  } catch {
    return UNKNOWN;
  }
}

/**
 * Whether a process of this machine has ended. If the start time of a process with its pid cannot be read, it has not.
 */
export function hasEnded({ pid, process_start }: ProcessIdentity): boolean {
  if (pid === null || process_start === null) return false;
  if (!isRunning(pid)) return true;
  const mark = processStart(pid);
  return mark !== undefined && mark !== process_start;
}

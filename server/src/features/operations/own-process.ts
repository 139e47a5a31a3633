import { readFileSync, readlinkSync } from "node:fs";
import { birthMark, isRunning } from "../../platform/embedded-postgres/running-process.ts";

/**
 * Identifies one process on one machine, also after it has ended; all null where the system does not provide enough.
 */
export type ProcessMark = { machine: string | null; pid: number | null; birth_mark: string | null };

const UNKNOWN: ProcessMark = { machine: null, pid: null, birth_mark: null };

/**
 * This process. A pid is unique only within one boot of one machine and one pid namespace: two containers, or two
 * machines of the same name, differ.
 */
export function ownProcess(): ProcessMark {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const machine = `${boot} ${readlinkSync("/proc/self/ns/pid")}`;
    const birth_mark = birthMark(process.pid);
    return birth_mark === undefined ? UNKNOWN : { machine, pid: process.pid, birth_mark };
  } catch {
    return UNKNOWN;
  }
}

/**
 * Whether a process of this machine has ended. If the start time of a process with its pid cannot be read, it has not.
 */
export function hasEnded({ pid, birth_mark }: ProcessMark): boolean {
  if (pid === null || birth_mark === null) return false;
  if (!isRunning(pid)) return true;
  const mark = birthMark(pid);
  return mark !== undefined && mark !== birth_mark;
}

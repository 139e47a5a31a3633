import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import type { Ctx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { isRunning, processStart } from "../../platform/embedded-postgres/running-process.ts";
import { VERSION } from "../../platform/version.ts";

/** Registers this instance as alive, with its process, and removes instances not seen for an hour. */
export async function registerInstance(ctx: Ctx): Promise<boolean> {
  const address = `${hostname()}:${ctx.config.port}`;
  const { machine, pid, process_start } = ownProcess();
  const { rows } = await sql<{ was_gone: boolean }>`
    /* prepared */
    with forgotten as (delete from instances where seen_at < clock() - interval '1 hour' and id <> ${ctx.instance_id}),
    before as materialized (select gone_at from instances where id = ${ctx.instance_id}),
    registered as (
      insert into instances (
        id, roles, version, address, started_at, seen_at, name, machine, pid, process_start, holds_data_dir)
      values (${ctx.instance_id}, ${[...ctx.config.roles]}, ${VERSION}, ${address}, clock(), clock(),
        ${ctx.config.instance_name}, ${machine}, ${pid}, ${process_start}, ${ctx.state.holdsDataDir})
      on conflict (id) do update set seen_at = excluded.seen_at, gone_at = null
    )
    select exists (select 1 from before where gone_at is not null) as was_gone`.execute(ctx.db);
  if (rows[0]?.was_gone) {
    ctx.log.error("this instance was marked as gone: does another instance use its INSTANCE_NAME?");
  }
  return false;
}

/** A clean stop is known at once: leases it still holds are released immediately. */
export async function retireInstance(ctx: Ctx): Promise<void> {
  await sql`update instances set gone_at = clock() where id = ${ctx.instance_id}`.execute(ctx.db);
}

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

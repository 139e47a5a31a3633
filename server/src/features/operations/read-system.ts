import type { System } from "@millrace/contract/service/system";
import type { Ctx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import { VERSION } from "../../platform/version.ts";
import { findProblems } from "./find-problems.ts";
import { readInvariants } from "./invariants/read-invariants.ts";

const MAX_COUNTED = 100_000; // counting a longer queue would take seconds
const SILENT_SECS = 30;

/** Versions, database, queue, pool, instances and tasks, and the findings about them. */
export async function readSystem(ctx: Ctx): Promise<System> {
  const [database, queue, instances, tasks, invariants] = await Promise.all([
    readDatabase(ctx),
    readQueue(ctx),
    readInstances(ctx),
    readTasks(ctx),
    readInvariants(ctx),
  ]);
  const { active, queued } = ctx.metrics.pool;
  const seen = {
    version: VERSION,
    node: process.versions.node,
    mode: ctx.config.mode,
    instance_id: ctx.instance_id,
    database,
    queue,
    pool: { active, queued, size: ctx.config.dispatch_concurrency },
    instances,
    tasks,
    invariants,
  };
  return { ...seen, findings: await findProblems(ctx, seen) };
}

async function readDatabase(ctx: Ctx): Promise<System["database"]> {
  const { rows } = await sql<Omit<System["database"], "is_embedded" | "clock_ahead_ms"> & { now_ms: number }>`
    select current_setting('server_version') as version, pg_database_size(current_database())::float8 as size_bytes,
      (select max(name) from migrations) as schema_version,
      (select sum(numbackends)::int from pg_stat_database) as connections,
      current_setting('max_connections')::int as max_connections,
      extract(epoch from clock())::float8 * 1000 as now_ms`.execute(ctx.db);
  const [row] = rows;
  if (!row) throw new Error("the database query returned no row");
  const { now_ms, ...database } = row;
  return { ...database, is_embedded: !ctx.config.database, clock_ahead_ms: Math.round(now_ms - Date.now()) };
}

/** Over all projects: the load concerns the whole service. */
async function readQueue(ctx: Ctx): Promise<System["queue"]> {
  const { rows } = await sql<System["queue"]>`
    select
      (select count(*)::int from (select project_id from run_queue
        where lease_until is null and blocked_on is null limit ${MAX_COUNTED}) q) as ready,
      (select count(*)::int from (select project_id from run_queue
        where blocked_on is not null limit ${MAX_COUNTED}) q) as blocked,
      (select count(*)::int from (select project_id from run_queue
        where lease_until is not null limit ${MAX_COUNTED}) q) as in_flight,
      (select min(run_at) from (select run_at, project_id from run_queue
        where lease_until is null and blocked_on is null limit ${MAX_COUNTED}) q) as oldest_ready_at`.execute(ctx.db);
  const [row] = rows;
  if (!row) throw new Error("the queue query returned no row");
  return row;
}

async function readInstances(ctx: Ctx): Promise<System["instances"]> {
  const { rows } = await sql<System["instances"][number]>`
    select id, roles, version, address, started_at, seen_at,
      seen_at > clock() - ${SILENT_SECS} * interval '1 second' as is_alive, id = ${ctx.instance_id} as is_this
    from instances where gone_at is null order by started_at, id limit 200`.execute(ctx.db);
  return rows;
}

/** A pass releases its lease when it ends; until then `lease_until` is in the future. */
async function readTasks(ctx: Ctx): Promise<System["tasks"]> {
  const { rows } = await sql<System["tasks"][number]>`
    select name, holder, epoch::float8 as passes, next_due_at,
      case when lease_until <= clock() then lease_until end as ended_at
    from leaders order by name limit 200`.execute(ctx.db);
  return rows;
}

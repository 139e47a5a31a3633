import { statfs } from "node:fs/promises";
import type { System, SystemFinding } from "@millrace/contract/service/system";
import type { Ctx } from "../../platform/context.ts";
import { migrationNames } from "../../platform/database/migrate.ts";
import { sql } from "../../platform/database/sql.ts";
import { engineCheck } from "./check-readiness.ts";

type Seen = Omit<System, "findings" | "$schema">;

const GB = 1_073_741_824;
const MIN_BYTES = 0.2 * GB;
const COMFORTABLE_BYTES = 2 * GB;
const MAX_SKEW_MS = 5_000;
const MAX_WAIT_MS = 60_000;
const FULL_SHARE = 0.9;

/** The checks of `millrace doctor`, from inside the service. */
export async function findProblems(ctx: Ctx, seen: Seen): Promise<SystemFinding[]> {
  return [
    databaseOf(seen),
    connectionsOf(seen),
    clockOf(seen),
    migrationsOf(seen),
    ...(seen.database.is_embedded ? [await diskOf(ctx)] : []),
    tasksOf(ctx),
    instancesOf(seen),
    queueOf(ctx, seen),
    invariantsOf(seen),
    await outboxSourcesOf(ctx),
  ];
}

function databaseOf({ database }: Seen): SystemFinding {
  return ok("database", `PostgreSQL ${database.version}, ${database.is_embedded ? "embedded" : "external"}`);
}

function connectionsOf({ database: { connections, max_connections } }: Seen): SystemFinding {
  const message = `${connections} of ${max_connections} in use`;
  if (connections < FULL_SHARE * max_connections) return ok("connections", message);
  return warning("connections", message, "Raise max_connections of PostgreSQL, or put a pooler in front of it.");
}

function clockOf({ database: { clock_ahead_ms } }: Seen): SystemFinding {
  const skew = Math.abs(clock_ahead_ms);
  const message = `${skew} ms ${clock_ahead_ms > 0 ? "ahead of" : "behind"} this instance`;
  if (skew < MAX_SKEW_MS) return ok("database clock", message);
  return warning("database clock", message, "Synchronize both clocks with NTP. All timestamps come from the database.");
}

function migrationsOf({ database: { schema_version } }: Seen): SystemFinding {
  const last = migrationNames().at(-1) ?? "";
  if (schema_version === last) return ok("migrations", `the schema is at ${last}`);
  if ((schema_version ?? "") < last)
    return failed("migrations", `the schema is at ${schema_version}, not at ${last}`, "Run `millrace migrate up`.");
  return warning("migrations", `the schema is newer: ${schema_version}`, "Upgrade this instance.");
}

/** The disk that the embedded database writes to. A full disk stops PostgreSQL. */
async function diskOf({ config }: Ctx): Promise<SystemFinding> {
  const disk = await statfs(config.data_dir).catch(() => undefined);
  if (!disk) return warning("disk", "the free space could not be read", "Check that MILLRACE_DATA_DIR is readable.");
  const free = disk.bavail * disk.bsize;
  const message = `${(free / GB).toFixed(1)} GB free on the disk of the database`;
  if (free < MIN_BYTES) return failed("disk", message, "Free up space, or set MILLRACE_DATA_DIR to another disk.");
  if (free < COMFORTABLE_BYTES)
    return warning("disk", message, "Free up space: the database stops when the disk is full.");
  return ok("disk", message);
}

function tasksOf(ctx: Ctx): SystemFinding {
  if (!ctx.config.roles.has("engine")) return ok("tasks", "none: this instance has only the API role");
  const check = engineCheck(ctx);
  if (check === "ok") return ok("tasks", "all are running on schedule");
  return failed("tasks", check, "Check the log for the named task, then restart this instance.");
}

function instancesOf({ instances }: Seen): SystemFinding {
  const versions = [...new Set(instances.filter(({ is_alive }) => is_alive).map(({ version }) => version))];
  const silent = instances.filter(({ is_alive }) => !is_alive).length;
  if (versions.length > 1)
    return warning("instances", `several versions are running: ${versions.join(", ")}`, "Finish the rollout.");
  if (silent > 0)
    return warning(
      "instances",
      `${silent} not responding`,
      "If they were not stopped on purpose, find out why. Other instances rescue their runs.",
    );
  return ok("instances", `${instances.length} running`);
}

function queueOf({ watch }: Ctx, { queue, instances }: Seen): SystemFinding {
  const waited = queue.oldest_ready_at === null ? 0 : watch.nowMs() - Date.parse(queue.oldest_ready_at);
  const hasEngine = instances.some(({ is_alive, roles }) => is_alive && roles.includes("engine"));
  if (waited <= MAX_WAIT_MS) return ok("queue", queue.ready === 0 ? "no runs are queued" : "runs are claimed on time");
  const message = `the oldest of ${queue.ready} ready runs has been queued for ${Math.round(waited / 1_000)} s`;
  if (!hasEngine) return failed("queue", message, "No engine is running: start an instance with the engine role.");
  return warning("queue", message, "Add an instance with the engine role, or raise DISPATCH_CONCURRENCY.");
}

function invariantsOf({ invariants }: Seen): SystemFinding {
  const [broken] = invariants.filter(({ status }) => status === "violated");
  if (broken) return failed("invariants", `${broken.name}: ${broken.violations} violations`, broken.remedy);
  const [unchecked] = invariants.filter(({ status }) => status === "unchecked");
  if (unchecked) return warning("invariants", `${unchecked.name} is not checked`, unchecked.remedy);
  const repaired = invariants.reduce((sum, each) => sum + each.repaired, 0);
  return ok("invariants", `all ${invariants.length} hold; ${repaired} repairs so far`);
}

const UNCLAIMED_SECS = 60;

/** Of all projects, by number only: names and errors are the tenants'. */
async function outboxSourcesOf(ctx: Ctx): Promise<SystemFinding> {
  const { rows } = await sql<{ connected: number; failing: number; unclaimed: number; failing_secs: number | null }>`
    select count(o.project_id)::int as connected, count(o.failing_since)::int as failing,
      count(*) filter (where o.next_attempt_at < clock() - ${UNCLAIMED_SECS} * interval '1 second')::int as unclaimed,
      extract(epoch from clock() - min(o.failing_since))::int as failing_secs
    from outbox_sources o join projects p on p.id = o.project_id and p.deleted_at is null
    where o.enabled`.execute(ctx.db);
  const { connected = 0, failing = 0, unclaimed = 0, failing_secs = null } = rows[0] ?? {};
  if (unclaimed > 0)
    return failed(
      "outbox sources",
      `no instance has drained ${unclaimed} of ${connected} for more than ${UNCLAIMED_SECS} s`,
      "Start an instance with the engine role. An instance drains 100 sources at a time.",
    );
  if (failing > 0)
    return warning(
      "outbox sources",
      `${failing} of ${connected} cannot be drained, the first for ${failing_secs} s`,
      "`millrace outbox sources list` names the error of each. Their rows wait in their databases.",
    );
  return ok("outbox sources", connected === 0 ? "none are connected" : `all ${connected} are drained`);
}

function ok(check: string, message: string): SystemFinding {
  return { check, status: "ok", message, remedy: "" };
}

function warning(check: string, message: string, remedy: string): SystemFinding {
  return { check, status: "warning", message, remedy };
}

function failed(check: string, message: string, remedy: string): SystemFinding {
  return { check, status: "failed", message, remedy };
}

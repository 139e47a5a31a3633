import { statfs } from "node:fs/promises";
import type { System, SystemFinding } from "@millrace/contract/system";
import type { Ctx } from "../../platform/context.ts";
import { migrationNames } from "../../platform/database/migrate.ts";
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

function ok(check: string, message: string): SystemFinding {
  return { check, status: "ok", message, remedy: "" };
}

function warning(check: string, message: string, remedy: string): SystemFinding {
  return { check, status: "warning", message, remedy };
}

function failed(check: string, message: string, remedy: string): SystemFinding {
  return { check, status: "failed", message, remedy };
}

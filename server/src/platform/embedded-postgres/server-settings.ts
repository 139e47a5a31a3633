export const DATABASE_USER = "millrace";
export const DATABASE_NAME = "millrace";

/** PostgreSQL's own names for its settings, and their values. */
export type ServerSettings = Readonly<Record<string, string>>;

/** For one machine, a small footprint, and queue tables whose rows change constantly. */
export const DEFAULT_SETTINGS: ServerSettings = {
  max_connections: "100",
  shared_buffers: "128MB",
  // Queue tables fill with dead rows in seconds; autovacuum's default interval of a minute is too long.
  autovacuum_naptime: "10s",
  // JIT compilation costs more than any of our short statements.
  jit: "off",
  // The default starts three more processes for reads that are cached in memory in this workload.
  io_method: "sync",
  max_logical_replication_workers: "0",
  timezone: "UTC",
  log_timezone: "UTC",
  log_checkpoints: "off",
};

/** Test databases only: a power cut loses or corrupts everything. */
export const UNSAFE_SETTINGS: ServerSettings = { fsync: "off", synchronous_commit: "off", full_page_writes: "off" };

export function asArguments(settings: ServerSettings): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}

/**
 * Makes glibc keep some memory between statements: by default it returns it each time and gets it again a page fault at
 * a time, which was 4 % of PostgreSQL's time while workflows ran.
 */
const KEPT_MEMORY = {
  MALLOC_TOP_PAD_: "4194304",
  MALLOC_TRIM_THRESHOLD_: "16777216",
  MALLOC_MMAP_THRESHOLD_: "8388608",
};

/** A clean environment: the caller's PGDATA, PGOPTIONS or locale would change the server's behavior. */
export function serverEnvironment(): { env?: NodeJS.ProcessEnv } {
  if (process.platform === "win32") return {};
  return { env: { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C", TZ: "UTC", ...KEPT_MEMORY } };
}

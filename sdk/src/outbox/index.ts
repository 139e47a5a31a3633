// biome-ignore-all lint/performance/noBarrelFile: a public entry point of the package
export { type DrainOptions, drainOutbox } from "./drain-outbox.ts";
export { FORCED_UNINSTALL_SQL, INSTALL_SQL, UNINSTALL_SQL } from "./install-sql.ts";
export type { OutboxConnection, OutboxPool } from "./rows.ts";

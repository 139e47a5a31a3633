import { Gauge, type Registry } from "prom-client";
import type { PoolUse } from "../database/db.ts";
import { plainHistogram, type Series } from "./plain-histogram.ts";

export type DatabaseMetrics = {
  /** Set once the connections exist. */
  readPool: () => PoolUse;
  statements: Series;
};

/** Metrics of this instance's connections to the database. */
export function databaseMetrics(registry: Registry, buckets: readonly number[]): DatabaseMetrics {
  const registers = [registry];
  const statements = plainHistogram(
    {
      name: "millrace_database_statement_duration_seconds",
      help: "Time of a statement, with its round trip.",
      labelNames: [],
      buckets,
    },
    registry,
  ).series({});
  const metrics: DatabaseMetrics = { readPool: () => ({ busy: 0, idle: 0, waiting: 0 }), statements };
  new Gauge({
    ...{ name: "millrace_database_pool_connections", help: "Open connections.", labelNames: ["state"], registers },
    collect() {
      const { busy, idle } = metrics.readPool();
      this.set({ state: "busy" }, busy);
      this.set({ state: "idle" }, idle);
    },
  });
  new Gauge({
    ...{ name: "millrace_database_pool_waiting", help: "Statements that wait for a connection.", registers },
    collect() {
      this.set(metrics.readPool().waiting);
    },
  });
  return metrics;
}

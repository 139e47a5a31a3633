import { describe, vi } from "vitest";

// Set before the imports below, which read it.
process.env.TEST_WHOLE_SIZE = "yes";

const TIMEOUTS = { testTimeout: 1_800_000, hookTimeout: 120_000 };

/** Test files of `npm test`, with quantities that are too large for it. */
const FILES = {
  "every credential on every route": () => import("../../../src/api/access-matrix.test.ts"),
  "another project on every route": () => import("../../../src/api/foreign-objects.test.ts"),
  "content that writes do not show": () => import("../../../src/api/response/write-receipts.test.ts"),
  "claims of tokens": () => import("../../../src/api/oidc.test.ts"),
  "every method on every path": () => import("../../../src/api/edge.test.ts"),
  "every schema": () => import("../../../src/api/schema-links.test.ts"),
  "every address at every sink": () => import("../../../src/platform/outgoing/sinks.test.ts"),
  "random requests": () => import("../../../src/api/edge-fuzz.test.ts"),
  "percentiles of a million durations": () => import("../../../src/features/analytics/rollups/sketch.test.ts"),
  "concurrent environment changes": () => import("../../../src/features/environments/lineage.test.ts"),
  "concurrent deletions of environments": () => import("../../../src/features/environments/delete-environment.test.ts"),
  "a thousand streams": () => import("../../../src/features/events/stream-trigger.test.ts"),
  "concurrent deletions of jobs": () => import("../../../src/features/jobs/delete-job.test.ts"),
  "concurrent deletions of workflows": () => import("../../../src/features/workflows/delete-workflow.test.ts"),
  "concurrent cancellations of waits": () => import("../../../src/features/events/cancel-trigger.test.ts"),
  "concurrent operations on runs": () => import("../../../src/features/runs/operate-runs.test.ts"),
  "concurrent ends of runs": () => import("../../../src/features/sdk-runs/end-run.test.ts"),
  "idempotent triggers of workflows": () =>
    import("../../../src/features/workflows/trigger/trigger-idempotency.test.ts"),
  "blockers of random runs": () => import("../../../src/features/runs/explain/explain-property.test.ts"),
  "fair deliveries": () => import("../../../src/features/webhook-deliveries/fairness.test.ts"),
  "random graphs": () => import("../../../src/flow/workflows/plan/planner-oracle.test.ts"),
  "replays of random histories": () => import("../../../src/flow/workflows/versions/replay-history.test.ts"),
  "resets in random graphs": () => import("../../../src/flow/workflows/operate/reset-order.test.ts"),
  "migrations between random versions": () => import("../../../src/flow/workflows/versions/check-migration.test.ts"),
  "admissions of random runs": () => import("../../../src/flow/limits/admit-runs.test.ts"),
  "rollups of random histories": () => import("../../../src/features/analytics/rollups/roll-up-runs.test.ts"),
  "idempotent triggers": () => import("../../../src/features/jobs/trigger/trigger-idempotency.test.ts"),
  "log drains": () => import("../../../src/features/log-drains/drain-logs.test.ts"),
  "bulk operations with races and crashes": () => import("../../../src/features/runs/bulk/bulk-races.test.ts"),
  "any two blockers of a run": () => import("../../../src/features/runs/explain/explain-run.test.ts"),
  "streams that catch up": () => import("../../../src/features/streams/streams.test.ts"),
  "streams over kill -9": () => import("../../../src/features/streams/kill.test.ts"),
  "graphs of steps": () => import("../../../src/features/workflows/validate/find-cycles.test.ts"),
  "migration of many workflow runs": () => import("../../../src/features/workflows/versions/migrate-many-runs.test.ts"),
  "the query language": () => import("../../contract/query-language.test.ts"),
  "JSON Schema compared with Ajv": () => import("../../../src/platform/json-schema/compile-json-schema.fuzz.test.ts"),
  "costs of random schemas": () => import("../../../src/platform/json-schema/expansion-cost.test.ts"),
  "cron expressions": () => import("../../../src/platform/time/cron.test.ts"),
  "the embedded PostgreSQL": () => import("../../../src/platform/embedded-postgres/supervise-postmaster.test.ts"),
  "documented responses without a credential": () => import("../../../src/api/documented-responses.test.ts"),
  "every route with minimal settings": () => import("../../../src/api/no-feature-flags.test.ts"),
  "health of twenty receivers": () => import("../../../src/features/analytics/reports/read-buckets.test.ts"),
  "percentiles of a thousand runs": () => import("../../../src/features/analytics/reports/run-analytics.test.ts"),
  "a host that is away under load": () => import("../../../src/flow/runs/dispatch/unreachable.test.ts"),
  "responses of any bytes": () => import("../../../src/flow/runs/dispatch/read-response.test.ts"),
  "500 objects as code": () => import("../../../../cli/test/large-config.test.ts"),
  "critical paths of random graphs": () => import("../../../src/flow/workflows/plan/critical-path.test.ts"),
};

for (const [name, load] of Object.entries(FILES)) {
  describe(name, async () => {
    vi.setConfig(TIMEOUTS); // some files set shorter ones for themselves
    await load();
  });
}

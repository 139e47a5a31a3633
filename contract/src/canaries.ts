import Type, { type Static } from "typebox";
import { Id, Timestamp } from "./fields.ts";
import { answerObject, bodyObject, moving, nullable, oneOf } from "./schema.ts";

const CANARY_STATUSES = ["active", "promoted", "rolled_back"] as const;

const WEEK_SECS = 604_800;

/** What is left out of a configuration. */
export const AUTO_PROMOTE_DEFAULTS = {
  enabled: true,
  steps: [10, 25, 50, 100],
  interval_secs: 300,
  min_runs: 20,
  max_failure_rate_increase: 0,
  max_p95_increase: null,
} as const;

const configuration = {
  enabled: Type.Boolean({ description: "False: nothing happens by itself." }),
  steps: Type.Array(Type.Integer({ minimum: 1, maximum: 100 }), {
    minItems: 1,
    maxItems: 20,
    description: "Shares of the traffic in percent, rising. After the last one the canary is promoted.",
  }),
  interval_secs: Type.Integer({ minimum: 1, maximum: WEEK_SECS, description: "How long each share is kept at least." }),
  min_runs: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    description: "Runs of the target that have ended: in all before it is judged, and at each share before the next.",
  }),
  max_failure_rate_increase: Type.Number({
    minimum: 0,
    maximum: 1,
    description: "By how much the target's error rate may exceed the source's: 0.02 allows 7 % where it was 5 %.",
  }),
  max_p95_increase: nullable(
    Type.Number({
      minimum: 0,
      maximum: 100,
      description: "By which part the target's p95 may exceed the source's: 0.2 allows a fifth. Null: any.",
    }),
  ),
};

const AutoPromoteConfig = Type.Object(configuration);
export type AutoPromoteConfig = Static<typeof AutoPromoteConfig>;

const AutoPromoteInput = Type.Object(
  {
    enabled: Type.Optional(configuration.enabled),
    steps: Type.Optional(configuration.steps),
    interval_secs: Type.Optional(configuration.interval_secs),
    min_runs: Type.Optional(configuration.min_runs),
    max_failure_rate_increase: Type.Optional(configuration.max_failure_rate_increase),
    max_p95_increase: Type.Optional(configuration.max_p95_increase),
  },
  { additionalProperties: false, description: "Moves the share step by step, and judges the target meanwhile." },
);
export type AutoPromoteInput = Static<typeof AutoPromoteInput>;

const TrafficPct = Type.Integer({ minimum: 0, maximum: 100, description: "Percent of new runs that take the target." });
const VersionNumber = Type.Integer({ minimum: 1, maximum: 2_147_483_647 });

const canary = {
  id: Id,
  project_id: Id,
  workflow_id: Id,
  source_version: Type.Integer({ description: "The version that the other runs take." }),
  target_version: Type.Integer({ description: "The version that is tried." }),
  traffic_pct: TrafficPct,
  status: oneOf(CANARY_STATUSES),
  auto_promote_config: nullable(AutoPromoteConfig),
  created_at: Timestamp,
  updated_at: Timestamp,
  completed_at: nullable(Timestamp),
};

export const Canary = answerObject("Canary", canary, "A version of a workflow that is tried on a share of its runs.");
export type Canary = Static<typeof Canary>;

const rate = (description: string) => nullable(Type.Number({ description }));
const Millis = nullable(
  Type.Integer({ description: "Of completed runs, from start to end. Null: none has completed." }),
);

const VersionMetrics = Type.Object({
  version: Type.Integer(),
  version_id: Id,
  runs: Type.Integer({ description: "Sent to this version by the canary since it began." }),
  active_runs: Type.Integer({ description: "Of these, those that have not ended." }),
  success_rate: rate("Completed among those that completed, failed or timed out. Null: none has."),
  error_rate: rate("Failed or timed out among the same."),
  p50_ms: Millis,
  p95_ms: Millis,
  p99_ms: Millis,
});
export type VersionMetrics = Static<typeof VersionMetrics>;

export const CanaryComparison = answerObject(
  "CanaryComparison",
  {
    ...canary,
    metrics: moving(
      Type.Object({
        source: VersionMetrics,
        target: VersionMetrics,
        probability_target_worse: rate(
          "That the target fails more often than the source. Null: one of them has no runs.",
        ),
      }),
    ),
  },
  "A canary with what the runs of both versions came to.",
);
export type CanaryComparison = Static<typeof CanaryComparison>;

export const CreateCanary = bodyObject(
  "CreateCanary",
  {
    source_version: Type.Optional({ ...VersionNumber, description: "The current version when absent." }),
    target_version: VersionNumber,
    traffic_pct: Type.Optional({ ...TrafficPct, description: "When absent, the first step, or 10." }),
    auto_promote_config: Type.Optional(nullable(AutoPromoteInput)),
  },
  "A canary to begin. New runs take the source version from now on, but for the share that takes the target.",
);
export type CreateCanary = Static<typeof CreateCanary>;

export const UpdateCanary = bodyObject(
  "UpdateCanary",
  {
    traffic_pct: Type.Optional(TrafficPct),
    auto_promote_config: Type.Optional(nullable(AutoPromoteInput)),
  },
  "The fields to change. The configuration is replaced whole.",
);
export type UpdateCanary = Static<typeof UpdateCanary>;

import Type, { type Static } from "typebox";
import { Id, Timestamp } from "../schema/fields.ts";
import { bodyObject, moving, nullable, oneOf, responseObject } from "../schema/schema.ts";

const CANARY_STATUSES = ["active", "promoted", "rolled_back"] as const;

const WEEK_SECS = 604_800;

/** Defaults of an auto-promotion configuration. */
export const AUTO_PROMOTE_DEFAULTS = {
  enabled: true,
  steps: [10, 25, 50, 100],
  interval_secs: 300,
  min_runs: 20,
  max_failure_rate_increase: 0,
  max_p95_increase: null,
} as const;

const configuration = {
  enabled: Type.Boolean({ description: "False: traffic changes only on request." }),
  steps: Type.Array(Type.Integer({ minimum: 1, maximum: 100 }), {
    minItems: 1,
    maxItems: 20,
    description: "Traffic shares in percent, in ascending order. After the last one the canary is promoted.",
  }),
  interval_secs: Type.Integer({ minimum: 1, maximum: WEEK_SECS, description: "Minimum time at each share." }),
  min_runs: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    description:
      "Minimum number of ended runs on the target version: in total before it is evaluated, and at each share before the next one.",
  }),
  max_failure_rate_increase: Type.Number({
    minimum: 0,
    maximum: 1,
    description:
      "How much higher the target's error rate may be than the source's: 0.02 allows 7% if the source has 5%.",
  }),
  max_p95_increase: nullable(
    Type.Number({
      minimum: 0,
      maximum: 100,
      description:
        "How much higher the target's p95 duration may be, relative to the source's: 0.2 allows 20% more. Null: no limit.",
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
  {
    additionalProperties: false,
    description: "Raises the traffic share step by step while the target version is evaluated.",
  },
);
export type AutoPromoteInput = Static<typeof AutoPromoteInput>;

const TrafficPct = Type.Integer({
  minimum: 0,
  maximum: 100,
  description: "Percentage of new runs that use the target version.",
});
const VersionNumber = Type.Integer({ minimum: 1, maximum: 2_147_483_647 });

const canary = {
  id: Id,
  project_id: Id,
  workflow_id: Id,
  source_version: Type.Integer({ description: "The version that all other runs use." }),
  target_version: Type.Integer({ description: "The version under test." }),
  traffic_pct: TrafficPct,
  status: oneOf(CANARY_STATUSES),
  auto_promote_config: nullable(AutoPromoteConfig),
  created_at: Timestamp,
  updated_at: Timestamp,
  completed_at: nullable(Timestamp),
};

export const Canary = responseObject("Canary", canary, "A workflow version that is tested on a share of new runs.");
export type Canary = Static<typeof Canary>;

const rate = (description: string) => nullable(Type.Number({ description }));
const Millis = nullable(Type.Integer({ description: "Duration of completed runs. Null if none completed." }));

const VersionMetrics = Type.Object({
  version: Type.Integer(),
  version_id: Id,
  runs: Type.Integer({ description: "Runs that the canary routed to this version." }),
  active_runs: Type.Integer({ description: "Those that have not ended." }),
  success_rate: rate("Share of completed runs among runs that completed, failed or timed out. Null if there are none."),
  error_rate: rate("Share of failed and timed-out runs among the same runs."),
  p50_ms: Millis,
  p95_ms: Millis,
  p99_ms: Millis,
});
export type VersionMetrics = Static<typeof VersionMetrics>;

export const CanaryComparison = responseObject(
  "CanaryComparison",
  {
    ...canary,
    metrics: moving(
      Type.Object({
        source: VersionMetrics,
        target: VersionMetrics,
        probability_target_worse: rate(
          "Probability that the target fails more often than the source. Null if either has no runs.",
        ),
      }),
    ),
  },
  "A canary with the metrics of both versions.",
);
export type CanaryComparison = Static<typeof CanaryComparison>;

export const CreateCanary = bodyObject(
  "CreateCanary",
  {
    source_version: Type.Optional({ ...VersionNumber, description: "Default: the current version." }),
    target_version: VersionNumber,
    traffic_pct: Type.Optional({ ...TrafficPct, description: "Default: the first of the configured steps, or 10." }),
    auto_promote_config: Type.Optional(nullable(AutoPromoteInput)),
  },
  "Starts a canary. New runs use the source version, except for the share that uses the target version.",
);
export type CreateCanary = Static<typeof CreateCanary>;

export const UpdateCanary = bodyObject(
  "UpdateCanary",
  {
    traffic_pct: Type.Optional(TrafficPct),
    auto_promote_config: Type.Optional(nullable(AutoPromoteInput)),
  },
  "The fields to change. `auto_promote_config` is replaced as a whole.",
);
export type UpdateCanary = Static<typeof UpdateCanary>;

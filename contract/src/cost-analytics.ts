import Type, { type Static } from "typebox";
import { EnvironmentRef, Id, Timestamp } from "./fields.ts";
import { answerObject, nullable, oneOf } from "./schema.ts";

/** How a dispatch of a run ended. `retried…`: the run got another turn. */
export const OUTCOMES = [
  "completed",
  "waiting",
  "failed",
  "timed_out",
  "silent",
  "canceled",
  "paused",
  "retried",
  "retried_after_timeout",
  "retried_after_silence",
  "retried_after_crash",
  "drained",
] as const;

export const INSIGHT_RULES = [
  "retry_waste",
  "always_times_out",
  "overlong_timeout",
  "idle_schedule",
  "duplicate_payloads",
] as const;

const range = {
  from: Type.Optional(Type.String({ format: "date-time", description: "The first moment that counts." })),
  to: Type.Optional(
    Type.String({ format: "date-time", description: "The first moment that does not count any more." }),
  ),
};

const filters = {
  environment_id: Type.Optional(EnvironmentRef),
  job_id: Type.Optional(Type.String({ minLength: 1, maxLength: 63, description: "Job id or slug." })),
};

const Top = Type.Integer({ minimum: 1, maximum: 100, default: 20, description: "How many of each group are named." });
const Bucket = oneOf(["1m", "5m", "1h", "1d"], "How long the time of one point is.");

export const CostsQuery = Type.Object(
  {
    ...range,
    ...filters,
    bucket: Type.Optional(Bucket),
    tag_key: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: "Group by the values of this tag in `tags`." }),
    ),
    limit: Type.Optional(Top),
  },
  { additionalProperties: false },
);
export type CostsQuery = Static<typeof CostsQuery>;

export const ComputeQuery = Type.Object(
  { ...range, ...filters, bucket: Type.Optional(Bucket), limit: Type.Optional(Top) },
  { additionalProperties: false },
);
export type ComputeQuery = Static<typeof ComputeQuery>;

export const CostInsightsQuery = Type.Object(
  { ...range, ...filters, rule: Type.Optional(oneOf(INSIGHT_RULES)) },
  { additionalProperties: false },
);
export type CostInsightsQuery = Static<typeof CostInsightsQuery>;

const Microusd = Type.Integer({ description: "Millionths of a US dollar." });

const costs = {
  total_microusd: Type.Integer({ description: "Reported and compute together, in millionths of a US dollar." }),
  reported_microusd: Type.Integer({ description: "What runs have reported to have used." }),
  compute_microusd: Type.Integer({ description: "Wall time of dispatches × the project's rate." }),
  wall_ms: Type.Integer({ description: "From claim to the end of the dispatch, all dispatches together." }),
  dispatches: Type.Integer(),
  reports: Type.Integer({ description: "Reports of usage." }),
  input_tokens: Type.Integer(),
  output_tokens: Type.Integer(),
};
const Costs = Type.Object(costs);

const PERIOD = "The calendar month (UTC) that `from` lies in.";

const group = {
  id: nullable(Type.String({ description: "Of the job, workflow or schedule. Null for other groups." })),
  name: nullable(Type.String({ description: "Null: runs that have none." })),
  value: nullable(Type.String({ description: "Of a tag its value, of a provider its model." })),
  ...costs,
};
const Group = Type.Object(group);
const grouping = (of: string) =>
  Type.Object(
    {
      groups: Type.Array(Group, { description: "The dearest first." }),
      other: nullable(
        Type.Object(costs, {
          description: "All that is not named, so that the sum is the total. Null: groups overlap.",
        }),
      ),
    },
    { description: of },
  );

export const CostReport = answerObject(
  "CostReport",
  {
    project_id: Id,
    from: Timestamp,
    to: Timestamp,
    bucket: Bucket,
    period: Type.Object(
      { starts_at: Timestamp, ends_at: Timestamp, is_current: Type.Boolean() },
      { description: PERIOD },
    ),
    compute_rate_microusd_per_sec: Type.Integer({ description: "As it is now." }),
    total: Costs,
    forecast: nullable(
      Type.Object(
        {
          total_microusd: Type.Integer({ description: "What the period will have cost at its end." }),
          basis: oneOf(
            ["full_days", "elapsed_time"],
            "The mean of the last full days, at most 7; or of what has passed.",
          ),
          days: Type.Integer({ description: "Full days that were looked at." }),
          per_day_microusd: Microusd,
        },
        { description: "Only for the current billing period as a whole." },
      ),
    ),
    buckets: Type.Array(Type.Object({ starts_at: Timestamp, ...costs })),
    jobs: grouping("By job."),
    environments: grouping("By environment."),
    workflows: grouping("By the workflow whose step the run is."),
    tags: grouping("By tag; a run counts for each that it has. With `tag_key`: by the values of that one."),
    concurrency_keys: grouping("By concurrency key."),
    created_by: grouping("By the name of the API key, or of whatever started the run."),
    schedules: grouping("By the schedule that started the run."),
    models: grouping("Reported usage by provider (`name`) and model (`value`). `other` is the rest and all compute."),
  },
  "What a project has cost, and for what.",
);
export type CostReport = Static<typeof CostReport>;

const busy = {
  wall_ms: costs.wall_ms,
  busy_ms: Type.Integer({ description: "The part of all dispatches that lies within this time." }),
  dispatches: Type.Integer(),
  compute_microusd: costs.compute_microusd,
  average_in_flight: Type.Number({ description: "`busy_ms` divided by the time that has passed." }),
};

export const ComputeReport = answerObject(
  "ComputeReport",
  {
    project_id: Id,
    from: Timestamp,
    to: Timestamp,
    bucket: Bucket,
    compute_rate_microusd_per_sec: Type.Integer({ description: "As it is now." }),
    ...busy,
    peak_in_flight: Type.Number({ description: "The highest `average_in_flight` of a bucket." }),
    useful_share: nullable(
      Type.Number({
        description: "Part of `wall_ms` in dispatches that completed or went to wait. Null: there were none.",
      }),
    ),
    outcomes: Type.Array(
      Type.Object({
        outcome: oneOf(OUTCOMES),
        wall_ms: Type.Integer(),
        dispatches: Type.Integer(),
        compute_microusd: Microusd,
        reported_microusd: Type.Integer({ description: "What these dispatches had reported." }),
      }),
    ),
    jobs: Type.Array(
      Type.Object({
        job_id: Id,
        slug: nullable(Type.String()),
        ...busy,
        longest_ms: Type.Integer({ description: "Of one dispatch." }),
        max_concurrency: nullable(Type.Integer()),
        utilisation: nullable(
          Type.Number({ description: "`average_in_flight` divided by `max_concurrency`. Null: without a limit." }),
        ),
      }),
    ),
    buckets: Type.Array(Type.Object({ starts_at: Timestamp, ...busy })),
  },
  "How much time runs have taken, how it ended, and what it cost.",
);
export type ComputeReport = Static<typeof ComputeReport>;

const Insight = Type.Object({
  rule: oneOf(INSIGHT_RULES),
  job_id: Id,
  job_slug: nullable(Type.String()),
  schedule_id: nullable(Id),
  title: Type.String(),
  what_to_change: Type.String(),
  estimated_saving_microusd: Type.Integer({ description: "In the time that was looked at." }),
  evidence: Type.Record(Type.String(), Type.Union([Type.Number(), Type.String(), Type.Null()]), {
    description: "The numbers that the rule has found. `docs/costs.md` says what each is.",
  }),
  sample_run_ids: Type.Array(Id, { description: "Up to five runs to look at, the newest first." }),
});

export const CostInsights = answerObject(
  "CostInsights",
  {
    project_id: Id,
    from: Timestamp,
    to: Timestamp,
    total_microusd: Type.Integer({ description: "What the project has cost in this time." }),
    estimated_saving_microusd: Type.Integer({ description: "Of all insights together." }),
    insights: Type.Array(Insight, { description: "The largest saving first." }),
  },
  "What could be saved, from the project's own runs.",
);
export type CostInsights = Static<typeof CostInsights>;
export type Insight = Static<typeof Insight>;

export const RunCost = answerObject(
  "RunCost",
  {
    run_id: Id,
    total_microusd: costs.total_microusd,
    reported_microusd: costs.reported_microusd,
    compute_microusd: costs.compute_microusd,
    wall_ms: costs.wall_ms,
    dispatches: Type.Integer({ description: "Those that have ended." }),
    is_running: Type.Boolean({ description: "A dispatch is under way; its time is counted when it has ended." }),
    attempts: Type.Array(
      Type.Object({
        attempt: Type.Integer(),
        outcome: nullable(oneOf(OUTCOMES)),
        wall_ms: Type.Integer(),
        compute_microusd: Microusd,
        reported_microusd: Microusd,
      }),
      { description: "The newest 100, oldest first." },
    ),
  },
  "What a run has cost.",
);
export type RunCost = Static<typeof RunCost>;

import Type, { type Static } from "typebox";
import { Id, Timestamp } from "../schema/fields.ts";
import { nullable, oneOf, responseObject } from "../schema/schema.ts";
import { Bucket, costs, filters, Microusd, range, Top } from "./cost-fields.ts";
import { grouped } from "./grouped.ts";

export const COST_GROUPS = ["tag", "model", "created_by", "workflow", "schedule", "concurrency_key"] as const;

export const CostsQuery = Type.Object(
  {
    ...range("day", "the start of the month", "the end of the month, or now if `from` is given"),
    ...filters,
    bucket: Type.Optional(Bucket),
    tag_key: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: "Group `tags` by the values of this tag." }),
    ),
    group_by: Type.Optional(
      oneOf(
        COST_GROUPS,
        "Also return the costs of each group over time. They are kept by the day: `bucket` must be `1d`.",
      ),
    ),
    limit: Type.Optional(Top),
  },
  { additionalProperties: false },
);
export type CostsQuery = Static<typeof CostsQuery>;

const Costs = Type.Object(costs);

const PERIOD = "The calendar month (UTC) that contains `from`.";

const group = {
  id: nullable(
    Type.String({ description: "Id of the job, environment, workflow or schedule. Null for other groups." }),
  ),
  name: nullable(
    Type.String({ description: "Null for runs without one, or, if `id` is set, when the object was deleted." }),
  ),
  value: nullable(Type.String({ description: "The tag's value, or the provider's model." })),
  ...costs,
};
const Group = Type.Object(group);
const grouping = (of: string) =>
  Type.Object(
    {
      groups: Type.Array(Group, { description: "Ordered by cost, highest first." }),
      other: nullable(
        Type.Object(costs, {
          description: "Everything not listed, so that the groups add up to the total. Null if groups overlap.",
        }),
      ),
    },
    { description: of },
  );

export const CostReport = responseObject(
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
    compute_rate_microusd_per_sec: Type.Integer({ description: "The current rate." }),
    total: Costs,
    forecast: nullable(
      Type.Object(
        {
          total_microusd: Type.Integer({ description: "Projected cost of the whole period." }),
          basis: oneOf(
            ["full_days", "elapsed_time"],
            "Based on the average of the last full days (at most 7), or of the time elapsed so far.",
          ),
          days: Type.Integer({ description: "Number of full days used." }),
          per_day_microusd: Microusd,
        },
        { description: "Only for the current billing period as a whole." },
      ),
    ),
    buckets: Type.Array(Type.Object({ starts_at: Timestamp, ...costs })),
    grouped: grouped(costs, "cost"),
    jobs: grouping("By job."),
    environments: grouping("By environment."),
    workflows: grouping("By the workflow that the run is a step of."),
    tags: grouping("By tag. A run counts for each of its tags. With `tag_key`: by the values of that tag."),
    concurrency_keys: grouping("By concurrency key."),
    created_by: grouping("By the API key, or other actor, that started the run."),
    schedules: grouping("By the schedule that started the run."),
    models: grouping(
      "Reported usage by provider (`name`) and model (`value`). `other` contains the rest and all compute cost.",
    ),
  },
  "The cost of a project, by group.",
);
export type CostReport = Static<typeof CostReport>;

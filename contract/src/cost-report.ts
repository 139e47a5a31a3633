import Type, { type Static } from "typebox";
import { Bucket, costs, filters, Microusd, range, Top } from "./cost-fields.ts";
import { Id, Timestamp } from "./fields.ts";
import { answerObject, nullable, oneOf } from "./schema.ts";

export const CostsQuery = Type.Object(
  {
    ...range("day", "The beginning of the month", "The end of the month, or with `from` now"),
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

const Costs = Type.Object(costs);

const PERIOD = "The calendar month (UTC) that `from` lies in.";

const group = {
  id: nullable(Type.String({ description: "Of the job, environment, workflow or schedule. Null for other groups." })),
  name: nullable(Type.String({ description: "Null: runs that have none; beside an `id`: it is gone." })),
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

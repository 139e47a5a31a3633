import Type, { type Static } from "typebox";
import { Bucket, costs, filters, Microusd, OUTCOMES, range, Top } from "./cost-fields.ts";
import { Id, Timestamp } from "./fields.ts";
import { answerObject, nullable, oneOf } from "./schema.ts";

export const ComputeQuery = Type.Object(
  { ...range("bucket", "24 hours ago", "Now"), ...filters, bucket: Type.Optional(Bucket), limit: Type.Optional(Top) },
  { additionalProperties: false },
);
export type ComputeQuery = Static<typeof ComputeQuery>;

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

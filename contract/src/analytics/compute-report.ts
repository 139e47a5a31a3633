import Type, { type Static } from "typebox";
import { Id, Timestamp } from "../schema/fields.ts";
import { nullable, oneOf, responseObject } from "../schema/schema.ts";
import { Bucket, costs, filters, Microusd, OUTCOMES, range, Top } from "./cost-fields.ts";

export const ComputeQuery = Type.Object(
  { ...range("bucket", "24 hours ago", "now"), ...filters, bucket: Type.Optional(Bucket), limit: Type.Optional(Top) },
  { additionalProperties: false },
);
export type ComputeQuery = Static<typeof ComputeQuery>;

const busy = {
  wall_ms: costs.wall_ms,
  busy_ms: Type.Integer({
    description: "Time spent in dispatches during this period, including dispatches that ended later.",
  }),
  dispatches: Type.Integer(),
  compute_microusd: costs.compute_microusd,
  average_in_flight: Type.Number({ description: "`busy_ms` divided by the elapsed time." }),
};

export const ComputeReport = responseObject(
  "ComputeReport",
  {
    project_id: Id,
    from: Timestamp,
    to: Timestamp,
    bucket: Bucket,
    compute_rate_microusd_per_sec: Type.Integer({ description: "The current rate." }),
    ...busy,
    peak_in_flight: Type.Number({ description: "The highest `average_in_flight` of any bucket." }),
    useful_share: nullable(
      Type.Number({
        description: "Share of `wall_ms` in dispatches that completed or started to wait. Null if there were none.",
      }),
    ),
    outcomes: Type.Array(
      Type.Object({
        outcome: oneOf(OUTCOMES),
        wall_ms: Type.Integer(),
        dispatches: Type.Integer(),
        compute_microusd: Microusd,
        reported_microusd: Type.Integer({ description: "Cost reported during these dispatches." }),
      }),
    ),
    jobs: Type.Array(
      Type.Object({
        job_id: Id,
        slug: nullable(Type.String()),
        ...busy,
        longest_ms: Type.Integer({ description: "The longest single dispatch." }),
        max_concurrency: nullable(Type.Integer()),
        utilization: nullable(
          Type.Number({ description: "`average_in_flight` divided by `max_concurrency`. Null if there is no limit." }),
        ),
      }),
    ),
    buckets: Type.Array(Type.Object({ starts_at: Timestamp, ...busy })),
  },
  "Dispatch time of runs, by outcome, with its cost.",
);
export type ComputeReport = Static<typeof ComputeReport>;

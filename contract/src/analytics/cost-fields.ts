import Type from "typebox";
import { EnvironmentRef, JobRef } from "../schema/fields.ts";
import { oneOf } from "../schema/schema.ts";

/** Fields shared by the cost reports. */

/** How a dispatch ended. After `retried…` outcomes the run was tried again. */
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

export const range = (unit: string, from: string, to: string) => ({
  from: Type.Optional(
    Type.String({
      format: "date-time",
      description: `Start of the period, rounded down to a full ${unit}. Default: ${from}.`,
    }),
  ),
  to: Type.Optional(
    Type.String({
      format: "date-time",
      description: `End of the period, rounded up to a full ${unit}. Default: ${to}.`,
    }),
  ),
});

export const filters = {
  environment_id: Type.Optional(EnvironmentRef),
  job_id: Type.Optional(JobRef),
};

export const Top = Type.Integer({
  minimum: 1,
  maximum: 100,
  default: 20,
  description: "Maximum number of entries per group.",
});
export const Bucket = oneOf(["1m", "5m", "1h", "1d"], "Length of one bucket.");

export const Microusd = Type.Integer({ description: "Millionths of a US dollar." });

export const costs = {
  total_microusd: Type.Integer({ description: "Reported cost plus compute cost, in millionths of a US dollar." }),
  reported_microusd: Type.Integer({ description: "Cost reported by runs." }),
  compute_microusd: Type.Integer({ description: "Wall time of dispatches × the project's compute rate." }),
  wall_ms: Type.Integer({ description: "Total time of all dispatches, from claim to end." }),
  dispatches: Type.Integer(),
  reports: Type.Integer({ description: "Number of usage reports." }),
  input_tokens: Type.Integer(),
  output_tokens: Type.Integer(),
};

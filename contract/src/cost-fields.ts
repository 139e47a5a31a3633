import Type from "typebox";
import { EnvironmentRef, JobRef } from "./fields.ts";
import { oneOf } from "./schema.ts";

/** What the reports of costs have in common. */

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

export const range = (unit: string, from: string, to: string) => ({
  from: Type.Optional(
    Type.String({ format: "date-time", description: `Put back to the beginning of its ${unit}. ${from} if absent.` }),
  ),
  to: Type.Optional(
    Type.String({ format: "date-time", description: `Put forward to the end of its ${unit}. ${to} if absent.` }),
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
  description: "How many of each group are named.",
});
export const Bucket = oneOf(["1m", "5m", "1h", "1d"], "How long the time of one point is.");

export const Microusd = Type.Integer({ description: "Millionths of a US dollar." });

export const costs = {
  total_microusd: Type.Integer({ description: "Reported and compute together, in millionths of a US dollar." }),
  reported_microusd: Type.Integer({ description: "What runs have reported to have used." }),
  compute_microusd: Type.Integer({ description: "Wall time of dispatches × the project's rate." }),
  wall_ms: Type.Integer({ description: "From claim to the end of the dispatch, all dispatches together." }),
  dispatches: Type.Integer(),
  reports: Type.Integer({ description: "Reports of usage." }),
  input_tokens: Type.Integer(),
  output_tokens: Type.Integer(),
};

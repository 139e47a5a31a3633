import Type, { type Static } from "typebox";
import { Id, Timestamp } from "../schema/fields.ts";
import { nullable, oneOf, responseObject } from "../schema/schema.ts";
import { filters, range } from "./cost-fields.ts";

export const INSIGHT_RULES = [
  "retry_waste",
  "always_times_out",
  "overlong_timeout",
  "idle_schedule",
  "duplicate_payloads",
] as const;

export const CostInsightsQuery = Type.Object(
  { ...range("day", "30 days ago", "now"), ...filters, rule: Type.Optional(oneOf(INSIGHT_RULES)) },
  { additionalProperties: false },
);
export type CostInsightsQuery = Static<typeof CostInsightsQuery>;

const Insight = Type.Object({
  rule: oneOf(INSIGHT_RULES),
  job_id: Id,
  job_slug: nullable(Type.String()),
  schedule_id: nullable(Id),
  title: Type.String(),
  what_to_change: Type.String(),
  estimated_saving_microusd: Type.Integer({ description: "Over the requested period." }),
  evidence: Type.Record(Type.String(), Type.Union([Type.Number(), Type.String(), Type.Null()]), {
    description: "The numbers behind the insight. `/docs/reference/costs` describes each of them.",
  }),
  sample_run_ids: Type.Array(Id, { description: "Up to five example runs, newest first." }),
});

export const CostInsights = responseObject(
  "CostInsights",
  {
    project_id: Id,
    from: Timestamp,
    to: Timestamp,
    total_microusd: Type.Integer({ description: "The project's cost in this period." }),
    estimated_saving_microusd: Type.Integer({ description: "Sum over all insights." }),
    insights: Type.Array(Insight, { description: "Ordered by saving, largest first." }),
  },
  "Possible savings, derived from the project's own runs.",
);
export type CostInsights = Static<typeof CostInsights>;
export type Insight = Static<typeof Insight>;

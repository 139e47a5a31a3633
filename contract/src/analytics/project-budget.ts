import Type, { type Static } from "typebox";
import { Id, Timestamp } from "../schema/fields.ts";
import { bodyObject, moving, nullable, oneOf, responseObject } from "../schema/schema.ts";

const BUDGET_ACTIONS = ["notify", "block"] as const;

const Action = oneOf(
  BUDGET_ACTIONS,
  "`notify` only sends notifications. `block` also rejects new triggers with 402 `budget_exceeded`, and blocks steps, schedules and retries.",
);

const Amount = Type.Integer({
  minimum: 0,
  maximum: 1_000_000_000_000_000,
  description: "In micro-USD per calendar month (UTC). Null: no budget.",
});

const Thresholds = Type.Array(Type.Integer({ minimum: 1, maximum: 1_000 }), {
  maxItems: 20,
  uniqueItems: true,
  description: "Percentages of the budget. Each one is reported once per period when it is reached.",
});

const Spent = (description: string) => moving(Type.Integer({ description }));

export const ProjectBudget = responseObject(
  "ProjectBudget",
  {
    project_id: Id,
    monthly_budget_microusd: nullable(Amount),
    action: Action,
    thresholds: Type.Array(Type.Integer()),
    period_starts_at: moving(Timestamp),
    period_ends_at: moving(Timestamp),
    settled_microusd: Spent("Spent in this period: compute time and reported cost of ended dispatches."),
    reserved_microusd: Spent("Reserved for runs that have not ended. Only a blocking budget reserves."),
    remaining_microusd: nullable(Spent("Budget minus spent and reserved amounts. Negative if it was exceeded.")),
    raised_thresholds: moving(
      Type.Array(Type.Integer(), { description: "Thresholds that were already reported in this period." }),
    ),
    blocked_at: moving(nullable(Timestamp)),
  },
  "A project's budget and its current state.",
);
export type ProjectBudget = Static<typeof ProjectBudget>;

export const SetProjectBudget = bodyObject(
  "SetProjectBudget",
  {
    monthly_budget_microusd: nullable(Amount),
    action: Type.Optional(Action),
    thresholds: Type.Optional(Thresholds),
  },
  "Sets the budget. Defaults: `action` is `notify`, `thresholds` are 50, 80 and 100.",
);
export type SetProjectBudget = Static<typeof SetProjectBudget>;

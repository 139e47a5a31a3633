import Type, { type Static } from "typebox";
import { Id, Timestamp } from "./fields.ts";
import { answerObject, bodyObject, moving, nullable, oneOf } from "./schema.ts";

const BUDGET_ACTIONS = ["notify", "block"] as const;

const Action = oneOf(
  BUDGET_ACTIONS,
  "`notify` only tells. `block` refuses new triggers with 402 `budget_exceeded`, and holds steps, schedules and retries back.",
);

const Amount = Type.Integer({
  minimum: 0,
  maximum: 1_000_000_000_000_000,
  description: "In micro-USD, for a calendar month (UTC). Null: no budget.",
});

const Thresholds = Type.Array(Type.Integer({ minimum: 1, maximum: 1_000 }), {
  maxItems: 20,
  uniqueItems: true,
  description: "Percents of the budget: reaching one is told once in a period.",
});

const Spent = (description: string) => moving(Type.Integer({ description }));

export const ProjectBudget = answerObject(
  "ProjectBudget",
  {
    project_id: Id,
    monthly_budget_microusd: nullable(Amount),
    action: Action,
    thresholds: Type.Array(Type.Integer()),
    period_starts_at: moving(Timestamp),
    period_ends_at: moving(Timestamp),
    settled_microusd: Spent("What was booked in this period: the time and the reports of dispatches that have ended."),
    reserved_microusd: Spent("Held for runs that have not ended; only a budget that blocks holds any."),
    remaining_microusd: nullable(Spent("Of the budget, without what is reserved. Below 0: it was passed.")),
    raised_thresholds: moving(Type.Array(Type.Integer(), { description: "Those that were told of in this period." })),
    blocked_at: moving(nullable(Timestamp)),
  },
  "The budget of a project and how it stands.",
);
export type ProjectBudget = Static<typeof ProjectBudget>;

export const SetProjectBudget = bodyObject(
  "SetProjectBudget",
  {
    monthly_budget_microusd: nullable(Amount),
    action: Type.Optional(Action),
    thresholds: Type.Optional(Thresholds),
  },
  "The budget to set. Without `action` it only notifies; without `thresholds` they are 50, 80 and 100.",
);
export type SetProjectBudget = Static<typeof SetProjectBudget>;

import Type, { type Static } from "typebox";
import { inWords, paging, Timestamp } from "./fields.ts";
import { answerObject, bodyObject, listOf, named, nullable } from "./schema.ts";

const count = (description: string) => Type.Integer({ minimum: 0, description });

const RunCounts = Type.Object({
  total: count("Runs that ended in this period."),
  completed: count("Of them."),
  failed: count("Of them."),
  timed_out: count("Of them."),
  canceled: count("Of them."),
});

export const UsagePeriod = answerObject(
  "UsagePeriod",
  {
    period_starts_at: Timestamp,
    period_ends_at: Timestamp,
    is_current: Type.Boolean(),
    runs: RunCounts,
    dispatches: count("Attempts that ended in this period."),
    compute_seconds: Type.Number({ description: "Time that dispatches took, exact to the millisecond." }),
    compute_microusd: count("That time at the rate of the project."),
    reported_microusd: count("What runs reported that they cost."),
    cost_microusd: count("Both together."),
    input_tokens: count("As reported."),
    output_tokens: count("As reported."),
    updated_at: nullable(Timestamp),
  },
  "What a project used in one billing period: a calendar month, UTC.",
);
export type UsagePeriod = Static<typeof UsagePeriod>;

export const UsageHistory = listOf("UsageHistory", UsagePeriod);
export const UsageHistoryQuery = Type.Object(paging, { additionalProperties: false });
export type UsageHistoryQuery = Static<typeof UsageHistoryQuery>;

const Email = Type.String({
  minLength: 3,
  maxLength: 254,
  pattern: inWords(
    '^[^\\s@<>,;:"()\\[\\]\\\\]+@[^\\s@<>,;:"()\\[\\]\\\\]+$',
    "must be one e-mail address, without a name",
  ),
  description: "Where it is sent. A member's is that of the token; a key has none of its own.",
});

export const UsageEmailPreferences = answerObject(
  "UsageEmailPreferences",
  {
    monthly_usage_email: Type.Boolean({ description: "Off until it is asked for." }),
    email: nullable(Type.String()),
    is_mail_configured: Type.Boolean({ description: "False: the service has no way to send e-mail." }),
  },
  "Whether the caller wants the monthly usage e-mail.",
);
export type UsageEmailPreferences = Static<typeof UsageEmailPreferences>;

export const SetUsageEmailPreferences = bodyObject(
  "SetUsageEmailPreferences",
  { monthly_usage_email: Type.Boolean(), email: Type.Optional(nullable(Email)) },
  "Whether the caller wants the monthly usage e-mail, and where.",
);
export type SetUsageEmailPreferences = Static<typeof SetUsageEmailPreferences>;

/** Not even the address of its schema: the answer is `{}` to the letter. */
export const Empty = named("Empty", Type.Object({}, { description: "Done; there is nothing to say." }));

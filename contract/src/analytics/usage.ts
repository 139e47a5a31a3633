import Type, { type Static } from "typebox";
import { inWords, paging, Timestamp } from "../schema/fields.ts";
import { bodyObject, listOf, named, nullable, responseObject } from "../schema/schema.ts";

const count = (description: string) => Type.Integer({ minimum: 0, description });

const RunCounts = Type.Object({
  total: count("Runs that ended in this period."),
  completed: count("Runs that completed."),
  failed: count("Runs that failed."),
  timed_out: count("Runs that timed out."),
  canceled: count("Runs that were canceled."),
});

export const UsagePeriod = responseObject(
  "UsagePeriod",
  {
    period_starts_at: Timestamp,
    period_ends_at: Timestamp,
    is_current: Type.Boolean(),
    runs: RunCounts,
    dispatches: count("Attempts that ended in this period."),
    compute_seconds: Type.Number({ description: "Total time of dispatches, with millisecond precision." }),
    compute_microusd: count("Cost of that time at the project's rate."),
    reported_microusd: count("Cost reported by runs."),
    cost_microusd: count("Compute and reported cost together."),
    input_tokens: count("As reported."),
    output_tokens: count("As reported."),
    updated_at: nullable(Timestamp),
  },
  "A project's usage in one billing period, a calendar month in UTC.",
);
export type UsagePeriod = Static<typeof UsagePeriod>;

export const UsageHistory = listOf("UsageHistory", UsagePeriod);
export const UsageHistoryQuery = Type.Object(paging, { additionalProperties: false });
export type UsageHistoryQuery = Static<typeof UsageHistoryQuery>;

export const Email = Type.String({
  minLength: 3,
  maxLength: 254,
  pattern: inWords(
    '^[^\\s@<>,;:"()\\[\\]\\\\]+@[^\\s@<>,;:"()\\[\\]\\\\]+$',
    "must be a single e-mail address without a display name",
  ),
  description: "Address of the e-mail. For members it comes from their token; API keys have none by default.",
});

export const UsageEmailPreferences = responseObject(
  "UsageEmailPreferences",
  {
    monthly_usage_email: Type.Boolean({ description: "Default: false." }),
    email: nullable(Type.String()),
    is_mail_configured: Type.Boolean({ description: "False if the service is not configured to send e-mail." }),
  },
  "Whether the caller receives the monthly usage e-mail.",
);
export type UsageEmailPreferences = Static<typeof UsageEmailPreferences>;

export const SetUsageEmailPreferences = bodyObject(
  "SetUsageEmailPreferences",
  { monthly_usage_email: Type.Boolean(), email: Type.Optional(nullable(Email)) },
  "Turns the monthly usage e-mail of the caller on or off.",
);
export type SetUsageEmailPreferences = Static<typeof SetUsageEmailPreferences>;

/** Without `$schema`: the response is exactly `{}`. */
export const Empty = named("Empty", Type.Object({}, { description: "An empty response." }));

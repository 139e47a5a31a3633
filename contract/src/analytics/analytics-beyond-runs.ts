import Type, { type Static } from "typebox";
import { Id, Timestamp } from "../schema/fields.ts";
import { nullable, oneOf, responseObject } from "../schema/schema.ts";
import { Count, ended, percentiles, periodQuery, reportedPeriod, successRate, Top, timed } from "./analytics.ts";
import { grouped } from "./grouped.ts";

const WorkflowFilter = Type.String({ minLength: 1, maxLength: 63, description: "Workflow id or slug." });

const workflowQuery = {
  ...periodQuery,
  workflow_id: Type.Optional(WorkflowFilter),
  job_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 63,
      description: "Only workflows with a step that runs this job (id or slug).",
    }),
  ),
  limit: Type.Optional(Top),
};

export const WorkflowAnalyticsQuery = Type.Object(workflowQuery, { additionalProperties: false });
export type WorkflowAnalyticsQuery = Static<typeof WorkflowAnalyticsQuery>;

export const WORKFLOW_GROUPS = ["workflow_version"] as const;

export const WorkflowSummaryQuery = Type.Object(
  {
    ...workflowQuery,
    group_by: Type.Optional(oneOf(WORKFLOW_GROUPS, "Also return the values of each group.")),
  },
  { additionalProperties: false },
);
export type WorkflowSummaryQuery = Static<typeof WorkflowSummaryQuery>;

const workflowCounts = {
  started: Count("Workflow runs created in this period that have started."),
  ...ended,
  retried: Count(
    "Number of times runs were retried, regardless of how many steps were reset. A run that ends, is retried and ends again counts as two ended runs.",
  ),
};

const rates = {
  completion_rate: nullable(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description: "Runs that ended, minus retried ones, divided by runs started. Null if none started.",
    }),
  ),
  success_rate: successRate,
};

const workflowMeasures = { ...workflowCounts, ...rates, mean_ms: nullable(Type.Number()), ...percentiles };

export const WorkflowCompletionRates = responseObject(
  "WorkflowCompletionRates",
  {
    ...reportedPeriod,
    data: Type.Array(
      Type.Object({
        workflow_id: Id,
        workflow_slug: nullable(Type.String({ description: "Null if the workflow was deleted." })),
        ...workflowMeasures,
        versions: Type.Array(
          Type.Object({ version_id: Id, version: nullable(Type.Integer()), ...workflowCounts, ...rates }),
        ),
      }),
      { description: "Ordered by number of runs started, highest first." },
    ),
  },
  "Completion and success rates per workflow.",
);
export type WorkflowCompletionRates = Static<typeof WorkflowCompletionRates>;

export const WorkflowSummary = responseObject(
  "WorkflowSummary",
  {
    ...reportedPeriod,
    workflows: Count("Workflows with at least one run that started or ended in this period."),
    total: Type.Object(workflowMeasures),
    buckets: Type.Array(timed({ ...workflowCounts, success_rate: successRate, ...percentiles })),
    grouped: grouped({ ...workflowCounts, success_rate: successRate, ...percentiles }, "number of runs started"),
  },
  "Totals over all workflows.",
);
export type WorkflowSummary = Static<typeof WorkflowSummary>;

const eventCounts = {
  created: Count("Waits for an event or an approval that were created."),
  received: Count("Waits that received their event."),
  timed_out: Count("Waits that timed out."),
  canceled: Count("Waits that were canceled."),
  dispatched: Count("Events received by event sources. They belong to no environment."),
  rejected: Count("Events rejected by their source."),
};

export const EventVolume = responseObject(
  "EventVolume",
  {
    ...reportedPeriod,
    total: Type.Object(eventCounts),
    buckets: Type.Array(timed(eventCounts), { description: "Every bucket of the period, oldest first." }),
  },
  "Event counts over time.",
);
export type EventVolume = Static<typeof EventVolume>;

export const WebhookHealthQuery = Type.Object(
  { ...periodQuery, limit: Type.Optional(Top) },
  { additionalProperties: false },
);
export type WebhookHealthQuery = Static<typeof WebhookHealthQuery>;

const attemptCounts = {
  attempts: Count("Delivery attempts."),
  delivered: Count("Attempts answered with 2xx."),
  refused: Count("Permanent failures: 4xx, 3xx, or an address that is not allowed."),
  retryable: Count("Temporary failures: 5xx, connection error or timeout."),
  lost: Count("Attempts with an unknown outcome: the sending instance stopped responding."),
};
const Health = nullable(
  Type.Number({ minimum: 0, maximum: 1, description: "delivered / attempts. Null if there were no attempts." }),
);

export const WebhookEndpointHealth = responseObject(
  "WebhookEndpointHealth",
  {
    ...reportedPeriod,
    data: Type.Array(
      Type.Object({
        endpoint: Type.String({
          description: "The subscription's URL. For waits with a notify_url: the host, for all waits that use it.",
        }),
        subscription_id: nullable(Id),
        enabled: nullable(
          Type.Boolean({
            description: "Whether the subscription is enabled. Null if it was deleted or there was none.",
          }),
        ),
        ...attemptCounts,
        success_rate: Health,
        mean_ms: nullable(Type.Number()),
        ...percentiles,
        last_failure: nullable(
          Type.Object(
            {
              delivery_id: Id,
              failed_at: Timestamp,
              status_code: nullable(Type.Integer()),
              error: nullable(Type.String()),
            },
            {
              description: "The last delivery in this period that failed permanently, among the project's newest 500.",
            },
          ),
        ),
        buckets: Type.Array(timed({ ...attemptCounts, success_rate: Health, ...percentiles })),
      }),
      { description: "Ordered by number of failures, highest first." },
    ),
  },
  "Health of webhook receivers.",
);
export type WebhookEndpointHealth = Static<typeof WebhookEndpointHealth>;

import Type, { type Static } from "typebox";
import { analyticsTime, answeredTime, Count, ended, percentiles, successRate, Top, timed } from "./analytics.ts";
import { Id, Timestamp } from "./fields.ts";
import { answerObject, nullable } from "./schema.ts";

const WorkflowFilter = Type.String({ minLength: 1, maxLength: 63, description: "Workflow id or slug." });

export const WorkflowAnalyticsQuery = Type.Object(
  {
    ...analyticsTime,
    workflow_id: Type.Optional(WorkflowFilter),
    job_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 63,
        description: "Workflows that have a step of this job, by id or slug.",
      }),
    ),
    limit: Type.Optional(Top),
  },
  { additionalProperties: false },
);
export type WorkflowAnalyticsQuery = Static<typeof WorkflowAnalyticsQuery>;

const workflowCounts = {
  started: Count("Workflow runs that were created in this time and have begun."),
  ...ended,
  retried: Count("How often steps were reset. A run that is retried after its end is counted at each of its ends."),
};

const rates = {
  completion_rate: nullable(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description: "Ends, less those that were retried, by beginnings; null without any.",
    }),
  ),
  success_rate: successRate,
};

const workflowMeasures = { ...workflowCounts, ...rates, mean_ms: nullable(Type.Number()), ...percentiles };

export const WorkflowCompletionRates = answerObject(
  "WorkflowCompletionRates",
  {
    ...answeredTime,
    data: Type.Array(
      Type.Object({
        workflow_id: Id,
        workflow_slug: nullable(Type.String({ description: "Null: the workflow is gone." })),
        ...workflowMeasures,
        versions: Type.Array(
          Type.Object({ version_id: Id, version: nullable(Type.Integer()), ...workflowCounts, ...rates }),
        ),
      }),
      { description: "Those that were started most often first." },
    ),
  },
  "How many runs of each workflow came to an end, and to a good one.",
);
export type WorkflowCompletionRates = Static<typeof WorkflowCompletionRates>;

export const WorkflowSummary = answerObject(
  "WorkflowSummary",
  {
    ...answeredTime,
    workflows: Count("Workflows of which a run began or ended in this time."),
    total: Type.Object(workflowMeasures),
    buckets: Type.Array(timed({ ...workflowCounts, success_rate: successRate, ...percentiles })),
  },
  "All workflows together.",
);
export type WorkflowSummary = Static<typeof WorkflowSummary>;

const eventCounts = {
  created: Count("Waits for an event or an approval that began."),
  received: Count("Waits that ended by their event."),
  timed_out: Count("Waits that ended without it."),
  canceled: Count("Waits that were canceled."),
  dispatched: Count("Events that came to a source. They belong to no environment."),
  rejected: Count("Events that a source refused."),
};

export const EventVolume = answerObject(
  "EventVolume",
  {
    ...answeredTime,
    total: Type.Object(eventCounts),
    buckets: Type.Array(timed(eventCounts), { description: "Every bucket of the time, oldest first." }),
  },
  "Events over time.",
);
export type EventVolume = Static<typeof EventVolume>;

export const WebhookHealthQuery = Type.Object(
  { ...analyticsTime, limit: Type.Optional(Top) },
  { additionalProperties: false },
);
export type WebhookHealthQuery = Static<typeof WebhookHealthQuery>;

const attemptCounts = {
  attempts: Count("Requests that were sent to it."),
  delivered: Count("Taken: 2xx."),
  refused: Count("Refused for good: 4xx, 3xx, an address that may not be reached."),
  to_be_retried: Count("Failed: 5xx, no connection, no answer in time."),
  lost: Count("Nobody knows: the instance that sent it fell silent."),
};
const Health = nullable(
  Type.Number({ minimum: 0, maximum: 1, description: "delivered / attempts; null without any." }),
);

export const WebhookEndpointHealth = answerObject(
  "WebhookEndpointHealth",
  {
    ...answeredTime,
    data: Type.Array(
      Type.Object({
        endpoint: Type.String({
          description: "The URL of a subscription; of waits with a notify_url, the host of all that name it.",
        }),
        subscription_id: nullable(Id),
        enabled: nullable(Type.Boolean({ description: "Of the subscription. Null: it is gone, or there was none." })),
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
              description: "The last delivery of this time that failed for good, among the newest 500 of the project.",
            },
          ),
        ),
        buckets: Type.Array(timed({ ...attemptCounts, success_rate: Health, ...percentiles })),
      }),
      { description: "Those that failed most first." },
    ),
  },
  "How receivers of webhooks answered.",
);
export type WebhookEndpointHealth = Static<typeof WebhookEndpointHealth>;

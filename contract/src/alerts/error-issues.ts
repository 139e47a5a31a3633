import Type, { type Static } from "typebox";
import { Count, timed } from "../analytics/analytics.ts";
import { EnvironmentRef, Id, JobRef, paging, Timestamp } from "../schema/fields.ts";
import { bodyObject, listOf, nullable, oneOf, responseObject } from "../schema/schema.ts";

export const ISSUE_STATUSES = ["open", "resolved", "ignored"] as const;
export const ISSUE_TREND_DAYS = 30;

const issueFields = {
  id: Id,
  project_id: Id,
  status: oneOf(
    ISSUE_STATUSES,
    "`resolved`: the next failure reopens it. `ignored`: it stays so, and alerts do not count it.",
  ),
  assigned_to: nullable(Type.String({ description: "The person or team, as free text." })),
  message: Type.String({ description: "Error message without numbers, names and ids." }),
  code: nullable(Type.String()),
  http_status: nullable(Type.Integer()),
  job_id: Id,
  job_slug: nullable(Type.String()),
  step_ref: nullable(Type.String()),
  environment_id: Id,
  fingerprint: { ...Id, description: "That of the group in `GET /v1/analytics/errors`." },
  sample_run_ids: Type.Array(Id, { description: "The newest runs that the caller may see." }),
  first_seen_at: Timestamp,
  last_seen_at: Timestamp,
  opened_at: nullable({ ...Timestamp, description: "When it was first seen, or last reopened by a failure." }),
  resolved_at: nullable(Timestamp),
  reopened_count: Type.Integer({ description: "How often a failure reopened it." }),
};

const counts = {
  runs: Count("Runs that failed permanently."),
  attempts: Count("Failed attempts, including those that were retried."),
};

const trend = Type.Array(timed(counts), {
  maxItems: ISSUE_TREND_DAYS,
  description: `Days with failures (UTC) of the last ${ISSUE_TREND_DAYS}, oldest first.`,
});

export const ErrorIssue = responseObject(
  "ErrorIssue",
  { ...issueFields, trend },
  "Failures of a job with the same cause.",
);
export type ErrorIssue = Static<typeof ErrorIssue>;
export const ErrorIssueList = listOf("ErrorIssueList", ErrorIssue);

export const ErrorIssueDetail = responseObject(
  "ErrorIssueDetail",
  {
    ...issueFields,
    ...counts,
    versions: Type.Array(
      Type.Object({ job_version_id: Id, version: nullable(Type.Integer()), attempts: counts.attempts }),
      { description: "The versions of the job in which it occurred, newest first." },
    ),
    trend,
  },
  "An error issue with its counts and versions.",
);
export type ErrorIssueDetail = Static<typeof ErrorIssueDetail>;

export const AssignErrorIssue = bodyObject(
  "AssignErrorIssue",
  { assigned_to: nullable(Type.String({ minLength: 1, maxLength: 200, description: "Null: nobody." })) },
  "Who looks after the issue.",
);
export type AssignErrorIssue = Static<typeof AssignErrorIssue>;

export const ErrorIssueRun = responseObject(
  "ErrorIssueRun",
  { id: Id, created_at: Timestamp },
  "A run of an issue in the dead-letter queue. Pass the ids of a page to `POST /v1/runs/bulk-replay`.",
);
export type ErrorIssueRun = Static<typeof ErrorIssueRun>;
export const ErrorIssueRunList = listOf("ErrorIssueRunList", ErrorIssueRun);
export type ErrorIssueRunList = Static<typeof ErrorIssueRunList>;

export const ListErrorIssueRunsQuery = Type.Object(
  { limit: paging.limit, cursor: paging.cursor },
  { additionalProperties: false },
);
export type ListErrorIssueRunsQuery = Static<typeof ListErrorIssueRunsQuery>;

export const ListErrorIssuesQuery = Type.Object(
  {
    ...paging,
    status: Type.Optional(oneOf(ISSUE_STATUSES)),
    job_id: Type.Optional(JobRef),
    environment_id: Type.Optional(EnvironmentRef),
    assigned_to: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  },
  { additionalProperties: false },
);
export type ListErrorIssuesQuery = Static<typeof ListErrorIssuesQuery>;

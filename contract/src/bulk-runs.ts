import Type, { type Static } from "typebox";
import { createdWithin, Id, JobRef, ProjectIdQuery } from "./fields.ts";
import { ListRunsQuery } from "./runs.ts";
import { answerObject, bodyObject, nullable, oneOf } from "./schema.ts";

export const MAX_BULK_RUNS = 100;
const MOST_DEAD_LETTERS = 1_000_000;

const RunIds = Type.Array(Id, { minItems: 1, maxItems: MAX_BULK_RUNS, uniqueItems: true });
const CanceledIds = Type.Array(Id, {
  minItems: 1,
  maxItems: MAX_BULK_RUNS,
  description: "One that is named twice is taken once.",
});
const Reason = Type.String({ minLength: 1, maxLength: 500, description: "Told in the `error` of each run." });
const Failure = nullable(Type.Object({ code: Type.String(), message: Type.String() }));

export const BulkCancelRuns = bodyObject(
  "BulkCancelRuns",
  { project_id: Type.Optional(ProjectIdQuery), run_ids: CanceledIds, reason: Type.Optional(Reason) },
  "Up to 100 runs to cancel.",
);
export type BulkCancelRuns = Static<typeof BulkCancelRuns>;

export const BulkCancelRunsResult = answerObject(
  "BulkCancelRunsResult",
  {
    batch_id: Id,
    results: Type.Array(
      Type.Object({ index: Type.Integer(), run_id: Id, status: oneOf(["canceled", "failed"]), error: Failure }),
    ),
  },
  "What became of each run, in the order they were first named.",
);
export type BulkCancelRunsResult = Static<typeof BulkCancelRunsResult>;

export const BulkReplayRuns = bodyObject(
  "BulkReplayRuns",
  {
    project_id: Type.Optional(ProjectIdQuery),
    run_ids: RunIds,
    dry_run: Type.Optional(Type.Boolean({ description: "Answers what would become of each, and creates nothing." })),
  },
  "Up to 100 ended runs to do again, each as a new run.",
);
export type BulkReplayRuns = Static<typeof BulkReplayRuns>;

export const BulkReplayRunsResult = answerObject(
  "BulkReplayRunsResult",
  {
    dry_run: Type.Boolean(),
    batch_id: nullable({ ...Id, description: "The batch operation that keeps these results; null for a dry run." }),
    results: Type.Array(
      Type.Object({
        index: Type.Integer(),
        run_id: nullable(Id),
        replay_of: Id,
        status: oneOf(["created", "would_create", "failed"], "`would_create`: of a dry run."),
        error: Failure,
      }),
    ),
  },
  "The new run of each, in the order they were sent.",
);
export type BulkReplayRunsResult = Static<typeof BulkReplayRunsResult>;

export const BulkReplayDeadLetters = bodyObject(
  "BulkReplayDeadLetters",
  {
    project_id: Type.Optional(ProjectIdQuery),
    run_ids: Type.Optional(RunIds),
    filter: Type.Optional(
      Type.Object(
        {
          job_id: Type.Optional(JobRef),
          error_contains: Type.Optional(
            Type.String({ minLength: 1, maxLength: 500, description: "In the code or the message, in any case." }),
          ),
          ...createdWithin,
        },
        { additionalProperties: false, description: "Which dead letters; `{}` is all of them." },
      ),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MOST_DEAD_LETTERS, description: "With `filter`: at most so many." }),
    ),
  },
  "Dead letters to do again: by name or by filter.",
);
export type BulkReplayDeadLetters = Static<typeof BulkReplayDeadLetters>;

const { limit: _limit, cursor: _cursor, order: _order, ...runFilters } = ListRunsQuery.properties;

export const BulkCancelAll = bodyObject(
  "BulkCancelAll",
  {
    project_id: Type.Optional(ProjectIdQuery),
    filter: Type.Object(runFilters, {
      additionalProperties: false,
      minProperties: 1,
      description: "As in `GET /v1/runs`. An empty one is refused.",
    }),
    reason: Type.Optional(Reason),
    dry_run: Type.Optional(Type.Boolean({ description: "Answers how many runs it would be, and cancels none." })),
  },
  "Cancels every run that fits the filter and has not ended, except those created after the call.",
);
export type BulkCancelAll = Static<typeof BulkCancelAll>;

export const BulkCancelAllPreview = answerObject(
  "BulkCancelAllPreview",
  {
    dry_run: Type.Boolean(),
    count: nullable(
      Type.Integer({
        description:
          "Runs that fit now, without those below them. Null: too many were looked at to count them in time.",
      }),
    ),
  },
  "How many runs would be canceled.",
);
export type BulkCancelAllPreview = Static<typeof BulkCancelAllPreview>;

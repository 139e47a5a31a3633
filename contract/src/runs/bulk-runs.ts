import Type, { type Static } from "typebox";
import { createdWithin, Id, JobRef, ProjectIdQuery } from "../schema/fields.ts";
import { bodyObject, nullable, oneOf, responseObject } from "../schema/schema.ts";
import { ListRunsQuery } from "./runs.ts";

export const MAX_BULK_RUNS = 100;
const MAX_DEAD_LETTERS = 1_000_000;

const RunIds = Type.Array(Id, { minItems: 1, maxItems: MAX_BULK_RUNS, uniqueItems: true });
const CanceledIds = Type.Array(Id, {
  minItems: 1,
  maxItems: MAX_BULK_RUNS,
  description: "Duplicate ids are processed once.",
});
const Reason = Type.String({ minLength: 1, maxLength: 500, description: "Included in the `error` of each run." });
const Failure = nullable(Type.Object({ code: Type.String(), message: Type.String() }));

export const BulkCancelRuns = bodyObject(
  "BulkCancelRuns",
  { project_id: Type.Optional(ProjectIdQuery), run_ids: CanceledIds, reason: Type.Optional(Reason) },
  "Cancels up to 100 runs.",
);
export type BulkCancelRuns = Static<typeof BulkCancelRuns>;

export const BulkCancelRunsResult = responseObject(
  "BulkCancelRunsResult",
  {
    batch_id: Id,
    results: Type.Array(
      Type.Object({ index: Type.Integer(), run_id: Id, status: oneOf(["canceled", "failed"]), error: Failure }),
    ),
  },
  "The result for each run, in the order of first appearance in the request.",
);
export type BulkCancelRunsResult = Static<typeof BulkCancelRunsResult>;

export const BulkReplayRuns = bodyObject(
  "BulkReplayRuns",
  {
    project_id: Type.Optional(ProjectIdQuery),
    run_ids: RunIds,
    dry_run: Type.Optional(Type.Boolean({ description: "Returns what would happen to each run and creates nothing." })),
  },
  "Replays up to 100 ended runs, each as a new run.",
);
export type BulkReplayRuns = Static<typeof BulkReplayRuns>;

export const BulkReplayRunsResult = responseObject(
  "BulkReplayRunsResult",
  {
    dry_run: Type.Boolean(),
    batch_id: nullable({ ...Id, description: "The batch operation that stores these results. Null for a dry run." }),
    results: Type.Array(
      Type.Object({
        index: Type.Integer(),
        run_id: nullable(Id),
        replay_of: Id,
        status: oneOf(["created", "would_create", "failed"], "`would_create` is returned for dry runs."),
        error: Failure,
      }),
    ),
  },
  "The new run for each item, in request order.",
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
            Type.String({
              minLength: 1,
              maxLength: 500,
              description: "Matches the error code or message, case-insensitive.",
            }),
          ),
          ...createdWithin,
        },
        { additionalProperties: false, description: "Selects dead letters. `{}` selects all of them." },
      ),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_DEAD_LETTERS,
        description: "With `filter`: the maximum number of runs.",
      }),
    ),
  },
  "Replays dead letters, selected by id or by filter.",
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
      description: "Same filters as `GET /v1/runs`. An empty filter is rejected.",
    }),
    reason: Type.Optional(Reason),
    dry_run: Type.Optional(Type.Boolean({ description: "Returns how many runs would be canceled and cancels none." })),
  },
  "Cancels every matching run that has not ended. Runs created after the call are not affected.",
);
export type BulkCancelAll = Static<typeof BulkCancelAll>;

export const BulkCancelAllPreview = responseObject(
  "BulkCancelAllPreview",
  {
    dry_run: Type.Boolean(),
    count: nullable(
      Type.Integer({
        description: "Matching runs, not counting their children. Null if they could not be counted in time.",
      }),
    ),
  },
  "The number of runs that would be canceled.",
);
export type BulkCancelAllPreview = Static<typeof BulkCancelAllPreview>;

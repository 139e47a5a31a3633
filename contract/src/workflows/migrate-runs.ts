import Type, { type Static } from "typebox";
import { Id } from "../schema/fields.ts";
import { bodyObject, nullable, oneOf, responseObject } from "../schema/schema.ts";

export const MAX_MIGRATED_RUNS = 10_000;
export const MAX_MIGRATION_REASONS = 20;

const versionRef = (description: string) =>
  Type.Unsafe<number | string>({
    anyOf: [
      { type: "integer", minimum: 1, maximum: 2_147_483_647 },
      { type: "string", format: "uuid" },
    ],
    description,
  });

export const MigrateRuns = bodyObject(
  "MigrateRuns",
  {
    to_version: versionRef("Number or id of the target version."),
    from_version: Type.Optional(
      versionRef("Only runs of this version (number or id). Default: all versions but the target."),
    ),
    workflow_run_ids: Type.Optional(
      Type.Array(Id, { minItems: 1, maxItems: MAX_MIGRATED_RUNS, uniqueItems: true, description: "Only these runs." }),
    ),
    dry_run: Type.Optional(
      Type.Boolean({ description: "Returns what would happen to the runs and changes nothing. Default: true." }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_MIGRATED_RUNS,
        description: "Maximum number of runs per call. Default: 10,000.",
      }),
    ),
    after: Type.Optional({ ...Id, description: "Continue after this run: `next_after` of the previous response." }),
  },
  "Moves runs in flight to another version of their workflow.",
);
export type MigrateRuns = Static<typeof MigrateRuns>;

export const MIGRATION_OUTCOMES = ["migrated", "would_migrate", "incompatible", "unchanged"] as const;

const MigrationReason = Type.Object({
  step_ref: nullable(Type.String({ description: "Null if the reason concerns the run itself." })),
  code: oneOf(["not_found", "ended", "compensating", "already_there", "other_version", "step_changed", "step_removed"]),
  fields: Type.Array(Type.String(), { description: "For a changed step: the fields that differ." }),
  message: Type.String(),
});

const MigrationResult = Type.Object({
  workflow_run_id: Id,
  status: oneOf(MIGRATION_OUTCOMES),
  from_version: nullable(Type.Integer({ description: "The version before the migration." })),
  added_steps: Type.Array(Type.String(), { description: "Steps of the target version that are new, and pending." }),
  removed_steps: Type.Array(Type.String(), {
    description: "Steps that had not started and are not in the target version.",
  }),
  reasons: Type.Array(MigrationReason, { description: "Why the run was not migrated, at most 20 reasons." }),
});

export const RunsMigration = responseObject(
  "RunsMigration",
  {
    workflow_id: Id,
    to_version: Type.Integer(),
    to_version_id: Id,
    dry_run: Type.Boolean(),
    batch_id: nullable({ ...Id, description: "The batch operation that stores these results. Null for a dry run." }),
    counts: Type.Object(
      Object.fromEntries(MIGRATION_OUTCOMES.map((name) => [name, Type.Integer()])) as Record<
        (typeof MIGRATION_OUTCOMES)[number],
        ReturnType<typeof Type.Integer>
      >,
    ),
    results: Type.Array(MigrationResult),
    next_after: nullable({ ...Id, description: "Pass it as `after` to continue. Null if there are no more runs." }),
  },
  "The result for each run, or the expected result on a dry run.",
);
export type RunsMigration = Static<typeof RunsMigration>;

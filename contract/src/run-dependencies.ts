import Type, { type Static } from "typebox";
import { Id, JobRef, Timestamp } from "./fields.ts";
import { RUN_STATUSES } from "./runs.ts";
import { answerObject, bodyObject, nullable, oneOf } from "./schema.ts";

const MAX_DEPENDENCIES = 100;

const DEPENDENCY_CONDITIONS = ["completed", "ended"] as const;

const Condition = oneOf(
  DEPENDENCY_CONDITIONS,
  "`completed`: the other run must complete. `ended`: it must end, however that may be.",
);

/** In a trigger. */
export const DependsOnRunIds = Type.Array(Id, {
  maxItems: MAX_DEPENDENCIES,
  description: "Runs that must be completed before this one starts. When one fails, this run is canceled.",
});

export const PutJobDependencies = bodyObject(
  "PutJobDependencies",
  {
    dependencies: Type.Array(
      Type.Object(
        {
          job_id: JobRef,
          job_slug: Type.Optional(
            Type.String({ description: "As it was read: the slug of that job, or it is refused." }),
          ),
          condition: Type.Optional(Condition),
        },
        { additionalProperties: false },
      ),
      { maxItems: MAX_DEPENDENCIES },
    ),
  },
  "All jobs whose newest active run a new run of this job waits for. `condition` is `completed` when absent.",
);
export type PutJobDependencies = Static<typeof PutJobDependencies>;

export const JobDependencies = answerObject(
  "JobDependencies",
  {
    job_id: Id,
    dependencies: Type.Array(Type.Object({ job_id: Id, job_slug: Type.String(), condition: Condition })),
  },
  "The jobs whose newest active run a new run of this job waits for.",
);
export type JobDependencies = Static<typeof JobDependencies>;

export const RunDependencyStatus = answerObject(
  "RunDependencyStatus",
  {
    run_id: Id,
    status: oneOf(RUN_STATUSES),
    unblocked: Type.Boolean({
      description: "False while a dependency is open, or when one can no longer be satisfied.",
    }),
    definitions: Type.Array(Type.Object({ job_id: Id, job_slug: Type.String(), condition: Condition }), {
      description: "Of the run's job, as they are now. They hold for runs that are created from now on.",
    }),
    dependencies: Type.Array(
      Type.Object({
        run_id: Id,
        job_id: Id,
        source: oneOf(["run", "job"], "Named in the trigger, or found by a definition of the job."),
        condition: Condition,
        status: nullable(oneOf(RUN_STATUSES, "Null: it was removed before it was seen to end.")),
        state: oneOf(["open", "satisfied", "failed"]),
        settled_at: nullable(Timestamp),
      }),
      { description: "The runs it was told to wait for when it was created." },
    ),
  },
  "What a run waits for, and whether it still does.",
);
export type RunDependencyStatus = Static<typeof RunDependencyStatus>;

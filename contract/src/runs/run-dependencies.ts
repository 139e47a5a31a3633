import Type, { type Static } from "typebox";
import { Id, JobRef, Timestamp } from "../schema/fields.ts";
import { bodyObject, nullable, oneOf, responseObject } from "../schema/schema.ts";
import { RUN_STATUSES } from "./runs.ts";

const MAX_DEPENDENCIES = 100;

const DEPENDENCY_CONDITIONS = ["completed", "ended"] as const;

const Condition = oneOf(
  DEPENDENCY_CONDITIONS,
  "`completed`: the other run must complete. `ended`: it must end, with any status.",
);

/** In a trigger request. */
export const DependsOnRunIds = Type.Array(Id, {
  maxItems: MAX_DEPENDENCIES,
  description: "Runs that must complete before this one starts. If one of them fails, this run is canceled.",
});

export const PutJobDependencies = bodyObject(
  "PutJobDependencies",
  {
    dependencies: Type.Array(
      Type.Object(
        {
          job_id: JobRef,
          job_slug: Type.Optional(
            Type.String({ description: "The slug as returned by `GET`. Rejected if it is not the slug of the job." }),
          ),
          condition: Type.Optional(Condition),
        },
        { additionalProperties: false },
      ),
      { maxItems: MAX_DEPENDENCIES },
    ),
  },
  "Replaces the job's dependencies: a new run waits for the newest active run of each of these jobs. Default for `condition`: `completed`.",
);
export type PutJobDependencies = Static<typeof PutJobDependencies>;

export const JobDependencies = responseObject(
  "JobDependencies",
  {
    job_id: Id,
    dependencies: Type.Array(Type.Object({ job_id: Id, job_slug: Type.String(), condition: Condition })),
  },
  "The jobs whose newest active run a new run of this job waits for.",
);
export type JobDependencies = Static<typeof JobDependencies>;

export const RunDependencyStatus = responseObject(
  "RunDependencyStatus",
  {
    run_id: Id,
    status: oneOf(RUN_STATUSES),
    unblocked: Type.Boolean({
      description: "False while a dependency is open or can no longer be satisfied.",
    }),
    definitions: Type.Array(Type.Object({ job_id: Id, job_slug: Type.String(), condition: Condition }), {
      description: "The current dependencies of the run's job. They apply to runs created from now on.",
    }),
    dependencies: Type.Array(
      Type.Object({
        run_id: Id,
        job_id: Id,
        source: oneOf(["run", "job"], "`run`: named in the trigger. `job`: from the job's dependencies."),
        condition: Condition,
        status: nullable(oneOf(RUN_STATUSES, "Null if the run was deleted before its end was recorded.")),
        state: oneOf(["open", "satisfied", "failed"]),
        settled_at: nullable(Timestamp),
      }),
      { description: "The runs that this run was created to wait for." },
    ),
  },
  "The dependencies of a run, and whether they still block it.",
);
export type RunDependencyStatus = Static<typeof RunDependencyStatus>;

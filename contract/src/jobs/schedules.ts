import Type, { type Static } from "typebox";
import { Run } from "../runs/runs.ts";
import { ActorId, EnvironmentRef, Id, Name, ProjectIdQuery, paging, Timestamp } from "../schema/fields.ts";
import { bodyObject, listOf, moving, named, nullable, oneOf, refTo, responseObject } from "../schema/schema.ts";
import { WorkflowRun } from "../workflows/workflow-runs.ts";

export const OVERLAP_POLICIES = ["allow", "skip", "cancel_running"] as const;

export const CronExpression = Type.String({
  minLength: 1,
  maxLength: 256,
  description:
    "Five fields, six with seconds first, or a macro such as `@hourly`. A time skipped by a daylight-saving change fires at the first instant after it; a repeated hour fires once.",
});

export const Timezone = Type.String({
  minLength: 1,
  maxLength: 64,
  description: "IANA time zone name, such as `Europe/Berlin`.",
});

export const OverlapPolicy = oneOf(
  OVERLAP_POLICIES,
  "What happens at a fire time while a run of the schedule has not ended: `allow` starts another, `skip` starts none, `cancel_running` cancels the active runs first.",
);

const JobRef = Type.String({ minLength: 1, maxLength: 63, description: "Id or slug of a job." });
const WorkflowRef = Type.String({ minLength: 1, maxLength: 63, description: "Id or slug of a workflow." });
const Payload = Type.Unknown({ description: "Payload of every run of the schedule." });
const Environment = nullable({
  ...EnvironmentRef,
  description:
    "Environment of its runs: id or slug, stored as the id. Null: the job's or workflow's environment, or else production.",
});

export const Schedule = responseObject(
  "Schedule",
  {
    id: Id,
    project_id: Id,
    name: nullable(Type.String()),
    job_id: nullable({ ...Id, description: "The job to start. Null if it starts a workflow." }),
    workflow_id: nullable(Id),
    is_default: Type.Boolean({
      description: "True if it was created from the `cron` of the job or workflow, and is changed there.",
    }),
    cron: Type.String(),
    timezone: Type.String(),
    payload: Type.Unknown(),
    overlap_policy: OverlapPolicy,
    environment_id: nullable(Id),
    paused: Type.Boolean(),
    paused_at: nullable(Timestamp),
    next_fire_at: moving(nullable({ ...Timestamp, description: "Null while the schedule is paused." })),
    last_fired_at: moving(nullable({ ...Timestamp, description: "When it last started a run." })),
    last_run_id: moving(nullable({ ...Id, description: "The run or workflow run that it last started." })),
    created_by: Type.String(),
    created_by_id: ActorId,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  "Starts runs of a job or a workflow at the times of a cron expression.",
);
export type Schedule = Static<typeof Schedule>;

export const ScheduleList = listOf("ScheduleList", Schedule);

export const CreateSchedule = bodyObject(
  "CreateSchedule",
  {
    project_id: Type.Optional(ProjectIdQuery),
    name: Type.Optional(nullable(Name)),
    job_id: Type.Optional(JobRef),
    workflow_id: Type.Optional(WorkflowRef),
    cron: CronExpression,
    timezone: Type.Optional(Timezone),
    payload: Type.Optional(Payload),
    overlap_policy: Type.Optional(OverlapPolicy),
    environment_id: Type.Optional(Environment),
    paused: Type.Optional(Type.Boolean({ description: "True: the schedule does not fire until it is resumed." })),
  },
  "Creates a schedule for a job or a workflow. Default for `timezone`: UTC.",
);
export type CreateSchedule = Static<typeof CreateSchedule>;

export const UpdateSchedule = bodyObject(
  "UpdateSchedule",
  {
    name: Type.Optional(nullable(Name)),
    cron: Type.Optional(CronExpression),
    timezone: Type.Optional(Timezone),
    payload: Type.Optional(Payload),
    overlap_policy: Type.Optional(OverlapPolicy),
    environment_id: Type.Optional(Environment),
  },
  "The fields to change. A new `cron` or `timezone` takes effect from now on.",
);
export type UpdateSchedule = Static<typeof UpdateSchedule>;

export const MAX_BACKFILL_FIRES = 1_000;
export const DEFAULT_BACKFILL_FIRES = 100;

export const BackfillSchedule = bodyObject(
  "BackfillSchedule",
  {
    from: { ...Timestamp, description: "Start of the range, inclusive." },
    to: { ...Timestamp, description: "End of the range, exclusive; not in the future." },
    max: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_BACKFILL_FIRES,
        description: `A range with more fire times is rejected. Default: ${DEFAULT_BACKFILL_FIRES}.`,
      }),
    ),
    dry_run: Type.Optional(Type.Boolean({ description: "Lists the fire times and starts nothing." })),
  },
  "Starts a run for each time of the range that has none. Under an `overlap_policy` other than `allow`, one at a time.",
);
export type BackfillSchedule = Static<typeof BackfillSchedule>;

export const ScheduleBackfill = responseObject(
  "ScheduleBackfill",
  {
    schedule_id: Id,
    dry_run: Type.Boolean(),
    batch_id: nullable({
      ...Id,
      description: "The batch operation that starts the runs. Null: none was needed.",
    }),
    total: Type.Integer({ description: "Number of fire times in the range." }),
    fires: Type.Array(
      Type.Object({
        scheduled_for: Timestamp,
        run_id: nullable({ ...Id, description: "The run that this fire time already has. No second one is started." }),
      }),
    ),
  },
  "The times of a backfill, as they were when it was ordered.",
);
export type ScheduleBackfill = Static<typeof ScheduleBackfill>;

export const ListSchedulesQuery = Type.Object(
  {
    ...paging,
    job_id: Type.Optional(JobRef),
    workflow_id: Type.Optional(WorkflowRef),
    paused: Type.Optional(Type.Boolean({ description: "Only paused schedules, or only active ones." })),
  },
  { additionalProperties: false },
);
export type ListSchedulesQuery = Static<typeof ListSchedulesQuery>;

export const MAX_UPCOMING_HOURS = 24 * 31;

export const UpcomingFiresQuery = Type.Object(
  {
    hours: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_UPCOMING_HOURS,
        default: 168,
        description: "Length of the period in hours, starting now.",
      }),
    ),
    schedule_id: Type.Optional({ ...Id, description: "Only this schedule." }),
  },
  { additionalProperties: false },
);
export type UpcomingFiresQuery = Static<typeof UpcomingFiresQuery>;

export const UpcomingFires = responseObject(
  "UpcomingFires",
  {
    from: Timestamp,
    to: Timestamp,
    data: Type.Array(
      Type.Object({
        schedule_id: Id,
        fire_times: Type.Array(Timestamp, { description: "The first 200, oldest first." }),
        has_more: Type.Boolean({ description: "Whether there are more fire times than are listed." }),
      }),
      { description: "The active schedules that fire in this period, soonest first, at most 200." },
    ),
  },
  "When schedules fire next.",
);
export type UpcomingFires = Static<typeof UpcomingFires>;

export const JobSchedule = responseObject(
  "JobSchedule",
  {
    job_id: Id,
    cron: Type.String(),
    timezone: Type.String(),
    paused: Type.Boolean({ description: "True: the schedule does not fire until it is resumed." }),
    next_fire_times: Type.Array(Timestamp, { description: "The next ten fire times." }),
  },
  "The next times at which a job's `cron` fires.",
);
export type JobSchedule = Static<typeof JobSchedule>;

/** The object identifies itself as a `Run` or `WorkflowRun` by its `job_id` or `workflow_id`. */
export const StartedRun = named(
  "StartedRun",
  Type.Unsafe<Run | WorkflowRun>({
    anyOf: [refTo(Run), refTo(WorkflowRun)],
    description: "The started run of a job or a workflow.",
  }),
);
export type StartedRun = Static<typeof StartedRun>;

import Type, { type Static } from "typebox";
import { EnvironmentRef, Id, Name, ProjectIdQuery, paging, Timestamp } from "./fields.ts";
import { Run } from "./runs.ts";
import { answerObject, bodyObject, listOf, moving, named, nullable, oneOf, refTo } from "./schema.ts";
import { WorkflowRun } from "./workflow-runs.ts";

export const OVERLAP_POLICIES = ["allow", "skip", "cancel_running"] as const;

export const CronExpression = Type.String({
  minLength: 1,
  maxLength: 256,
  description:
    "Five fields, six with the seconds first, or a name such as `@hourly`. A time that the clocks jump over fires at the first instant after; an hour that comes twice fires once.",
});

export const Timezone = Type.String({
  minLength: 1,
  maxLength: 64,
  description: "A name of the IANA list, such as `Europe/Berlin`.",
});

export const OverlapPolicy = oneOf(
  OVERLAP_POLICIES,
  "What happens at a time while a run of the schedule has not ended: `allow` starts another, `skip` starts none, `cancel_running` cancels those first.",
);

const JobRef = Type.String({ minLength: 1, maxLength: 63, description: "Id or slug of a job." });
const WorkflowRef = Type.String({ minLength: 1, maxLength: 63, description: "Id or slug of a workflow." });
const Payload = Type.Unknown({ description: "Given to every run of the schedule." });
const Environment = nullable({
  ...EnvironmentRef,
  description: "Where its runs happen: id or slug; the id is kept. Null: as the job or workflow says, else production.",
});

export const Schedule = answerObject(
  "Schedule",
  {
    id: Id,
    project_id: Id,
    name: nullable(Type.String()),
    job_id: nullable({ ...Id, description: "What it starts: a job, or a workflow." }),
    workflow_id: nullable(Id),
    is_default: Type.Boolean({ description: "Made from the job's or workflow's own `cron`, and changed through it." }),
    cron: Type.String(),
    timezone: Type.String(),
    payload: Type.Unknown(),
    overlap_policy: OverlapPolicy,
    environment_id: nullable(Id),
    paused: Type.Boolean(),
    paused_at: nullable(Timestamp),
    next_fire_at: moving(nullable({ ...Timestamp, description: "Null while it is paused." })),
    last_fired_at: moving(nullable({ ...Timestamp, description: "When it last started a run." })),
    last_run_id: moving(nullable({ ...Id, description: "The run, or workflow run, that it last started." })),
    created_by: Type.String(),
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
    paused: Type.Optional(Type.Boolean({ description: "True: it fires nothing until it is resumed." })),
  },
  "A schedule to create, of a job or of a workflow. Without `timezone` it is read in UTC.",
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
  "The fields to change. A new `cron` or `timezone` counts from now.",
);
export type UpdateSchedule = Static<typeof UpdateSchedule>;

export const ListSchedulesQuery = Type.Object(
  {
    ...paging,
    job_id: Type.Optional(JobRef),
    workflow_id: Type.Optional(WorkflowRef),
    paused: Type.Optional(Type.Boolean({ description: "Only those that are paused, or only those that are not." })),
  },
  { additionalProperties: false },
);
export type ListSchedulesQuery = Static<typeof ListSchedulesQuery>;

export const JobSchedule = answerObject(
  "JobSchedule",
  {
    job_id: Id,
    cron: Type.String(),
    timezone: Type.String(),
    paused: Type.Boolean({ description: "True: nothing is fired at these times until it is resumed." }),
    next_fire_times: Type.Array(Timestamp, { description: "The next ten." }),
  },
  "When a job's own `cron` fires next.",
);
export type JobSchedule = Static<typeof JobSchedule>;

/** With `Run` or `WorkflowRun` the object itself says what it is: it has a `job_id` or a `workflow_id`. */
export const StartedRun = named(
  "StartedRun",
  Type.Unsafe<Run | WorkflowRun>({
    anyOf: [refTo(Run), refTo(WorkflowRun)],
    description: "The run of a job, or of a workflow, that was started.",
  }),
);
export type StartedRun = Static<typeof StartedRun>;

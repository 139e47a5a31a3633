import Type, { type Static } from "typebox";
import { EndedById, Id, paging, statusFilter, Timestamp } from "../schema/fields.ts";
import { bodyObject, listOf, nullable, oneOf, responseObject } from "../schema/schema.ts";

/** The steps of a workflow run, map items, and decisions about them. */

export const STEP_RUN_STATUSES = [
  "pending",
  "running",
  "waiting",
  "completed",
  "failed",
  "skipped",
  "canceled",
] as const;

export const STEP_TYPES = ["job", "wait_for_event", "sleep", "approval", "map", "sub_workflow"] as const;

export const MAP_ITEM_STATUSES = ["pending", "running", "completed", "failed", "canceled"] as const;

export const STEP_CAUSES = [
  "condition",
  "dependency",
  "manual",
  "step_failed",
  "workflow_canceled",
  "workflow_timed_out",
] as const;

export const Failure = nullable(
  Type.Object({
    code: Type.String({ description: "Machine-readable error code." }),
    message: Type.String({ description: "Human-readable error message." }),
    by_id: EndedById,
  }),
);

const Cause = Type.Unsafe<(typeof STEP_CAUSES)[number] | null>({
  type: ["string", "null"],
  enum: [...STEP_CAUSES, null],
  description: "Why the step was skipped or canceled.",
});

const COMPENSATION_STATUSES = ["running", "completed", "failed"] as const;

export const compensationFields = {
  compensation_status: Type.Unsafe<(typeof COMPENSATION_STATUSES)[number] | null>({
    type: ["string", "null"],
    enum: [...COMPENSATION_STATUSES, null],
    description: "State of the compensation. Null if it was not started.",
  }),
  compensation_run_id: nullable({ ...Id, description: "The run of `compensate_job_id`." }),
  compensation_error: Failure,
  compensated_at: nullable(Timestamp),
};

export const MAX_MESSAGE_CHARACTERS = 10_000;

export const stepRunFields = {
  id: Id,
  workflow_run_id: Id,
  step_ref: Type.String(),
  type: oneOf(STEP_TYPES),
  status: oneOf(STEP_RUN_STATUSES),
  generation: Type.Integer({
    description: "Increases when the step is reset. Results of older generations are stale.",
  }),
  output: Type.Unknown(),
  error: Failure,
  cause: Cause,
  cause_ref: nullable(Type.String({ description: "The step that caused it." })),
  run_id: nullable(Id),
  event_trigger_id: nullable(Id),
  message: nullable(
    Type.String({
      description: `The approval message, rendered when the step started to wait, cut after ${MAX_MESSAGE_CHARACTERS} characters. Null if there is none or the step has not started.`,
    }),
  ),
  ...compensationFields,
  child_workflow_run_id: nullable({ ...Id, description: "The workflow run that a `sub_workflow` step started." }),
  started_at: nullable(Timestamp),
  finished_at: nullable(Timestamp),
  created_at: Timestamp,
  updated_at: Timestamp,
};

const counted = Object.fromEntries(MAP_ITEM_STATUSES.map((status) => [status, Type.Integer()])) as Record<
  (typeof MAP_ITEM_STATUSES)[number],
  ReturnType<typeof Type.Integer>
>;

export const MapItemCounts = Type.Object(
  { total: Type.Integer(), ...counted },
  {
    description: "For a started `map` step: number of items by status. Only included when a single step is requested.",
  },
);
export type MapItemCounts = Static<typeof MapItemCounts>;

export const StepRun = responseObject(
  "StepRun",
  { ...stepRunFields, items: Type.Optional(MapItemCounts) },
  "A step of a workflow run.",
);
export type StepRun = Static<typeof StepRun>;

export const StepRunList = listOf("StepRunList", StepRun);

export const ListStepsQuery = Type.Object(paging, { additionalProperties: false });
export type ListStepsQuery = Static<typeof ListStepsQuery>;

export const MapItem = responseObject(
  "MapItem",
  {
    workflow_run_id: Id,
    step_ref: Type.String({ description: "`ref[index]`, as in the item's run." }),
    item_index: Type.Integer(),
    generation: Type.Integer({ description: "The step's generation when the item was last scheduled." }),
    status: oneOf(MAP_ITEM_STATUSES),
    item: Type.Unknown(),
    output: Type.Unknown(),
    error: Failure,
    run_id: nullable(Id),
    child_workflow_run_id: nullable(Id),
    started_at: nullable(Timestamp),
    finished_at: nullable(Timestamp),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  "An item of a map step.",
);
export type MapItem = Static<typeof MapItem>;

export const MapItemList = listOf("MapItemList", MapItem);

export const ListMapItemsQuery = Type.Object(
  { ...paging, status: Type.Optional(statusFilter(MAP_ITEM_STATUSES)) },
  { additionalProperties: false },
);
export type ListMapItemsQuery = Static<typeof ListMapItemsQuery>;

export const DecideApproval = bodyObject(
  "DecideApproval",
  {
    comment: Type.Optional(Type.String({ minLength: 1, maxLength: 2_000, description: "Stored with the decision." })),
  },
  "A comment on the decision.",
);
export type DecideApproval = Static<typeof DecideApproval>;

export const SkipStep = bodyObject(
  "SkipStep",
  { reason: Type.Optional(Type.String({ minLength: 1, maxLength: 500, description: "Shown in `explain`." })) },
  "Skips a step.",
);
export type SkipStep = Static<typeof SkipStep>;

import Type, { type Static } from "typebox";
import { EndedById, Id, paging, statusFilter, Timestamp } from "./fields.ts";
import { answerObject, bodyObject, listOf, nullable, oneOf } from "./schema.ts";

/** The steps of a workflow run, the items of its maps, and what is decided about them. */

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
    code: Type.String({ description: "What went wrong, for programs." }),
    message: Type.String({ description: "What went wrong, for people." }),
    by_id: EndedById,
  }),
);

const Cause = Type.Unsafe<(typeof STEP_CAUSES)[number] | null>({
  type: ["string", "null"],
  enum: [...STEP_CAUSES, null],
  description: "Why it was skipped or canceled.",
});

const COMPENSATION_STATUSES = ["running", "completed", "failed"] as const;

export const compensationFields = {
  compensation_status: Type.Unsafe<(typeof COMPENSATION_STATUSES)[number] | null>({
    type: ["string", "null"],
    enum: [...COMPENSATION_STATUSES, null],
    description: "What became of its compensation. Null: it was not started.",
  }),
  compensation_run_id: nullable({ ...Id, description: "The run of its `compensate_job_id`." }),
  compensation_error: Failure,
  compensated_at: nullable(Timestamp),
};

export const MOST_MESSAGE_CHARACTERS = 10_000;

export const stepRunFields = {
  id: Id,
  workflow_run_id: Id,
  step_ref: Type.String(),
  type: oneOf(STEP_TYPES),
  status: oneOf(STEP_RUN_STATUSES),
  generation: Type.Integer({ description: "Rises when the step is reset; what belongs to an older one is stale." }),
  output: Type.Unknown(),
  error: Failure,
  cause: Cause,
  cause_ref: nullable(Type.String({ description: "The step because of which." })),
  run_id: nullable(Id),
  event_trigger_id: nullable(Id),
  message: nullable(
    Type.String({
      description: `What an approval asks, rendered when it began to wait: the first ${MOST_MESSAGE_CHARACTERS} characters. Null: it says nothing, or has not begun.`,
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
    description: "Of a `map` step that has started: how many of its items are where. Only when one step is asked for.",
  },
);
export type MapItemCounts = Static<typeof MapItemCounts>;

export const StepRun = answerObject(
  "StepRun",
  { ...stepRunFields, items: Type.Optional(MapItemCounts) },
  "A step of a workflow run.",
);
export type StepRun = Static<typeof StepRun>;

export const StepRunList = listOf("StepRunList", StepRun);

export const ListStepsQuery = Type.Object(paging, { additionalProperties: false });
export type ListStepsQuery = Static<typeof ListStepsQuery>;

export const MapItem = answerObject(
  "MapItem",
  {
    workflow_run_id: Id,
    step_ref: Type.String({ description: "`ref[index]`, as its run has it." }),
    item_index: Type.Integer(),
    generation: Type.Integer({ description: "Of the step, when the item was last to be started." }),
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
    comment: Type.Optional(
      Type.String({ minLength: 1, maxLength: 2_000, description: "Kept with the decision, for those who read it." }),
    ),
  },
  "What is said with the decision.",
);
export type DecideApproval = Static<typeof DecideApproval>;

export const SkipStep = bodyObject(
  "SkipStep",
  { reason: Type.Optional(Type.String({ minLength: 1, maxLength: 500, description: "Kept in `explain`." })) },
  "Why the step is skipped.",
);
export type SkipStep = Static<typeof SkipStep>;

import Type, { type Static } from "typebox";
import { Id } from "../schema/fields.ts";
import { bodyObject, nullable, oneOf, refTo, responseObject } from "../schema/schema.ts";
import { WORKFLOW_RUN_STATUSES } from "./workflow-runs.ts";
import { MAX_STEPS, StepInput } from "./workflow-steps.ts";

export const MAX_SHADOWED_RUNS = 1_000;
export const MAX_SHADOWED_CAPSULES = 50;
export const MAX_LISTED_DIFFERENCES = 10_000;

const Ids = (max: number, description: string) =>
  Type.Array(Id, { minItems: 1, maxItems: max, uniqueItems: true, description });

export const ShadowWorkflow = bodyObject(
  "ShadowWorkflow",
  {
    version: Type.Optional(
      Type.Unsafe<number | string>({
        anyOf: [
          { type: "integer", minimum: 1, maximum: 2_147_483_647 },
          { type: "string", format: "uuid" },
        ],
        description: "Number or id of the candidate version. Default, unless `steps` is given: the newest version.",
      }),
    ),
    steps: Type.Optional(
      Type.Unsafe<StepInput[]>({
        type: "array",
        minItems: 1,
        maxItems: MAX_STEPS,
        items: refTo(StepInput),
        description: "Unsaved candidate steps. All other settings are those of the current version.",
      }),
    ),
    last: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_SHADOWED_RUNS,
        description: "Number of the workflow's newest ended runs. Default if no ids are given: 100.",
      }),
    ),
    workflow_run_ids: Type.Optional(Ids(MAX_SHADOWED_RUNS, "Ended runs of the workflow to replay instead of `last`.")),
    capsule_ids: Type.Optional(
      Ids(
        MAX_SHADOWED_CAPSULES,
        "Imported runs of any workflow, instead of `last` or together with `workflow_run_ids`.",
      ),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_SHADOWED_RUNS,
        default: 100,
        description: "Maximum number of differing runs to list.",
      }),
    ),
  },
  "A candidate version and the past runs to replay through it.",
);
export type ShadowWorkflow = Static<typeof ShadowWorkflow>;

export const DIFFERENCE_KINDS = [
  "ran_to_skipped",
  "skipped_to_ran",
  "step_added",
  "step_missing",
  "other_outcome",
  "end_status",
] as const;

const count = Type.Integer({ minimum: 0 });
const Counts = Type.Object({
  ran_to_skipped: count,
  skipped_to_ran: count,
  step_added: count,
  step_missing: count,
  other_outcome: count,
  end_status: count,
});

const Difference = Type.Object({
  step_ref: nullable(Type.String({ description: "Null if it concerns the run itself." })),
  kind: oneOf(DIFFERENCE_KINDS),
  was: nullable(Type.String({ description: "The recorded status. Null if the run had no such step." })),
  is: nullable(Type.String({ description: "The status with the candidate. Null if the candidate has no such step." })),
  reason: Type.String({ description: "The reason in one sentence." }),
});
export type ShadowDifference = Static<typeof Difference>;

const Duration = Type.Object(
  { recorded_ms: count, replayed_ms: count, change_ms: Type.Integer() },
  { description: "Length of the longest path of steps, without delays caused by limits." },
);
const Cost = Type.Object({
  recorded_microusd: count,
  replayed_microusd: count,
  change_microusd: Type.Integer(),
});

const ShadowedRun = Type.Object({
  workflow_run_id: Id,
  capsule_id: nullable({ ...Id, description: "Null for a run of this installation." }),
  version: Type.Integer({ description: "The version that the run used." }),
  status: oneOf(WORKFLOW_RUN_STATUSES),
  replayed_status: oneOf(WORKFLOW_RUN_STATUSES),
  differences: Type.Array(Difference),
  assumed: Type.Array(Type.String(), {
    description: "Steps that the candidate would start but that have no recorded outcome.",
  }),
  duration: Duration,
  cost: Cost,
});
export type ShadowedRun = Static<typeof ShadowedRun>;

export const ShadowReport = responseObject(
  "ShadowReport",
  {
    workflow_id: Id,
    version_id: nullable({ ...Id, description: "The candidate's version. Null if it was sent as `steps`." }),
    version: nullable(Type.Integer()),
    runs: Type.Integer({ description: "Number of runs replayed." }),
    differing: Type.Integer({ description: "Number of runs with differences." }),
    counts: { ...Counts, description: "Number of differences by kind." },
    steps: Type.Array(
      Type.Object({
        step_ref: Type.String(),
        ...Counts.properties,
        assumed: { ...count, description: "Runs in which the step was assumed to complete without output." },
      }),
      { description: "Steps with differences or assumptions, ordered by name." },
    ),
    duration: { ...Duration, description: "Summed over all runs." },
    cost: { ...Cost, description: "Summed over all runs." },
    unestimated: Type.Array(Type.String(), {
      description: "Assumed steps that never completed in these runs. They count with zero duration and cost.",
    }),
    results: Type.Array(ShadowedRun, { description: "Runs with differences, newest first, then capsules." }),
    left_out: Type.Integer({
      description: `Number of differing runs that are not listed: beyond \`limit\`, or beyond ${MAX_LISTED_DIFFERENCES} differences in total.`,
    }),
  },
  "What the candidate would have decided differently. Nothing was dispatched or written.",
);
export type ShadowReport = Static<typeof ShadowReport>;

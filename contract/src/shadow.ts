import Type, { type Static } from "typebox";
import { Id } from "./fields.ts";
import { answerObject, bodyObject, nullable, oneOf, refTo } from "./schema.ts";
import { WORKFLOW_RUN_STATUSES } from "./workflow-runs.ts";
import { MAX_STEPS, StepInput } from "./workflow-steps.ts";

export const MOST_SHADOWED_RUNS = 1_000;
export const MOST_SHADOWED_CAPSULES = 50;
export const MOST_LISTED_DIFFERENCES = 10_000;

const Ids = (most: number, description: string) =>
  Type.Array(Id, { minItems: 1, maxItems: most, uniqueItems: true, description });

export const ShadowWorkflow = bodyObject(
  "ShadowWorkflow",
  {
    version: Type.Optional(
      Type.Unsafe<number | string>({
        anyOf: [
          { type: "integer", minimum: 1, maximum: 2_147_483_647 },
          { type: "string", format: "uuid" },
        ],
        description: "Number or id of the candidate. Without it and without `steps`: the newest version.",
      }),
    ),
    steps: Type.Optional(
      Type.Unsafe<StepInput[]>({
        type: "array",
        minItems: 1,
        maxItems: MAX_STEPS,
        items: refTo(StepInput),
        description: "A candidate that is not saved; all else is as in the version that new runs take.",
      }),
    ),
    last: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MOST_SHADOWED_RUNS,
        description: "The newest runs of the workflow that have ended: 100 when neither this nor ids are given.",
      }),
    ),
    workflow_run_ids: Type.Optional(
      Ids(MOST_SHADOWED_RUNS, "In place of `last`: runs of the workflow that have ended."),
    ),
    capsule_ids: Type.Optional(
      Ids(MOST_SHADOWED_CAPSULES, "In place of `last`, or beside `workflow_run_ids`: imported runs, of any workflow."),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MOST_SHADOWED_RUNS,
        default: 100,
        description: "Differing runs to list.",
      }),
    ),
  },
  "A candidate, and the runs to take through it.",
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
  step_ref: nullable(Type.String({ description: "Null: about the run itself." })),
  kind: oneOf(DIFFERENCE_KINDS),
  was: nullable(Type.String({ description: "The status it had; null: the run had no such step." })),
  is: nullable(Type.String({ description: "The status it would have; null: the candidate has no such step." })),
  reason: Type.String({ description: "Why, in a sentence." }),
});
export type ShadowDifference = Static<typeof Difference>;

const Duration = Type.Object(
  { recorded_ms: count, replayed_ms: count, change_ms: Type.Integer() },
  { description: "Length of the longest path of steps, without what limits add." },
);
const Cost = Type.Object({
  recorded_microusd: count,
  replayed_microusd: count,
  change_microusd: Type.Integer(),
});

const ShadowedRun = Type.Object({
  workflow_run_id: Id,
  capsule_id: nullable({ ...Id, description: "Null: a run of this installation." }),
  version: Type.Integer({ description: "The version it ran with." }),
  status: oneOf(WORKFLOW_RUN_STATUSES),
  replayed_status: oneOf(WORKFLOW_RUN_STATUSES),
  differences: Type.Array(Difference),
  assumed: Type.Array(Type.String(), {
    description: "Steps that would start and of which its history does not say how they end.",
  }),
  duration: Duration,
  cost: Cost,
});
export type ShadowedRun = Static<typeof ShadowedRun>;

export const ShadowReport = answerObject(
  "ShadowReport",
  {
    workflow_id: Id,
    version_id: nullable({ ...Id, description: "Of the candidate; null: it was sent as `steps`." }),
    version: nullable(Type.Integer()),
    runs: Type.Integer({ description: "Runs that were replayed." }),
    differing: Type.Integer({ description: "Those among them in which something differs." }),
    counts: { ...Counts, description: "Differences, by kind." },
    steps: Type.Array(
      Type.Object({
        step_ref: Type.String(),
        ...Counts.properties,
        assumed: { ...count, description: "Runs in which it was taken as completed without output." },
      }),
      { description: "Steps about which there is something to tell, by name." },
    ),
    duration: { ...Duration, description: "Summed over all runs." },
    cost: { ...Cost, description: "Summed over all runs." },
    unestimated: Type.Array(Type.String(), {
      description: "Steps that were assumed and never completed in these runs: they count with no time and no cost.",
    }),
    results: Type.Array(ShadowedRun, { description: "Differing runs, newest first, capsules behind them." }),
    left_out: Type.Integer({
      description: `Differing runs that are not listed: beyond \`limit\`, or beyond ${MOST_LISTED_DIFFERENCES} differences in all.`,
    }),
  },
  "What a candidate would have decided otherwise. Nothing was dispatched and nothing was written.",
);
export type ShadowReport = Static<typeof ShadowReport>;

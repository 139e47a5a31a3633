import Type, { type Static, type TSchema } from "typebox";
import { named, nullable, oneOf } from "./schema.ts";
import { STEP_TYPES } from "./step-runs.ts";

export const MAX_STEPS = 500;
export const MAX_ITEMS = 10_000;
export const MAX_PARALLEL_ITEMS = 1_000;
export const ON_FAILURE = ["fail_workflow", "skip_dependents", "continue"] as const;

const text = (description: string) => nullable(Type.String({ description }));
const integer = (description: string) => nullable(Type.Integer({ description }));
const names = (description: string) => Type.Array(Type.String(), { description });

/** Bounds stand in the descriptions: they are judged with all other faults of the steps, so that all are told at once. */
const step_ref = Type.String({
  description:
    'Name of the step, unique in the workflow: 1 to 64 letters, digits, `_` and `-`, a letter or digit first. A name with `-` is written `steps["a-b"]` in conditions.',
});
const type = oneOf(STEP_TYPES, "A step without a type is a job step.");
const common = {
  depends_on: names("The steps that must have ended first."),
  on_failure: oneOf(
    ON_FAILURE,
    "What a failure of the step means: the run fails (default), what depends on it is skipped, or it goes on.",
  ),
  condition: text(
    "CEL over `payload`, `parent_outputs` and `steps.<ref>.status`, asked when all of `depends_on` have ended. False: the step is skipped and counts as done.",
  ),
};

const ofTypes = {
  job_id: Type.String({
    description: "Job step, and `map` over a job: id or slug of the job; the id is kept.",
  }),
  workflow_id: Type.String({
    description: "`sub_workflow`, and `map` over a workflow: id or slug of the workflow; the id is kept.",
  }),
  items: Type.Unknown({
    description:
      "`map`: one template that gives a list, such as `{{payload.orders}}`, or a list with templates. At most 10000 items.",
  }),
  max_parallel: Type.Integer({
    description: "`map`: how many items run at a time, 1 to 1000. Default 10.",
  }),
  tolerate_failures: Type.Unsafe<boolean | number>({
    type: ["boolean", "integer"],
    description:
      "`map`: how many items may fail without failing the step; true: all of them. Default false: none. The output of a failed item is null.",
  }),
  payload: Type.Unknown({
    description:
      "Job step and `sub_workflow`: JSON with templates, laid over the payload of the run. `map`: JSON with templates, which may also read `item` and `index`, taken as it is; `{item, index}` without it.",
  }),
  timeout_secs: integer(
    "Job step: for one attempt, 1 to 86400, as the job says when null. `wait_for_event`: 1 to 31536000, default 3600. `approval`: the same, default 86400.",
  ),
  max_attempts: integer("Job step: 1 to 100; as the job says when null."),
  priority: integer("Job step: −100 to 100; as the job says when null."),
  concurrency_key: text("Job step: template."),
  event_emit_key: text(
    "Job step: template, which may also read `output`. When the step has completed, whoever waits for this key is resumed with its output.",
  ),
  event_emit_buffer_secs: Type.Integer({
    description: "Job step: how long the event is kept when nobody waits, 0 to 604800. Default 0: not at all.",
  }),
  compensate_job_id: text(
    "Job, map or sub-workflow step: id or slug of the job that undoes it. Once the step has completed and the run fails, times out or is canceled, it gets `{input, output}`; of a map that failed or was canceled on its way, of its completed items, the newest first.",
  ),
  event_key: Type.String({ description: "`wait_for_event`: template; 1 to 512 characters when rendered." }),
  notify_url: text("`wait_for_event`: gets a signed webhook when the event arrives."),
  sleep_duration: Type.String({ description: "`sleep`: such as `30s`, `5m`, `1h30m`, `168h`; up to 365 days." }),
  approvers: names(
    "`approval`: who may decide, by the id of a key, the subject of a member, or a name that only one of them has; ids and subjects are kept. Empty: whoever may write workflows.",
  ),
  message: text("`approval`: template, shown to whoever decides."),
};

/** Every step of an answer has all fields of its type and none of another's. */
export const WorkflowStep = named(
  "WorkflowStep",
  Type.Object(
    { step_ref, type, ...common, ...optional(ofTypes) },
    { description: "A step of a workflow, with all fields of its type." },
  ),
);
export type WorkflowStep = Static<typeof WorkflowStep>;

export const StepInput = named(
  "StepInput",
  Type.Object(
    { step_ref, type: Type.Optional(type), ...optional(common), ...optional(ofTypes) },
    { additionalProperties: false, description: "A step as it is sent. A field that is not its type's is refused." },
  ),
);
export type StepInput = Static<typeof StepInput>;

type Optionals<T> = { [K in keyof T]: T[K] extends TSchema ? ReturnType<typeof Type.Optional<T[K]>> : never };

function optional<T extends Record<string, TSchema>>(fields: T): Optionals<T> {
  const entries = Object.entries(fields).map(([name, schema]) => [name, Type.Optional(schema)]);
  return Object.fromEntries(entries) as Optionals<T>;
}

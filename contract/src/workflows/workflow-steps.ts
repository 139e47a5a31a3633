import Type, { type Static, type TSchema } from "typebox";
import { named, nullable, oneOf } from "../schema/schema.ts";
import { STEP_TYPES } from "./step-runs.ts";

export const MAX_STEPS = 500;
export const MAX_ITEMS = 10_000;
export const MAX_PARALLEL_ITEMS = 1_000;
export const ON_FAILURE = ["fail_workflow", "skip_dependents", "continue"] as const;

const text = (description: string) => nullable(Type.String({ description }));
const integer = (description: string) => nullable(Type.Integer({ description }));
const names = (description: string) => Type.Array(Type.String(), { description });

/**
 * Limits are in the descriptions, not the schema: semantic validation checks them, so that all issues of the steps
 * are reported at once.
 */
const step_ref = Type.String({
  description:
    'Name of the step, unique in the workflow: 1 to 64 letters, digits, `_` and `-`, starting with a letter or digit. In conditions, write a name with `-` as `steps["a-b"]`.',
});
const type = oneOf(STEP_TYPES, "Default: a job step.");
const common = {
  depends_on: names("Steps that must end before this one starts."),
  on_failure: oneOf(
    ON_FAILURE,
    "What happens when the step fails: the run fails (default), its dependents are skipped, or the run continues.",
  ),
  condition: text(
    "CEL expression over `payload`, `parent_outputs` and `steps.<ref>.status`, evaluated when all of `depends_on` have ended. If false, the step is skipped and counts as done.",
  ),
};

const ofTypes = {
  job_id: Type.String({
    description: "Job step, and `map` over a job: id or slug of the job, stored as the id.",
  }),
  workflow_id: Type.String({
    description: "`sub_workflow`, and `map` over a workflow: id or slug of the workflow, stored as the id.",
  }),
  items: Type.Unknown({
    description:
      "`map`: a template that yields a list, such as `{{payload.orders}}`, or a list with templates. At most 10,000 items.",
  }),
  max_parallel: Type.Integer({
    description: "`map`: maximum number of items that run at the same time, 1 to 1000. Default: 10.",
  }),
  tolerate_failures: Type.Unsafe<boolean | number>({
    type: ["boolean", "integer"],
    description:
      "`map`: how many items may fail without failing the step; true allows all. Default: false, which allows none. The output of a failed item is null.",
  }),
  payload: Type.Unknown({
    description:
      "Job step and `sub_workflow`: JSON with templates, merged over the payload of the run. `map`: JSON with templates, which can also use `item` and `index`, not merged; default `{item, index}`.",
  }),
  timeout_secs: integer(
    "Job step: timeout of one attempt, 1 to 86400; null uses the job's setting. `wait_for_event`: 1 to 31536000, default 3600. `approval`: the same, default 86400.",
  ),
  max_attempts: integer("Job step: 1 to 100; null uses the job's setting."),
  priority: integer("Job step: −100 to 100; null uses the job's setting."),
  concurrency_key: text("Job step: template."),
  event_emit_key: text(
    "Job step: template, which can also use `output`. When the step completes, an event with this key and the step's output as payload is sent.",
  ),
  event_emit_buffer_secs: Type.Integer({
    description:
      "Job step: how long the event is buffered if nothing is waiting for it, 0 to 604800. Default: 0, not buffered.",
  }),
  compensate_job_id: text(
    "Job, map or sub-workflow step: id or slug of the job that undoes it. If the run fails, times out or is canceled after the step completed, this job gets `{input, output}`. For a map that failed or was canceled before it finished, it gets those of its completed items, newest first.",
  ),
  event_key: Type.String({ description: "`wait_for_event`: template, 1 to 512 characters when rendered." }),
  notify_url: text("`wait_for_event`: URL that receives a signed webhook when the event arrives."),
  sleep_duration: Type.String({
    description: "`sleep`: a duration such as `30s`, `5m`, `1h30m` or `168h`, up to 365 days.",
  }),
  approvers: names(
    "`approval`: who may decide, by API key id, member subject, or an unambiguous name of either; stored as ids and subjects. Empty: everyone with permission to write workflows.",
  ),
  message: text("`approval`: template, shown to the approvers."),
};

/** A step in a response has all fields of its type and none of other types. */
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
    { additionalProperties: false, description: "A step as sent. Fields that do not belong to its type are rejected." },
  ),
);
export type StepInput = Static<typeof StepInput>;

type Optionals<T> = { [K in keyof T]: T[K] extends TSchema ? ReturnType<typeof Type.Optional<T[K]>> : never };

function optional<T extends Record<string, TSchema>>(fields: T): Optionals<T> {
  const entries = Object.entries(fields).map(([name, schema]) => [name, Type.Optional(schema)]);
  return Object.fromEntries(entries) as Optionals<T>;
}

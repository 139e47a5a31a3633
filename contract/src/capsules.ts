import Type, { type Static } from "typebox";
import { Id, paging, Timestamp } from "./fields.ts";
import { answerObject, bodyObject, listOf, nullable, oneOf } from "./schema.ts";
import { STEP_CAUSES, STEP_RUN_STATUSES } from "./step-runs.ts";
import { WORKFLOW_RUN_STATUSES } from "./workflow-runs.ts";
import { MAX_STEPS } from "./workflow-steps.ts";

export const CAPSULE_FORMAT = "millrace.run-capsule";
export const CAPSULE_VERSION = 1;
/** What an export holds of each at most; the oldest lines and the newest rest are left out, and counted. */
export const MOST_CAPSULE_LOGS = 1_000;
export const MOST_CAPSULE_DECISIONS = 2_000;
export const MOST_CAPSULE_ITEMS = 10_000;
export const MOST_CAPSULE_RUNS = 2_000;

const only = <const T extends string | number>(type: string, value: T) => Type.Unsafe<T>({ type, enum: [value] });
const Text = Type.String();
const OptionalTime = nullable(Timestamp);
const Version = Type.Integer({ minimum: 1, maximum: 2_147_483_647 });
const Anything = Type.Object({}, { additionalProperties: true });
const Failure = nullable(Type.Object({ code: Text, message: Text }));
const Cause = Type.Unsafe<(typeof STEP_CAUSES)[number] | null>({
  type: ["string", "null"],
  enum: [...STEP_CAUSES, null],
});

/** What is read again is described; everything else may be there, too, and is kept as it is. */
const Content = Type.Object(
  {
    workflow: Type.Object({ id: Id, slug: Text, name: Text }),
    version: Type.Object({
      id: Id,
      version: Version,
      steps: Type.Array(
        Type.Object({
          step_ref: Text,
          type: Text,
          depends_on: Type.Array(Text, { maxItems: MAX_STEPS }),
          sleep_duration: Type.Optional(Text),
        }),
        { maxItems: MAX_STEPS },
      ),
    }),
    run: Type.Object({
      id: Id,
      version: Version,
      status: oneOf(WORKFLOW_RUN_STATUSES),
      payload: Type.Unknown(),
      started_at: OptionalTime,
      finished_at: OptionalTime,
      created_at: Timestamp,
    }),
    steps: Type.Array(
      Type.Object({
        step_ref: Text,
        type: Text,
        status: oneOf(STEP_RUN_STATUSES),
        output: Type.Unknown(),
        error: Failure,
        cause: Cause,
        run_id: nullable(Id),
        event_trigger_id: nullable(Id),
        started_at: OptionalTime,
        finished_at: OptionalTime,
      }),
      { maxItems: MAX_STEPS },
    ),
    decisions: Type.Array(Anything),
    job_runs: Type.Array(
      Type.Object({
        id: Id,
        cost_microusd: Type.Integer({ minimum: 0, maximum: 1_000_000_000_000 }),
        attempts: Type.Array(Anything),
        transitions: Type.Array(Anything),
      }),
    ),
    map_items: Type.Optional(Type.Array(Anything)),
    logs: Type.Array(Anything),
    events: Type.Array(Anything),
    left_out: Type.Object(
      {
        decisions: Type.Integer({ minimum: 0 }),
        logs: Type.Integer({ minimum: 0 }),
        job_runs: Type.Optional(Type.Integer({ minimum: 0, description: "Runs of items of maps." })),
        map_items: Type.Optional(Type.Integer({ minimum: 0 })),
      },
      { description: "How many are not in the capsule." },
    ),
  },
  { description: "The run whole. Values of fields that are named as secrets are `[redacted]`." },
);

export const RunCapsule = bodyObject(
  "RunCapsule",
  {
    format: only("string", CAPSULE_FORMAT),
    version: only("integer", CAPSULE_VERSION),
    sha256: Type.String({
      description: "Of `content` as canonical JSON (keys sorted, no spaces), in hex.",
    }),
    content: Content,
  },
  "A workflow run in one document, to be looked at and replayed elsewhere.",
);
export type RunCapsule = Static<typeof RunCapsule>;

export const CapsuleSummary = answerObject(
  "CapsuleSummary",
  {
    id: Id,
    project_id: Id,
    environment_id: nullable({ ...Id, description: "Of the key that imported it; null: it was bound to none." }),
    workflow_run_id: { ...Id, description: "Of the run, where it was exported." },
    workflow_id: Id,
    workflow_slug: Type.String(),
    workflow_name: Type.String(),
    version: Type.Integer(),
    status: oneOf(WORKFLOW_RUN_STATUSES),
    sha256: Type.String(),
    size_bytes: Type.Integer(),
    created_by: Type.String(),
    created_at: Timestamp,
  },
  "An imported run. It never changes.",
);
export type CapsuleSummary = Static<typeof CapsuleSummary>;
export const CapsuleList = listOf("CapsuleList", CapsuleSummary);

export const ListCapsulesQuery = Type.Object(paging, { additionalProperties: false });
export type ListCapsulesQuery = Static<typeof ListCapsulesQuery>;

import Type, { type Static } from "typebox";
import { ActorId, Id, paging, Timestamp } from "../schema/fields.ts";
import { bodyObject, listOf, nullable, oneOf, responseObject } from "../schema/schema.ts";
import { STEP_CAUSES, STEP_RUN_STATUSES } from "./step-runs.ts";
import { WORKFLOW_RUN_STATUSES } from "./workflow-runs.ts";
import { MAX_STEPS } from "./workflow-steps.ts";

export const CAPSULE_FORMAT = "millrace.run-capsule";
export const CAPSULE_VERSION = 1;
/** Size limits of an export. The oldest log lines and the newest other records are omitted and counted. */
export const MAX_CAPSULE_LOGS = 1_000;
export const MAX_CAPSULE_DECISIONS = 2_000;
export const MAX_CAPSULE_ITEMS = 10_000;
export const MAX_CAPSULE_RUNS = 2_000;

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

/** Only the fields that are read again are described; other fields are allowed and kept unchanged. */
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
        job_runs: Type.Optional(Type.Integer({ minimum: 0, description: "Runs of map items." })),
        map_items: Type.Optional(Type.Integer({ minimum: 0 })),
      },
      { description: "Number of records omitted from the capsule." },
    ),
  },
  { description: "The full run. Values of fields with secret-like names are replaced with `[redacted]`." },
);

export const RunCapsule = bodyObject(
  "RunCapsule",
  {
    format: only("string", CAPSULE_FORMAT),
    version: only("integer", CAPSULE_VERSION),
    sha256: Type.String({
      description: "SHA-256 of `content` as canonical JSON (sorted keys, no whitespace), hex-encoded.",
    }),
    content: Content,
  },
  "A workflow run exported as one document, to inspect and replay elsewhere.",
);
export type RunCapsule = Static<typeof RunCapsule>;

export const CapsuleSummary = responseObject(
  "CapsuleSummary",
  {
    id: Id,
    project_id: Id,
    environment_id: nullable({
      ...Id,
      description: "Environment of the API key that imported it. Null if the key was not restricted to one.",
    }),
    workflow_run_id: { ...Id, description: "Id of the run in the installation that exported it." },
    workflow_id: Id,
    workflow_slug: Type.String(),
    workflow_name: Type.String(),
    version: Type.Integer(),
    status: oneOf(WORKFLOW_RUN_STATUSES),
    sha256: Type.String(),
    size_bytes: Type.Integer(),
    created_by: Type.String(),
    created_by_id: ActorId,
    created_at: Timestamp,
  },
  "An imported workflow run. Immutable.",
);
export type CapsuleSummary = Static<typeof CapsuleSummary>;
export const CapsuleList = listOf("CapsuleList", CapsuleSummary);

export const ListCapsulesQuery = Type.Object(paging, { additionalProperties: false });
export type ListCapsulesQuery = Static<typeof ListCapsulesQuery>;

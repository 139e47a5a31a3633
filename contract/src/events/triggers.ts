import Type, { type Static } from "typebox";
import { DependsOnRunIds } from "../runs/run-dependencies.ts";
import { ConcurrencyKey, IdempotencyKey, Metadata, Priority, TagsInput } from "../runs/runs.ts";
import { EnvironmentRef, Id, ProjectIdQuery, Timestamp } from "../schema/fields.ts";
import { bodyObject, nullable, oneOf, responseObject } from "../schema/schema.ts";

export const MAX_WAIT_SECS = 60;
export const MAX_BULK_ITEMS = 100;
const MAX_DELAY_SECS = 31_536_000; // one year

const triggerFields = {
  payload: Type.Optional(Type.Unknown({ description: "Payload of the run. Default: `{}`." })),
  metadata: Type.Optional(Metadata),
  tags: Type.Optional(TagsInput),
  priority: Type.Optional(Priority),
  concurrency_key: Type.Optional(ConcurrencyKey),
  idempotency_key: Type.Optional(IdempotencyKey),
  scheduled_at: Type.Optional(Timestamp),
  delay_secs: Type.Optional(Type.Number({ minimum: 0, maximum: MAX_DELAY_SECS })),
  timeout_secs: Type.Optional(Type.Integer({ minimum: 1, maximum: 86_400 })),
  max_attempts: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  environment_id: Type.Optional(EnvironmentRef),
  parent_run_id: Type.Optional(Id),
  depends_on_run_ids: Type.Optional(DependsOnRunIds),
};

const {
  metadata,
  tags,
  priority,
  concurrency_key,
  scheduled_at,
  delay_secs,
  timeout_secs,
  max_attempts,
  environment_id,
} = triggerFields;
/** The options of `millrace.enqueue`. The row's id is the idempotency key. */
export const EnqueueOptions = Type.Object(
  { metadata, tags, priority, concurrency_key, scheduled_at, delay_secs, timeout_secs, max_attempts, environment_id },
  { additionalProperties: false },
);
export type EnqueueOptions = Static<typeof EnqueueOptions>;

const Items = Type.Object(triggerFields, { additionalProperties: false });
export type TriggerItem = Static<typeof Items>;

export const TriggerJob = bodyObject(
  "TriggerJob",
  {
    project_id: Type.Optional(ProjectIdQuery),
    ...triggerFields,
    dry_run: Type.Optional(Type.Boolean({ description: "Validates everything and creates nothing." })),
  },
  "Starts a run, or schedules it with `scheduled_at` or `delay_secs`.",
);
export type TriggerJob = Static<typeof TriggerJob>;

export const TriggerQuery = Type.Object(
  {
    wait_secs: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_WAIT_SECS,
        description: "Responds when the run has ended (200), or with 202 and the current run after this time.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type TriggerQuery = Static<typeof TriggerQuery>;

export const BulkTrigger = bodyObject(
  "BulkTrigger",
  {
    project_id: Type.Optional(ProjectIdQuery),
    items: Type.Array(Items, { minItems: 1, maxItems: MAX_BULK_ITEMS }),
  },
  "Starts up to 100 runs of one job.",
);
export type BulkTrigger = Static<typeof BulkTrigger>;

const BulkItemError = nullable(
  Type.Object({
    code: Type.String(),
    message: Type.String(),
    errors: Type.Array(Type.Object({ location: Type.String(), message: Type.String(), value: Type.Unknown() })),
  }),
);

export const BulkTriggerResult = responseObject(
  "BulkTriggerResult",
  {
    batch_id: Id,
    results: Type.Array(
      Type.Object({
        index: Type.Integer(),
        run_id: nullable(Id),
        status: oneOf(["created", "existing", "failed"]),
        error: BulkItemError,
      }),
    ),
  },
  "The result for each item, in request order.",
);
export type BulkTriggerResult = Static<typeof BulkTriggerResult>;

import Type, { type Static } from "typebox";
import { ActorId, Description, Id, ProjectIdQuery, paging, Slug, Timestamp } from "../schema/fields.ts";
import { bodyObject, listOf, moving, nullable, responseObject } from "../schema/schema.ts";

export const DEFAULT_QUEUE = "default";

const DAY_SECS = 86_400;
const MAX_COUNT = 1_000_000;

export const QueueName = {
  ...Slug,
  description: "Lower-case letters, digits and single hyphens. It cannot be changed.",
};

const settings = {
  description: nullable(Description),
  max_concurrency: nullable(
    Type.Integer({
      minimum: 1,
      maximum: MAX_COUNT,
      description: "Maximum number of runs at the same time, of all jobs of the queue together.",
    }),
  ),
  rate_limit_max: nullable(
    Type.Integer({
      minimum: 1,
      maximum: MAX_COUNT,
      description:
        "Maximum number of starts in any `rate_limit_window_secs`, of all jobs together. Set both or neither.",
    }),
  ),
  rate_limit_window_secs: nullable(
    Type.Integer({ minimum: 1, maximum: DAY_SECS, description: "Window of `rate_limit_max` in seconds." }),
  ),
  weight: Type.Integer({
    minimum: 1,
    maximum: 1000,
    description: "Share of the queue when a worker that serves several queues of the project claims runs.",
  }),
};

/** Settings of a queue that was created with only a name, and of the queue `default`. */
export const QUEUE_DEFAULTS = {
  description: null,
  max_concurrency: null,
  rate_limit_max: null,
  rate_limit_window_secs: null,
  weight: 100,
} as const;

const queueFields = {
  id: Id,
  name: QueueName,
  project_id: Id,
  ...settings,
  paused: Type.Boolean({ description: "While it is paused, triggers are accepted and the runs of its jobs wait." }),
  paused_at: nullable(Timestamp),
  created_by: Type.String(),
  created_by_id: ActorId,
  created_at: Timestamp,
  updated_at: Timestamp,
};

export const Queue = responseObject("Queue", queueFields, "A named queue: limits and a pause that its jobs share.");
export type Queue = Static<typeof Queue>;

const Count = (description: string) => moving(Type.Integer({ minimum: 0, description }));

const loadFields = {
  jobs: Count("Number of jobs in the queue."),
  depth: Count("Runs that are due and have not been claimed, at most 10,000."),
  oldest_age_secs: moving(
    nullable(Type.Number({ minimum: 0, description: "How long the first of them has been due. Null: there is none." })),
  ),
  in_flight: Count("Runs that are claimed and have not ended."),
  workers: Count("Live workers that serve the queue."),
};

export const QueueLoad = responseObject(
  "QueueLoad",
  { ...queueFields, ...loadFields },
  "A queue with its current load.",
);
export type QueueLoad = Static<typeof QueueLoad>;

export const QueueList = listOf("QueueList", QueueLoad);

export const QueueState = responseObject(
  "QueueState",
  {
    ...queueFields,
    ...loadFields,
    started_per_minute: moving(
      Type.Number({ minimum: 0, description: "Runs started in the last five minutes, as an average per minute." }),
    ),
    ended_per_minute: moving(
      Type.Number({ minimum: 0, description: "Runs ended in the last five minutes, as an average per minute." }),
    ),
  },
  "A queue with its current load and throughput.",
);
export type QueueState = Static<typeof QueueState>;

const input = {
  description: Type.Optional(settings.description),
  max_concurrency: Type.Optional(settings.max_concurrency),
  rate_limit_max: Type.Optional(settings.rate_limit_max),
  rate_limit_window_secs: Type.Optional(settings.rate_limit_window_secs),
  weight: Type.Optional({ ...settings.weight, default: QUEUE_DEFAULTS.weight }),
};

export const CreateQueue = bodyObject(
  "CreateQueue",
  {
    project_id: Type.Optional(ProjectIdQuery),
    name: QueueName,
    ...input,
    paused: Type.Optional(Type.Boolean({ default: false })),
  },
  "Creates a queue.",
);
export type CreateQueue = Static<typeof CreateQueue>;

export const UpdateQueue = bodyObject(
  "UpdateQueue",
  { ...input, weight: Type.Optional(settings.weight) },
  "The fields to change. `pause` and `resume` are requests of their own.",
);
export type UpdateQueue = Static<typeof UpdateQueue>;

export const ListQueuesQuery = Type.Object(paging, { additionalProperties: false });
export type ListQueuesQuery = Static<typeof ListQueuesQuery>;

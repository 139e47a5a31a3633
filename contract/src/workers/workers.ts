import Type, { type Static } from "typebox";
import { Id, paging, Timestamp } from "../schema/fields.ts";
import { listOf, moving, nullable, responseObject } from "../schema/schema.ts";
import { QueueName } from "./queues.ts";

/** A worker that has sent no request for so long is no longer listed. */
export const WORKER_GONE_SECS = 60;

export const Worker = responseObject(
  "Worker",
  {
    id: Id,
    worker_id: Type.String({ description: "As the worker sends it." }),
    project_id: Id,
    name: nullable(Type.String()),
    version: nullable(Type.String()),
    labels: Type.Record(Type.String(), Type.String()),
    concurrency: nullable(Type.Integer()),
    queues: nullable(Type.Array(QueueName, { description: "Null: all queues of the project." })),
    jobs: nullable(
      Type.Array(Type.String(), { description: "As the worker names them. Null: all jobs of its queues." }),
    ),
    in_flight: moving(Type.Integer({ description: "Runs that it holds." })),
    api_key_id: nullable({ ...Id, description: "The key it uses." }),
    created_at: Timestamp,
    last_seen_at: moving(Timestamp),
  },
  "A worker that claims runs.",
);
export type Worker = Static<typeof Worker>;

export const WorkerList = listOf("WorkerList", Worker);

export const ListWorkersQuery = Type.Object(
  { ...paging, queue: Type.Optional(QueueName) },
  { additionalProperties: false },
);
export type ListWorkersQuery = Static<typeof ListWorkersQuery>;

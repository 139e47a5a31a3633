import type { StreamChange } from "@millrace/contract/streams";
import type { Ctx, ProjectCtx } from "../../platform/context.ts";
import type { EventStream } from "../../platform/streams/event-stream.ts";
import { type Fed, type FeedKey, openFeed } from "../../platform/streams/feed.ts";
import { type BatchState, readBatches } from "./queries.ts";
import type { Topic } from "./topics.ts";

const LOOK_EVERY_MS = 1_000;
const feed = openFeed<BatchState>({ topic: "batch", read: readFed });

/** How far a batch operation is: told at once and while it moves, at most once a second. */
export function followBatches(ctx: ProjectCtx, stream: EventStream, topics: Topic[]): () => void {
  const batches = topics.filter(({ kind }) => kind === "batch");
  if (batches.length === 0) return () => {};
  const stops = batches.map(({ name, id }) =>
    feed.watch(ctx, { project_id: ctx.project_id, id }, (batch) => {
      if (!batch) return;
      const { project_id: _, id: __, updated_at: at, ...object } = batch;
      stream.send("change", { topics: [name], type: "batch.progress", id, at, object } satisfies StreamChange);
    }),
  );
  const keys = batches.map(({ id }) => ({ project_id: ctx.project_id, id }));
  const timer = setInterval(() => {
    for (const key of keys) feed.lookAt(ctx, key);
  }, LOOK_EVERY_MS).unref();
  return () => {
    clearInterval(timer);
    for (const stop of stops) stop();
  };
}

async function readFed(ctx: Ctx, keys: FeedKey[]): Promise<Fed<BatchState>[]> {
  const batches = await readBatches(ctx, keys);
  return batches.map((value) => {
    const { project_id, id, status, processed, total } = value;
    return { project_id, id, version: `${status} ${processed} ${total}`, value };
  });
}

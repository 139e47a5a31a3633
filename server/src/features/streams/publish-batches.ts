import type { StreamChange } from "@millrace/contract/streams";
import type { ProjectCtx } from "../../platform/context.ts";
import { readBatches } from "./queries.ts";
import type { Topic } from "./topics.ts";

/** The current state of batch operations requested by id. Their changes come from the logs. */
export async function publishBatches(ctx: ProjectCtx, topics: Topic[]): Promise<StreamChange[]> {
  const requested = topics.filter(({ kind }) => kind === "batch");
  const ids = requested.map(({ id }) => id);
  const batches = await readBatches(ctx, ids);
  return batches.map(({ id, updated_at: at, ...object }) => {
    const names = requested.flatMap((topic) => (topic.id === id ? [topic.name] : []));
    return { topics: names, type: "batch.progress", id, at, object };
  });
}

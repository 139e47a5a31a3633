import type { StreamChange } from "@millrace/contract/streams";
import { sql } from "kysely";
import { RUN_PROGRESS_TOPIC } from "../../flow/runs/settle/report-progress.ts";
import type { Ctx, ProjectCtx } from "../../platform/context.ts";
import type { EventStream } from "../../platform/streams/event-stream.ts";
import { type Fed, type FeedKey, openFeed } from "../../platform/streams/feed.ts";
import type { Topic } from "./topics.ts";

type Progress = { percent: number | null; message: string | null; updated_at: string };

const feed = openFeed<Progress | null>({ topic: RUN_PROGRESS_TOPIC, read: readProgress });

/**
 * Streams the progress that runs report. Only the last value counts, so it is sent at once and at each change, but not
 * stored.
 */
export function followProgress(ctx: ProjectCtx, stream: EventStream, topics: Topic[]): () => void {
  const stops = topics.flatMap(({ name, kind, id }) => {
    if (kind !== "run") return [];
    const send = (progress: Progress | null | undefined) => {
      if (!progress) return;
      const { updated_at: at, ...object } = progress;
      stream.send("change", { topics: [name], type: "run.progress", id, at, object } satisfies StreamChange);
    };
    return [feed.watch(ctx, { project_id: ctx.project_id, id }, send)];
  });
  return () => {
    for (const stop of stops) stop();
  };
}

async function readProgress(ctx: Ctx, keys: FeedKey[]): Promise<Fed<Progress | null>[]> {
  const { rows } = await sql<FeedKey & { progress: Progress | null }>`
    select r.project_id, r.id, r.progress
    from json_to_recordset(${JSON.stringify(keys)}::json) as k(project_id uuid, id uuid), lateral (
      select * from runs r where r.project_id = k.project_id and r.id = k.id offset 0
    ) r`.execute(ctx.db);
  return rows.map(({ project_id, id, progress }) => ({
    ...{ project_id, id, version: JSON.stringify(progress), value: progress },
  }));
}

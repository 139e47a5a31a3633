import type { StreamChange, StreamQuery } from "@millrace/contract/deliveries/streams";
import { RUN_PROGRESS_TOPIC } from "../../flow/runs/settle/run-reports.ts";
import type { Ctx, ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import type { EventStream, StreamSource } from "../../platform/streams/event-stream.ts";
import { type Fed, type FeedKey, openFeed } from "../../platform/streams/feed.ts";
import { readStart } from "../../platform/streams/resume-position.ts";
import { formatPosition } from "../../platform/streams/stream-position.ts";
import { followLogs } from "./follow-logs.ts";
import { followTriggers } from "./follow-triggers.ts";
import { readBatches } from "./queries.ts";
import { requireTopics } from "./require-topics.ts";
import { readTopics, type Topic } from "./topics.ts";

/** Objects without a log are sent as they change; a client that reconnects must read them again. */
const NOT_LOGGED: ReadonlySet<Topic["kind"]> = new Set(["events"]);

/**
 * One stream for everything that a browser watches. `open` comes first and has the start position; `reset` names the
 * topics that may have missed changes.
 */
export async function streamTopics(
  ctx: ProjectCtx,
  { topics: requested, last_event_id }: StreamQuery,
  header: string | undefined,
): Promise<StreamSource> {
  const topics = readTopics(requested);
  const seenAs = await requireTopics(ctx, topics);
  // A browser that reconnects by itself sends the newer id in the header, and still has the first one in the URL.
  const lastId = header ?? last_event_id;
  const start = await readStart(ctx, lastId);
  // Read after the start position, so that later changes from the logs are never older than this state.
  const batches = lastId === undefined || start.is_reset ? await publishBatches(ctx, topics) : [];
  return (stream) => {
    stream.send("open", { topics: topics.map(({ name }) => name) }, formatPosition(start.since));
    const missed = lastId === undefined ? [] : topics.filter(({ kind }) => start.is_reset || NOT_LOGGED.has(kind));
    if (missed.length > 0) stream.send("reset", { topics: missed.map(({ name }) => name) });
    for (const batch of batches) stream.send("change", batch);
    const stops = [
      followLogs(seenAs, stream, topics, start),
      followProgress(ctx, stream, topics),
      followTriggers(seenAs, stream, topics),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  };
}

/** The current state of batch operations requested by id. Their changes come from the logs. */
async function publishBatches(ctx: ProjectCtx, topics: Topic[]): Promise<StreamChange[]> {
  const requested = topics.filter(({ kind }) => kind === "batch");
  const ids = requested.map(({ id }) => id);
  const batches = await readBatches(ctx, ids);
  return batches.map(({ id, updated_at: at, ...object }) => {
    const names = requested.flatMap((topic) => (topic.id === id ? [topic.name] : []));
    return { topics: names, type: "batch.progress", id, at, object };
  });
}

type Progress = { percent: number | null; message: string | null; updated_at: string };

const feed = openFeed<Progress | null>({ topic: RUN_PROGRESS_TOPIC, read: readProgress });

/**
 * Streams the progress that runs report. Only the last value counts, so it is sent at once and at each change, but not
 * stored.
 */
function followProgress(ctx: ProjectCtx, stream: EventStream, topics: Topic[]): () => void {
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

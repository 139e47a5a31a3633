import type { StreamQuery } from "@millrace/contract/streams";
import type { ProjectCtx } from "../../platform/context.ts";
import type { StreamSource } from "../../platform/streams/event-stream.ts";
import { readStart } from "../../platform/streams/resume-place.ts";
import { writePlace } from "../../platform/streams/stream-place.ts";
import { followLogs } from "./follow-logs.ts";
import { followProgress } from "./follow-progress.ts";
import { followTriggers } from "./follow-triggers.ts";
import { publishBatches } from "./publish-batches.ts";
import { requireTopics } from "./require-topics.ts";
import { readTopics, type Topic } from "./topics.ts";

/** What is in no log is told as it happens: whoever comes back reads it anew. */
const NOT_LOGGED: ReadonlySet<Topic["kind"]> = new Set(["events"]);

/**
 * One stream for everything that a browser watches. `open` comes first and says where it begins; `reset` says of which
 * topics something may have been missed.
 */
export async function streamTopics(
  ctx: ProjectCtx,
  { topics: asked, last_event_id }: StreamQuery,
  header: string | undefined,
): Promise<StreamSource> {
  const topics = readTopics(asked);
  const seenAs = await requireTopics(ctx, topics);
  // A browser that comes back by itself has the newer one in the header, and its first address still.
  const lastId = header ?? last_event_id;
  const start = await readStart(ctx, lastId);
  // Read behind the start: what the logs say after it is never older.
  const batches = lastId === undefined || start.is_reset ? await publishBatches(ctx, topics) : [];
  return (stream) => {
    stream.send("open", { topics: topics.map(({ name }) => name) }, writePlace(start.since));
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

import type { StreamQuery } from "@millrace/contract/streams";
import type { ProjectCtx } from "../../platform/context.ts";
import type { StreamSource } from "../../platform/streams/event-stream.ts";
import { readStart } from "../../platform/streams/resume-position.ts";
import { formatPosition } from "../../platform/streams/stream-position.ts";
import { followLogs } from "./follow-logs.ts";
import { followProgress } from "./follow-progress.ts";
import { followTriggers } from "./follow-triggers.ts";
import { publishBatches } from "./publish-batches.ts";
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

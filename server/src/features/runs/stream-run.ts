import type { RunLogLine, RunState } from "@millrace/contract/deliveries/streams";
import { RUN_COLUMNS, type RunRow } from "../../flow/runs/run-columns.ts";
import { RUN_PROGRESS_TOPIC } from "../../flow/runs/settle/run-reports.ts";
import { hasEnded } from "../../flow/runs/states.ts";
import type { Ctx, ProjectCtx } from "../../platform/context.ts";
import { sql } from "../../platform/database/sql.ts";
import type { EventStream, StreamSource } from "../../platform/streams/event-stream.ts";
import { type Fed, type FeedKey, openFeed } from "../../platform/streams/feed.ts";
import { followPaced } from "../../platform/streams/follow-paced.ts";
import type { Change } from "../../platform/streams/read-changes.ts";
import { readStart, type StreamStart } from "../../platform/streams/resume-position.ts";
import { formatPosition } from "../../platform/streams/stream-position.ts";
import { getRun } from "./queries.ts";

type State = Omit<RunState, "$schema">;

/** Woken by progress; the log's consumers notify it of transitions. */
const feed = openFeed<State>({ topic: RUN_PROGRESS_TOPIC, read: readStates });

/** Sends `status` with the run at once and at each change, and `log` with each log line, until the run has ended. */
export async function streamRun(ctx: ProjectCtx, id: string, lastId: string | undefined): Promise<StreamSource> {
  const run = await getRun(ctx, id);
  const start = await readStart(ctx, lastId);
  const isOver = run.finished_at !== null && (lastId === undefined || start.is_reset);
  return (stream) => {
    if (start.is_reset) stream.send("reset", {});
    return isOver ? sendOnce(ctx, run, stream) : followRun(ctx, run, stream, start);
  };
}

function sendOnce(ctx: Ctx, { project_id, id }: RunRow, stream: EventStream): () => void {
  return feed.watch(ctx, { project_id, id }, (state) => {
    if (state) stream.send("status", state);
    stream.end();
  });
}

/** Ends when both have reported the end: the run itself, and the log, after the run's last line. */
function followRun(ctx: Ctx, { project_id, id }: RunRow, stream: EventStream, start: StreamStart): () => void {
  // A client that loses the connection before the first line resumes after this cursor and misses none.
  stream.mark(formatPosition(start.since));
  const seen = { end: false, logged: false };
  let ending: NodeJS.Timeout | undefined;
  const end = () => void following.drained().then(stream.end);
  const unwatch = feed.watch(ctx, { project_id, id }, (state) => {
    if (state) stream.send("status", state);
    if (state?.finished_at === null) return;
    seen.end = true;
    if (seen.logged) return end();
    ending ??= setTimeout(end, LOG_TIMEOUT_MS).unref();
  });
  const present = (change: Change) => {
    if (change.object_id !== id) return undefined;
    if (change.kind === "run_log") return { event: "log", data: { run_id: id, ...change.data } as RunLogLine };
    feed.check(ctx, { project_id, id });
    seen.logged ||= hasEnded(String(change.data.status));
    // After everything that was read with it has been sent.
    if (seen.end && seen.logged) setImmediate(end);
    return undefined;
  };
  const following = followPaced(ctx, stream, { project_id, log_run_ids: [id], present }, start);
  return () => {
    clearTimeout(ending);
    unwatch();
    following.stop();
  };
}

const LOG_TIMEOUT_MS = 2_000; // for the log, if an older transaction delays it

async function readStates(ctx: Ctx, keys: FeedKey[]): Promise<Fed<State>[]> {
  const { rows } = await sql<RunRow>`
    select ${RUN_COLUMNS}
    from json_to_recordset(${JSON.stringify(keys)}::json) as k(project_id uuid, id uuid), lateral (
      select * from runs r where r.project_id = k.project_id and r.id = k.id offset 0
    ) r`.execute(ctx.db);
  return rows.map(({ payload: _, metadata: __, ...value }) => {
    const { project_id, id, status, attempt, updated_at } = value;
    return { project_id, id, version: `${status} ${attempt} ${updated_at}`, value };
  });
}

import { WORKFLOW_RUN_TOPIC } from "../../../flow/workflows/workflow-run-changes.ts";
import type { Ctx, ProjectCtx } from "../../../platform/context.ts";
import { sql } from "../../../platform/database/sql.ts";
import type { EventStream, StreamSource } from "../../../platform/streams/event-stream.ts";
import { type Fed, type FeedKey, openFeed } from "../../../platform/streams/feed.ts";
import { paceStream } from "../../../platform/streams/pace-stream.ts";
import { type DecisionFilter, readDecisions } from "./decision-queries.ts";

/** How many decisions there are, and whether there can be more. */
type Extent = { decisions: number; finished_at: string | null };

const feed = openFeed<Extent>({ topic: WORKFLOW_RUN_TOPIC, read: readExtents });

/** Sends `decision` for each past and future decision, until the run has ended. */
export function followDecisions(
  ctx: ProjectCtx,
  run: { id: string; created_at: string },
  filter: DecisionFilter,
): StreamSource {
  return (stream) => {
    const sending = sendSequentially(ctx, stream, async (sent, { decisions }) => {
      const paced = paceStream(stream);
      for await (const page of readDecisions(ctx, run, filter, { after: sent, until: decisions })) {
        paced.push(page.map((data) => ({ event: "decision", data })));
        await paced.drained();
      }
    });
    return feed.watch(ctx, { project_id: ctx.project_id, id: run.id }, sending);
  };
}

/** Sends one batch at a time; updates that arrive meanwhile are merged and sent after it. */
function sendSequentially(ctx: Ctx, stream: EventStream, send: (sent: number, extent: Extent) => Promise<void>) {
  let sent = 0;
  let pending: { extent: Extent | undefined } | undefined;
  let isBusy = false;

  async function sendAll(): Promise<void> {
    for (let next = pending; next; next = pending) {
      pending = undefined;
      if (next.extent) await send(sent, next.extent);
      sent = next.extent?.decisions ?? sent;
      if (!next.extent || next.extent.finished_at !== null) stream.end();
    }
  }

  return (extent: Extent | undefined): void => {
    pending = { extent };
    if (isBusy) return;
    isBusy = true;
    sendAll()
      .catch((error) => {
        // The client reconnects and reads from the beginning.
        ctx.log.debug({ reason: String(error) }, "decisions could not be read");
        stream.end();
      })
      .finally(() => {
        isBusy = false;
      });
  };
}

async function readExtents(ctx: Ctx, keys: FeedKey[]): Promise<Fed<Extent>[]> {
  const { rows } = await sql<FeedKey & Extent>`
    select w.project_id, w.id, w.decisions, w.finished_at
    from json_to_recordset(${JSON.stringify(keys)}::json) as k(project_id uuid, id uuid), lateral (
      select * from workflow_runs w where w.project_id = k.project_id and w.id = k.id
    ) w`.execute(ctx.db);
  return rows.map(({ project_id, id, ...value }) => ({ project_id, id, version: JSON.stringify(value), value }));
}

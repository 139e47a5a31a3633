import type { Ctx } from "../context.ts";
import { followChanges } from "./change-hub.ts";
import type { StateKind } from "./change-slices.ts";
import type { EventStream } from "./event-stream.ts";
import { type PacedEvent, paceStream } from "./pace-stream.ts";
import type { Change } from "./read-changes.ts";
import type { StreamStart } from "./resume-position.ts";
import { formatPosition } from "./stream-position.ts";

const MARK_EVERY_MS = 15_000;

type Followed = {
  project_id: string;
  log_run_ids: string[];
  states?: readonly StateKind[];
  /** The event for a change; undefined: none. */
  present: (change: Change) => Omit<PacedEvent, "id"> | undefined;
};

type Following = { stop: () => void; drained: () => Promise<void> };

/** Sends the client the changes of the logs, as fast as it reads, each with the id for resuming after it. */
export function followPaced(ctx: Ctx, stream: EventStream, followed: Followed, start: StreamStart): Following {
  const paced = paceStream(stream);
  let sentAt = performance.now();
  const { project_id, log_run_ids, states = [], present } = followed;
  const stop = followChanges(
    ctx,
    {
      project_id,
      log_run_ids,
      states,
      take: (changes) => {
        const events = changes.flatMap((change) => {
          const event = present(change);
          return event ? [{ ...event, id: idOf(change) }] : [];
        });
        if (events.length === 0) return;
        sentAt = performance.now();
        paced.push(events);
      },
      // Otherwise a client that receives nothing for an hour would resume with an id that is too old.
      moved: (at) => {
        if (performance.now() - sentAt < MARK_EVERY_MS || !paced.isIdle()) return;
        sentAt = performance.now();
        stream.mark(formatPosition(at));
      },
      failed: stream.cut,
      drained: paced.drained,
    },
    start,
  );
  return { stop, drained: paced.drained };
}

function idOf({ position, ms, log, id, ordinal }: Change): string {
  return formatPosition({ position, ms, inside: { log, id, ordinal } });
}

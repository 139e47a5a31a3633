import { setTimeout as pause } from "node:timers/promises";
import { type ReadStream, readStream } from "../../outside/read-stream.ts";
import { SECRETS } from "../../service/start-service.ts";
import { until } from "../../world/until.ts";

/** What a stream of all runs of a project has received, over all its connections. */
export type FollowedRuns = {
  received: { run_id: string; ordinal: number }[];
  resets: () => number;
  /** The id after which the next connection resumes. */
  lastId: () => string | undefined;
  connections: () => number;
  stop: () => Promise<void>;
};

const AGAIN_MS = 50;
const OPEN_WITHIN_MS = 60_000;

/** Follows the runs of a project like an `EventSource`: a lost connection is resumed after the last id, at any instance. */
export async function followRuns(
  urls: () => string[],
  project_id: string,
  resumeAfter?: string,
): Promise<FollowedRuns> {
  const received: FollowedRuns["received"] = [];
  let lastId = resumeAfter;
  let [isStopped, connections, resets] = [false, 0, 0];
  let open: ReadStream | undefined;

  /** Takes over what has arrived since the last call. */
  function take({ events }: ReadStream): void {
    for (const { id, event, data } of events.splice(0)) {
      if (id !== undefined) lastId = id;
      if (event === "reset") resets++;
      if (event === "change") received.push({ run_id: data.id, ordinal: data.object.ordinal });
    }
  }

  async function connect(): Promise<ReadStream | undefined> {
    const all = urls();
    const url = all[connections % all.length];
    if (url === undefined) return undefined;
    const headers = { "x-internal-secret": SECRETS.INTERNAL_SECRET, ...(lastId && { "last-event-id": lastId }) };
    const stream = await readStream(url, `/v1/stream?topics=runs&project_id=${project_id}`, headers);
    if (stream.status !== 200) throw new Error(`the stream was refused with ${stream.status}`);
    connections++;
    return stream;
  }

  const following = (async () => {
    while (!isStopped) {
      open ??= await connect().catch(() => undefined);
      if (open) take(open);
      if (open?.hasEnded()) open = undefined;
      await pause(AGAIN_MS);
    }
    if (open) take(open);
    open?.close();
  })();
  // What happens before the first id is not followed.
  await until("the stream to be open", OPEN_WITHIN_MS, () => lastId !== undefined && connections > 0);
  return {
    ...{ received, resets: () => resets, lastId: () => lastId, connections: () => connections },
    stop: async () => {
      isStopped = true;
      await following;
    },
  };
}

import { setTimeout as pause } from "node:timers/promises";
import type { Json } from "./json.ts";
import type { Project } from "./project.ts";

const POLL_MS = 300;
const COUNT_POLL_MS = 1_000;
const WITHIN_MS = 20_000;

/** Webhooks are published from the log: waits until the subscription to everything has those of all runs. */
export async function untilPublished(project: Project): Promise<void> {
  const deadline = performance.now() + WITHIN_MS;
  // A build that loses a webhook never gets there; the comparison then shows which.
  while (performance.now() < deadline) {
    const received = new Set(
      project.seen.webhooks.map(
        ({ body }) => `${body.data?.id} ${body.data?.transition?.ordinal ?? body.transition?.ordinal}`,
      ),
    );
    const changes = project.stream.events.filter(({ data }) => data?.type === "run.status");
    const isMissing = ({ data }: Json) => !received.has(`${data.id} ${data.object.ordinal}`);
    if (!changes.some(isMissing) && (await project.list("/v1/webhook-deliveries?status=pending")).length === 0) return;
    await pause(POLL_MS);
  }
}

const SUMS = ["runs/by-trigger", "workflows/summary", "events/volume", "errors"];

/** Sums are updated from the log, and from recounts: waits until all of them include what happened before the call. */
export async function untilCounted(project: Project): Promise<void> {
  const startedAt = Date.now();
  const runs = await project.list("/v1/runs");
  const ended = runs.filter(({ finished_at }) => finished_at !== null).length;
  // A build that counts a run twice, or never, does not get there; the comparison then shows it.
  for (const deadline = startedAt + WITHIN_MS; Date.now() < deadline; await pause(COUNT_POLL_MS)) {
    const { body: usage } = await project.api.get("/v1/usage/current");
    if (usage.runs.total !== ended) continue;
    const sums = await Promise.all(SUMS.map(async (path) => (await project.api.get(`/v1/analytics/${path}`)).body));
    if (sums[0].total === runs.length && sums.every(({ as_of }) => Date.parse(as_of) >= startedAt)) return;
  }
}

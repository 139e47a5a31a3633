import { setTimeout as pause } from "node:timers/promises";
import { compare, type Difference } from "../differential/compare.ts";
import type { Operation } from "../differential/operation.ts";
import { openProject, type Project } from "../differential/project.ts";
import type { Build } from "../differential/start-build.ts";
import { playFreely, untilConsumed } from "./play-freely.ts";
import { recountStream, recountWebhooks } from "./recount-published.ts";
import { recountSearch } from "./recount-search.ts";
import { recountSums } from "./recount-sums.ts";

/** Not 0, and not a divisor of a second: each dispatch is rounded. */
const RATE_MICROUSD_PER_SEC = 7_001;
/** What is late is there by then; what is lost or there twice stays. */
const TRIES = 6;
const AGAIN_MS = 2_000;

let projects = 0;

/**
 * Plays the operations in a project of their own. Returns where the tables, counted from scratch, differ from what the
 * consumers of the changelog have made of them, and how often each status was returned.
 */
export async function playAndRecount(
  build: Build,
  operations: Operation[],
  seed: number,
): Promise<{ differences: Difference[]; statuses: number[] }> {
  const project = await openProject(build, `recount-${process.pid}-${++projects}`, RATE_MICROUSD_PER_SEC);
  try {
    const statuses = await playFreely(project, operations, seed);
    const isErased = operations.some(({ call }, nth) => /^DELETE .*\/data$/.test(call) && (statuses[nth] ?? 0) < 300);
    return { statuses, differences: await recount(project, isErased) };
  } finally {
    project.stream.close();
  }
}

async function recount(project: Project, isErased: boolean): Promise<Difference[]> {
  let found: Difference[] = [];
  for (let tries = 0; tries < TRIES; tries++) {
    if (tries > 0) await pause(AGAIN_MS);
    await untilConsumed(project);
    const [stream, webhooks, sums, search] = await Promise.all([
      ...[
        recountStream(project),
        recountWebhooks(project, isErased),
        recountSums(project, isErased),
        recountSearch(project),
      ],
    ] as const);
    found = compare(
      { stream: stream.tables, webhooks: webhooks.tables, sums: sums.tables, search: search.tables },
      { stream: stream.shown, webhooks: webhooks.shown, sums: sums.shown, search: search.shown },
    );
    if (found.length === 0) break;
  }
  return found;
}

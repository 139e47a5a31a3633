import { setTimeout as pause } from "node:timers/promises";
import { compare, type Difference } from "../differential/compare.ts";
import type { Operation } from "../differential/operation.ts";
import { openProject, type Project } from "../differential/project.ts";
import type { Build } from "../differential/start-build.ts";
import { playFreely, untilConsumed } from "./play-freely.ts";
import { type Compared, recountStream, recountWebhooks } from "./recount-published.ts";
import { recountSearch } from "./recount-search.ts";
import { recountSums } from "./recount-sums.ts";

/** Not 0, and not a divisor of a second: each dispatch is rounded. */
const RATE_MICROUSD_PER_SEC = 7_001;
/** What is late is there by then; what is lost or there twice stays. */
const AGAIN_MS = [200, 800, 2_000, 3_000, 4_000];

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

/** What is still late is recounted by itself: the sums, say, are not counted again because a request was slow. */
async function recount(project: Project, isErased: boolean): Promise<Difference[]> {
  const parts = new Map<string, () => Promise<Compared>>([
    ["stream", () => recountStream(project)],
    ["webhooks", () => recountWebhooks(project, isErased)],
    ["sums", () => recountSums(project, isErased)],
    ["search", () => recountSearch(project)],
  ]);
  const found = new Map<string, Difference[]>();
  for (const pauseMs of [0, ...AGAIN_MS]) {
    await pause(pauseMs);
    await untilConsumed(project);
    for (const [name, recountPart] of parts) {
      const { tables, shown } = await recountPart();
      found.set(name, compare({ [name]: tables }, { [name]: shown }));
      if (found.get(name)?.length === 0) parts.delete(name);
    }
    if (parts.size === 0) break;
  }
  return [...found.values()].flat();
}

/**
 * The shortest path from a job back to itself, as a list of jobs that begins and ends with it. Undefined: there is
 * none. Pure: `edges` lists the dependencies of each job.
 */
export function findCycle(start: string, edges: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
    for (const next of edges.get(job) ?? []) {
      if (next === start) return wayBack(start, job, cameFrom);
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, job);
      queue.push(next);
    }
  }
  return undefined;
}

function wayBack(start: string, last: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const path = [start];
  for (let job: string | undefined = last; job !== undefined && job !== start; job = cameFrom.get(job))
    path.unshift(job);
  return [start, ...path];
}

import { compare, type Difference, printDifferences } from "./compare.ts";
import type { Json } from "./json.ts";
import { type Operation, printOperation } from "./operation.ts";
import { play } from "./play.ts";
import { openProject } from "./project.ts";
import { untilCounted, untilPublished } from "./published.ts";
import { randomSequence } from "./random-sequence.ts";
import { readSnapshot } from "./snapshot.ts";
import type { Build } from "./start-build.ts";

export type Builds = { baseline: Build; current: Build };
type Reduced = { operations: Operation[]; differences: Difference[]; isRepeatable: boolean };
type Found = Reduced & { seed: number };
type Summary = { sequences: number; operations: number; found: Found[] };

const PREFIXES_AT_ONCE = 5;
const REPORT_EVERY = 100;

let projects = 0;

/**
 * Runs one sequence for each seed, some at once. Those that differ are reduced to their shortest prefix, and printed.
 */
export async function runSequences(builds: Builds, seeds: number[], concurrency: number): Promise<Summary> {
  const found: Found[] = [];
  const left = [...seeds];
  let operations = 0;
  let done = 0;
  async function work(): Promise<void> {
    for (let seed = left.shift(); seed !== undefined; seed = left.shift()) {
      const sequence = randomSequence(seed);
      operations += sequence.length;
      const differences = await differencesOf(builds, sequence);
      if (++done % REPORT_EVERY === 0) console.info(`${done} sequences`);
      if (differences.length === 0) continue;
      const reduced = { seed, ...(await reduce(builds, sequence, differences)) };
      console.info(printFound(reduced));
      found.push(reduced);
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work));
  return { sequences: seeds.length, operations, found };
}

/** The shortest prefix that differs when it is run again. If none does, the difference depends on timing. */
export async function reduce(builds: Builds, sequence: Operation[], first: Difference[]): Promise<Reduced> {
  const isRepeatable = (await differencesOf(builds, sequence)).length > 0;
  const lengths = isRepeatable ? sequence.map((_, nth) => nth + 1).slice(0, -1) : [];
  while (lengths.length > 0) {
    const prefixes = lengths.splice(0, PREFIXES_AT_ONCE).map((length) => sequence.slice(0, length));
    const found = await Promise.all(prefixes.map((prefix) => differencesOf(builds, prefix)));
    const nth = found.findIndex((differences) => differences.length > 0);
    if (nth >= 0) return { operations: prefixes[nth] ?? [], differences: found[nth] ?? [], isRepeatable };
  }
  return { operations: sequence, differences: first, isRepeatable };
}

/** The differences after one sequence, each build in a project of its own. */
export async function differencesOf({ baseline, current }: Builds, operations: Operation[]): Promise<Difference[]> {
  const slug = `sequence-${++projects}`;
  const [before, after] = await Promise.all([baseline, current].map((build) => snapshotOf(build, slug, operations)));
  return compare(before, after);
}

async function snapshotOf(build: Build, slug: string, operations: Operation[]): Promise<Json> {
  const project = await openProject(build, slug);
  try {
    const responses = await play(project, operations);
    await untilPublished(project);
    await untilCounted(project);
    return await readSnapshot(project, responses);
  } catch (error) {
    return { failed: `${build.name}: ${error}` }; // a difference, even if both fail
  } finally {
    project.stream.close();
  }
}

function printFound({ seed, operations, differences, isRepeatable }: Found): string {
  const steps = operations.map((operation, nth) => `  ${nth + 1}. ${printOperation(operation)}`);
  const title = isRepeatable ? `seed ${seed}, ${operations.length} operations` : `seed ${seed}, not repeatable`;
  return [`── ${title}`, ...steps, printDifferences(differences)].join("\n");
}

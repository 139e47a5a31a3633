import { readRollups } from "../rollups/read-rollups.ts";
import type { Read, Sums } from "../rollups/rollup-rows.ts";
import type { Reader } from "./open-reader.ts";

type WholeSplit = "all" | "trigger" | "wait";

const OF_JOBS = { all: "job", trigger: "job_trigger", wait: "job_wait" } as const;

/** Sums over all jobs. With a filter or restricted access, sums over the rows of each visible job. */
export function readRuns(
  reader: Reader<"runs">,
  { split, ...read }: Omit<Read<"runs">, "split"> & { split: WholeSplit },
): Promise<Sums<"runs">[]> {
  const isOfJobs = reader.isRestricted || read.subject_ids !== undefined;
  return readRollups(reader, { ...read, split: isOfJobs ? OF_JOBS[split] : split });
}

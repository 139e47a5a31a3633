import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Job } from "@millrace/contract/jobs/jobs";
import type { Workflow } from "@millrace/contract/workflows/workflows";
import { takeRows } from "../api/take-rows.ts";
import type { Cli } from "../cli.ts";
import { plural } from "../output/plural.ts";

type Named = Pick<Job | Workflow, "slug" | "payload_schema">;
export type Described = { jobs: readonly Named[]; workflows: readonly Named[] };

const MAX_OBJECTS = 10_000;

/** In the order of the names, so that what is generated changes only where the project did. */
export async function readDescribed(cli: Cli): Promise<Described> {
  const { rows: jobs } = await takeRows<Job>(cli, "/v1/jobs", {}, MAX_OBJECTS);
  const { rows: workflows } = await takeRows<Workflow>(cli, "/v1/workflows", {}, MAX_OBJECTS);
  const byName = (a: Named, b: Named) => (a.slug < b.slug ? -1 : 1);
  return { jobs: jobs.toSorted(byName), workflows: workflows.toSorted(byName) };
}

/** Writes a generated module, or prints it. */
export function writeModule(cli: Cli, out: string | undefined, { jobs, workflows }: Described, module: string): void {
  if (out === undefined) return void cli.write(module);
  writeFileSync(resolve(cli.cwd, out), module);
  cli.say(`${out} has ${plural(jobs.length, "job")} and ${plural(workflows.length, "workflow")}.`);
}

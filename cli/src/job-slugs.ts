import { NotFoundError } from "@millrace/sdk";
import type { Cli } from "./cli.ts";
import { CommandError } from "./command-error.ts";
import { didYouMean } from "./did-you-mean.ts";
import { takeRows } from "./take-rows.ts";

const MAX_SLUGS = 500;

/** Runs a request for a job. If the job does not exist, the error suggests similar slugs. */
export async function withJob<T>(cli: Cli, job: string, act: (path: string) => Promise<T>): Promise<T> {
  try {
    return await act(`/v1/jobs/${encodeURIComponent(job)}`);
  } catch (error) {
    if (error instanceof NotFoundError) throw await noSuchJob(cli, job, error);
    throw error;
  }
}

async function noSuchJob(cli: Cli, job: string, error: NotFoundError): Promise<CommandError> {
  const slugs = await takeRows<{ slug: string }>(cli, "/v1/jobs", {}, MAX_SLUGS)
    .then(({ rows }) => rows.map(({ slug }) => slug))
    .catch(() => []); // a key without permission to list jobs gets no suggestions
  const near = didYouMean(job, slugs);
  return new CommandError("not_found", `Job "${job}" does not exist.`, [
    ...(near.length > 0 ? [`Did you mean ${near.join(", ")}?`] : ["Run `millrace jobs list` to see all jobs."]),
    `${error.code} (${error.status})${error.requestId === undefined ? "" : ` · request ${error.requestId}`}`,
  ]);
}

/** Looks up job slugs by id, each only once. */
export function jobNames(cli: Cli): (jobId: string) => Promise<string> {
  const known = new Map<string, Promise<string>>();
  return (jobId) => {
    const name =
      known.get(jobId) ??
      cli
        .client()
        .request<{ slug: string }>("GET", `/v1/jobs/${jobId}`)
        .then(({ slug }) => slug)
        .catch(() => jobId);
    known.set(jobId, name);
    return name;
  };
}

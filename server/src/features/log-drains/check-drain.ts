import type { CreateLogDrain, UpdateLogDrain } from "@millrace/contract/log-drains";
import type { ProblemError } from "@millrace/contract/problem";
import { readAskedEnvironment } from "../../platform/access/asked-environment.ts";
import type { Config } from "../../platform/config.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { Refusal } from "../../platform/errors.ts";
import { checkOutgoingUrl } from "../../platform/outgoing/check-url.ts";
import { refuseFaults } from "../../platform/refuse-faults.ts";
import { authFaults } from "./credentials.ts";
import { findJobs } from "./queries.ts";

type Body = CreateLogDrain | UpdateLogDrain;

/** Refuses what the schema of the body cannot tell, all faults at once; answers the ids behind slugs. */
export async function checkDrain(ctx: ProjectCtx, body: Body) {
  const found = body.job_ids ? await findJobs(ctx, body.job_ids) : undefined;
  refuseFaults([...drainFaults(body, ctx), ...jobFaults(body, found)]);
  return { job_ids: body.job_ids?.map((ref) => found?.get(ref) ?? ref) ?? null };
}

/** What can be told without asking anybody. Only what is given is looked at. */
export function drainFaults({ url, auth }: Partial<Body>, { config }: { config: Config }): ProblemError[] {
  return [...(url === undefined ? [] : urlFaults(config, url)), ...(auth ? authFaults(auth) : [])];
}

/** A key that is bound to an environment drains that one alone. */
export async function chooseEnvironment(ctx: ProjectCtx, asked: string | null | undefined): Promise<string | null> {
  const chosen = await readAskedEnvironment(ctx, asked ?? undefined, "body");
  if (asked !== null || chosen === null) return chosen;
  throw new Refusal("forbidden", "This key is bound to one environment: its drains take the lines from there.");
}

function urlFaults(config: Config, url: string): ProblemError[] {
  const checked = checkOutgoingUrl(url, config.private_endpoints);
  return checked.ok ? [] : [{ location: "body.url", message: checked.reason, value: url }];
}

function jobFaults({ job_ids }: Body, found: ReadonlyMap<string, string> | undefined): ProblemError[] {
  if (!job_ids) return [];
  return job_ids.flatMap((ref, index) =>
    found?.has(ref)
      ? []
      : [{ location: `body.job_ids[${index}]`, message: "names no job of this project", value: ref }],
  );
}

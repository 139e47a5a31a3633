import type { CreateLogDrain, LogDrain, UpdateLogDrain } from "@millrace/contract/deliveries/log-drains";
import type { ProblemError } from "@millrace/contract/schema/problem";
import { readRequestedEnvironment } from "../../platform/access/environments.ts";
import type { ProjectCtx } from "../../platform/context.ts";
import { ApiError } from "../../platform/errors/errors.ts";
import { throwIssues } from "../../platform/errors/issues.ts";
import { checkOutgoingUrl } from "../../platform/outgoing/check-url.ts";
import type { Config } from "../../platform/settings/config.ts";
import { authIssues } from "./credentials.ts";
import { findJobs } from "./queries.ts";

type Body = CreateLogDrain | UpdateLogDrain;

/** Semantic validation that reports all issues at once; returns the ids for slugs. */
export async function checkDrain(ctx: ProjectCtx, body: Body, signal: LogDrain["signal"] = "logs") {
  const found = body.job_ids ? await findJobs(ctx, body.job_ids) : undefined;
  throwIssues([...drainIssues(body, ctx), ...signalIssues(body, signal), ...jobIssues(body, found)]);
  return { job_ids: body.job_ids?.map((ref) => found?.get(ref) ?? ref) ?? null };
}

/** Issues that can be found without the database. Checks only the given fields. */
export function drainIssues({ url, auth }: Partial<Body>, { config }: { config: Config }): ProblemError[] {
  return [...(url === undefined ? [] : urlIssues(config, url)), ...(auth ? authIssues(auth) : [])];
}

/** Formats and levels are of logs; the other signals have one form. */
function signalIssues({ format, min_level }: Body, signal: LogDrain["signal"]): ProblemError[] {
  if (signal === "logs") return [];
  const isOther = format !== undefined && format !== "otlp";
  return [
    ...(isOther ? [{ location: "body.format", message: `must be otlp for ${signal}`, value: format }] : []),
    ...(min_level ? [{ location: "body.min_level", message: "applies to logs only", value: min_level }] : []),
  ];
}

/** A key bound to an environment can drain only that environment. */
export async function chooseEnvironment(ctx: ProjectCtx, requested: string | null | undefined): Promise<string | null> {
  const chosen = await readRequestedEnvironment(ctx, requested ?? undefined, "body");
  if (requested !== null || chosen === null) return chosen;
  throw new ApiError("forbidden", "This key is bound to one environment: its drains must use that environment.");
}

function urlIssues(config: Config, url: string): ProblemError[] {
  const checked = checkOutgoingUrl(url, config.private_endpoints);
  return checked.ok ? [] : [{ location: "body.url", message: checked.reason, value: url }];
}

function jobIssues({ job_ids }: Body, found: ReadonlyMap<string, string> | undefined): ProblemError[] {
  if (!job_ids) return [];
  return job_ids.flatMap((ref, index) =>
    found?.has(ref)
      ? []
      : [{ location: `body.job_ids[${index}]`, message: "is not a job of this project", value: ref }],
  );
}

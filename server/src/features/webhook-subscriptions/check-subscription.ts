import type { ProblemError } from "@millrace/contract/problem";
import { boundEnvironment } from "../../platform/access/bound-environment.ts";
import type { Config } from "../../platform/config.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { ApiError, invalid } from "../../platform/errors.ts";
import { checkOutgoingUrl } from "../../platform/outgoing/check-url.ts";
import { headerIssues } from "../../platform/outgoing/header-issues.ts";
import { compileFilter } from "../../platform/webhooks/judge-filter.ts";
import { holdEnvironment } from "./queries.ts";

type Checked = { url?: string; filter?: string | null; headers?: Record<string, string> };

/** What could not be sent to, judged or sent. Only what is given is looked at. */
export function subscriptionIssues({ url, filter, headers }: Checked, { config }: { config: Config }): ProblemError[] {
  return [
    ...(url === undefined ? [] : urlIssues(config, url)),
    ...(filter === undefined || filter === null ? [] : filterIssues(filter)),
    ...(headers === undefined ? [] : headerIssues(headers)),
    ...(headers === undefined ? [] : takenIssues(headers)),
  ];
}

function urlIssues(config: Config, url: string): ProblemError[] {
  const checked = checkOutgoingUrl(url, config.private_endpoints);
  return checked.ok ? [] : [{ location: "body.url", message: checked.reason, value: url }];
}

/** The place in the expression is told where the parser knows it. */
function filterIssues(filter: string): ProblemError[] {
  const compiled = compileFilter(filter);
  if (compiled.ok) return [];
  const at = compiled.position === undefined ? "" : ` (at character ${compiled.position + 1})`;
  return [{ location: "body.filter", message: `${compiled.message}${at}`, value: filter }];
}

/** Beside what every sink sets itself, deliveries have the headers of Standard Webhooks. */
function takenIssues(headers: Record<string, string>): ProblemError[] {
  return Object.keys(headers)
    .filter((name) => /^(webhook-|user-agent$)/i.test(name))
    .map((name) => ({ location: `body.headers.${name}`, message: "is set by the service itself", value: null }));
}

/** A key that is bound to an environment has its subscriptions there, and nowhere else. */
export async function chooseEnvironment(
  ctx: ProjectCtx & InTransaction,
  asked: string | null | undefined,
): Promise<string | null> {
  const bound = boundEnvironment(ctx.caller);
  if (asked === undefined) return bound;
  if (asked === null && bound === null) return null;
  const found = asked === null ? undefined : await holdEnvironment(ctx, asked);
  if (bound !== null && found !== bound)
    throw new ApiError("forbidden", "This key is bound to one environment: its subscriptions are there.");
  if (found === undefined) throw invalid("body.environment_id", "is not an environment of this project", asked);
  return found;
}

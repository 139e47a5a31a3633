import type { ProblemError } from "@millrace/contract/schema/problem";
import { boundEnvironment } from "../../platform/access/environments.ts";
import type { InTransaction, ProjectCtx } from "../../platform/context.ts";
import { ApiError, invalid } from "../../platform/errors/errors.ts";
import { checkOutgoingUrl } from "../../platform/outgoing/check-url.ts";
import { headerIssues } from "../../platform/outgoing/header-issues.ts";
import type { Config } from "../../platform/settings/config.ts";
import { compileFilter } from "../../platform/webhooks/evaluate-filter.ts";
import { holdEnvironment } from "./queries.ts";

type Checked = { url?: string; filter?: string | null; headers?: Record<string, string> };

/** Validates the URL, the filter and the headers, as far as they are given. */
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

/** Includes the position in the expression if the parser knows it. */
function filterIssues(filter: string): ProblemError[] {
  const compiled = compileFilter(filter);
  if (compiled.ok) return [];
  const at = compiled.position === undefined ? "" : ` (at character ${compiled.position + 1})`;
  return [{ location: "body.filter", message: `${compiled.message}${at}`, value: filter }];
}

/** In addition to the headers that every sink sets itself, deliveries set those of Standard Webhooks. */
function takenIssues(headers: Record<string, string>): ProblemError[] {
  return Object.keys(headers)
    .filter((name) => /^(webhook-|user-agent$)/i.test(name))
    .map((name) => ({ location: `body.headers.${name}`, message: "is set by the service itself", value: null }));
}

/** A key bound to an environment can have subscriptions only in that environment. */
export async function chooseEnvironment(
  ctx: ProjectCtx & InTransaction,
  requested: string | null | undefined,
): Promise<string | null> {
  const bound = boundEnvironment(ctx.caller);
  if (requested === undefined) return bound;
  if (requested === null && bound === null) return null;
  const found = requested === null ? undefined : await holdEnvironment(ctx, requested);
  if (bound !== null && found !== bound)
    throw new ApiError("forbidden", "This key is bound to one environment: its subscriptions must use it too.");
  if (found === undefined) throw invalid("body.environment_id", "is not an environment of this project", requested);
  return found;
}

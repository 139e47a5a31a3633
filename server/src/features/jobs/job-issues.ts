import type { ProblemError } from "@millrace/contract/schema/problem";
import { checkTemplate } from "../../flow/templates/check-template.ts";
import { savedSchemaIssues } from "../../platform/json-schema/compile-json-schema.ts";
import { PRIVATE_REMEDY } from "../../platform/outgoing/address-rules.ts";
import { checkOutgoingUrl } from "../../platform/outgoing/check-url.ts";
import { headerIssues } from "../../platform/outgoing/header-issues.ts";
import type { Config } from "../../platform/settings/config.ts";
import { slugIssues } from "../../platform/slug.ts";
import { cronIssues } from "../../platform/time/cron.ts";
import type { JobSetting, JobSettings } from "./job-settings.ts";

/**
 * Checks that the schema cannot express. Unchanged settings are not checked. For `inSlices`: compiling a JSON schema of
 * 64 KB takes 20 ms.
 */
export function* jobIssues(
  config: Config,
  job: JobSettings,
  changed: ReadonlySet<JobSetting>,
): Generator<void, ProblemError[]> {
  const when = (name: JobSetting, issues: () => ProblemError[]) => (changed.has(name) ? issues() : []);
  const own = [
    ...when("slug", () => slugIssues(job.slug)),
    ...when("endpoint_url", () => urlIssues(config, job.endpoint_url)),
    ...when("headers", () => headerIssues(job.headers)),
  ];
  const payload = when("payload_schema", () => savedSchemaIssues(job.payload_schema, "body.payload_schema"));
  yield;
  const result = when("result_schema", () => savedSchemaIssues(job.result_schema, "body.result_schema"));
  yield;
  return [
    ...own,
    ...payload,
    ...result,
    ...when("rate_limit_keys", () => limitKeyIssues(job)),
    ...when("cancel_on", () => cancelIssues(job)),
    ...(changed.has("cron") || changed.has("timezone") ? timesIssues(job) : []),
  ];
}

/** Settings that depend on each other. */
export const PAIRED = [
  "delivery",
  "endpoint_url",
  "retry_strategy",
  "retry_delays_secs",
  "rate_limit_max",
  "rate_limit_window_secs",
] as const;

export function pairIssues(job: Pick<JobSettings, (typeof PAIRED)[number]>): ProblemError[] {
  return [...endpointIssues(job), ...retryIssues(job), ...rateLimitIssues(job)];
}

function issue(field: string, message: string, value: unknown): ProblemError {
  return { location: `body.${field}`, message, value };
}

type Delivered = Pick<JobSettings, "delivery" | "endpoint_url">;

function endpointIssues({ delivery, endpoint_url }: Delivered): ProblemError[] {
  if ((delivery === "pull") === (endpoint_url === null)) return [];
  const message =
    delivery === "pull"
      ? "must be null with delivery pull: workers claim the runs"
      : "is required with delivery push; for workers that claim runs, send delivery pull";
  return [issue("endpoint_url", message, endpoint_url)];
}

function urlIssues(config: Config, endpoint_url: string | null): ProblemError[] {
  if (endpoint_url === null) return [];
  const checked = checkOutgoingUrl(endpoint_url, config.private_endpoints);
  return checked.ok ? [] : [issue("endpoint_url", withPullHint(checked.reason), endpoint_url)];
}

function withPullHint(reason: string): string {
  if (!reason.endsWith(PRIVATE_REMEDY)) return reason;
  return `${reason} Or a worker in that network fetches the runs: set delivery to pull, without an endpoint_url.`;
}

function limitKeyIssues({ rate_limit_keys }: JobSettings): ProblemError[] {
  return rate_limit_keys.flatMap(({ name, key }, i) => {
    const isTaken = rate_limit_keys.findIndex((other) => other.name === name) < i;
    const repeated = isTaken ? [issue(`rate_limit_keys[${i}].name`, "is already the name of another limit", name)] : [];
    return [...repeated, ...templateIssues(`rate_limit_keys[${i}].key`, key)];
  });
}

function cancelIssues({ cancel_on }: JobSettings): ProblemError[] {
  return cancel_on.flatMap(({ event_key }, i) => {
    const field = `cancel_on[${i}].event_key`;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
    const isBad = /[\u0000-\u001f]/.test(event_key) || event_key === "." || event_key === "..";
    return isBad ? [issue(field, "is not an event key", event_key)] : templateIssues(field, event_key);
  });
}

function templateIssues(field: string, template: string): ProblemError[] {
  const problems = checkTemplate(template, ["payload"], `body.${field}`);
  return problems.map(({ location, message }) => ({ location, message, value: template }));
}

/** A job without a cron still has a time zone, for a cron that may be set later. */
function timesIssues({ cron, timezone }: JobSettings): ProblemError[] {
  const given = { cron, timezone };
  return cronIssues(cron ?? "@daily", timezone).map(({ field, message }) => issue(field, message, given[field]));
}

type Retrying = Pick<JobSettings, "retry_strategy" | "retry_delays_secs">;

function retryIssues({ retry_strategy, retry_delays_secs }: Retrying): ProblemError[] {
  const isCustom = retry_strategy === "custom";
  if (isCustom === (retry_delays_secs !== null)) return [];
  const message = isCustom ? "is required with the strategy custom" : "is only for the strategy custom: send null";
  return [issue("retry_delays_secs", message, retry_delays_secs)];
}

type Limited = Pick<JobSettings, "rate_limit_max" | "rate_limit_window_secs">;

function rateLimitIssues({ rate_limit_max, rate_limit_window_secs }: Limited): ProblemError[] {
  if ((rate_limit_max === null) === (rate_limit_window_secs === null)) return [];
  const missing = rate_limit_max === null ? "rate_limit_max" : "rate_limit_window_secs";
  return [issue(missing, "is required: rate_limit_max and rate_limit_window_secs are given together", null)];
}

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { TestProject } from "../../server/test/world/world.ts";
import { readEnvFile } from "../src/settings/env-file.ts";
import { millrace } from "./millrace.ts";
import { newFolder } from "./run-millrace.ts";
import { envOf, type Tried } from "./service-env.ts";

export type Config = Record<string, unknown>;

/** A configuration with an object of every kind. */
export const RICH = {
  environments: {
    production: { name: "Production", variables: { STRIPE_KEY: { env: "TRIED_KEY" } } },
    preview: { parent_id: "staging", variables: { FLAG: { env: "TRIED_FLAG" } } },
  },
  queues: { mail: { max_concurrency: 10, weight: 5 } },
  jobs: {
    // They refer to each other, so neither can be created with its reference first.
    "a-mail": {
      endpoint_url: "http://127.0.0.1:9999/mail",
      queue: "mail",
      on_failure_job_id: "b-alert",
      tags: { team: "x" },
    },
    "b-alert": { delivery: "pull", on_failure_job_id: "a-mail", headers: { "X-Token": { env: "TRIED_KEY" } } },
    "c-report": { delivery: "pull", dependencies: [{ job_id: "a-mail" }], environment_id: "preview" },
  },
  workflows: {
    order: {
      steps: [
        { step_ref: "mail", job_id: "a-mail", payload: { to: "{{payload.to}}" }, compensate_job_id: "b-alert" },
        { step_ref: "wait", type: "wait_for_event", event_key: "paid:{{payload.id}}", depends_on: ["mail"] },
        { step_ref: "sub", type: "sub_workflow", workflow_id: "a-child", depends_on: ["wait"] },
      ],
    },
    "a-child": { steps: [{ step_ref: "nap", type: "sleep", sleep_duration: "5m" }], timeout_secs: 60 },
  },
  schedules: { nightly: { job_id: "c-report", cron: "0 3 * * *", payload: { full: true } } },
  event_sources: {
    stripe: {
      ...{ name: "Stripe", signature: "stripe", secret: { env: "TRIED_SECRET" } },
      subscriptions: [
        { workflow_id: "order", filter: "event.type == 'paid'" },
        { workflow_id: "order", enabled: false },
      ],
    },
  },
  webhook_subscriptions: [
    { url: "http://127.0.0.1:9999/hook", events: ["run.failed"], headers: { Authorization: { env: "TRIED_KEY" } } },
  ],
  log_drains: {
    loki: {
      url: "http://127.0.0.1:9999/loki",
      format: "loki",
      job_ids: ["a-mail"],
      auth: { type: "bearer", token: { env: "TRIED_KEY" } },
    },
    spans: { url: "http://127.0.0.1:9999/v1/traces", signal: "traces" },
  },
  alert_channels: {
    night: { kind: "slack", url: { env: "TRIED_HOOK" } },
    on_call: { kind: "pagerduty", key: { env: "TRIED_KEY" } },
    mail: { kind: "email", email: "ops@example.com", enabled: false },
  },
  alert_rules: {
    "Mails fail": { kind: "failure_rate", job_id: "a-mail", channel_ids: ["night", "mail"], threshold: 0.2 },
    Objective: { kind: "slo_burn_rate", workflow_id: "order", window_secs: 7_200, channel_ids: ["on_call"] },
  },
  roles: { support: { permissions: ["runs:read", "jobs:read"], parent_role_id: "viewer" } },
  resource_policies: [
    { effect: "deny", actions: ["jobs:write"], subject: "role:support", resource_type: "job", resource_id: "a-mail" },
  ],
  tag_policies: [
    { effect: "deny", actions: ["jobs:trigger"], subject: "role:support", tag_key: "team", tag_value: "x" },
  ],
  workflow_policy: { max_depth: 50 },
  budget: { monthly_budget_microusd: 5_000_000, thresholds: [90] },
};
export const VALUES = {
  TRIED_KEY: "sk_live_1",
  TRIED_FLAG: "on",
  TRIED_SECRET: "whsec_0123456789abcdef",
  TRIED_HOOK: "http://127.0.0.1:9999/T0/secret",
};

/** Values that the service does not show, under the names that `export` gives them. */
export const HIDDEN_OF_RICH = {
  EVENT_SOURCE_STRIPE__SECRET: VALUES.TRIED_SECRET,
  WEBHOOK_SUBSCRIPTION_HTTP_127_0_0_1_9999_HOOK__AUTHORIZATION: "x",
  LOG_DRAIN_LOKI__TOKEN: "x",
  ALERT_CHANNEL_NIGHT__URL: "http://127.0.0.1:9999/other",
  ALERT_CHANNEL_ON_CALL__KEY: "x",
};

/** A folder with a configuration, for a project. */
export function workIn(
  { world }: Tried,
  project: TestProject,
  config: Config,
  values: Record<string, string> = VALUES,
) {
  const cwd = newFolder();
  const env = { ...envOf(world, project), ...values };
  const write = (now: Config) => writeFileSync(join(cwd, "millrace.config.json"), JSON.stringify(now));
  write(config);
  return { cwd, write, run: (...args: string[]) => millrace(args, { cwd, env }) };
}

async function exported(env: Record<string, string>): Promise<{ config: Config; values: Record<string, string> }> {
  const cwd = newFolder();
  const { code, stdout, stderr } = await millrace(["export", "--json", "--values", "values.env"], { cwd, env });
  expect([code, stderr]).toEqual([0, ""]);
  const values = readEnvFile(join(cwd, "values.env")) as Record<string, string>;
  return { config: JSON.parse(stdout), values };
}

/** Export, apply to an empty project, export again. */
export async function roundTrip(
  tried: Tried,
  env: Record<string, string>,
  hidden: Record<string, string> = {},
): Promise<Config> {
  const first = await exported(env);
  const empty = await tried.world.project();
  const work = workIn(tried, empty, first.config, { ...first.values, ...hidden });
  const applied = await work.run("apply", "--yes", "--json");
  expect([applied.code, applied.stderr]).toEqual([0, ""]);
  expect((await exported(envOf(tried.world, empty))).config).toEqual(first.config);
  const again = await work.run("plan", "--detailed-exitcode");
  expect([again.code, again.stdout]).toEqual([0, ""]);
  return first.config;
}

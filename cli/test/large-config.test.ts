import { expect, it, vi } from "vitest";
import { sizeOf } from "../../server/test/world/size.ts";
import { type Config, HIDDEN_OF_RICH, RICH, roundTrip, workIn } from "./config-work.ts";
import { envOf, quietService } from "./service-env.ts";

vi.setConfig({ testTimeout: sizeOf(180_000, 1_800_000), hookTimeout: 120_000 });

/** 500 objects in the soak suite `whole-size`: those of every kind, and many of the kinds that refer to each other. */
it("reproduces a large project in an empty one", async () => {
  const tried = await quietService();
  const project = await tried.world.project();
  const each = sizeOf(3, 40);
  const names = Array.from({ length: each }, (_, nth) => `n-${String(nth).padStart(3, "0")}`);
  const mapOf = (make: (name: string, nth: number) => Config) =>
    Object.fromEntries(names.map((name, nth) => [name, make(name, nth)]));
  const before = (nth: number) => names[nth - 1] ?? null;
  const url = (name: string) => `http://127.0.0.1:9999/${name}`;
  const secret = { env: "TRIED_KEY" };
  const many: Record<string, Config> = {
    environments: mapOf((_, nth) => ({
      parent_id: nth % 8 === 0 ? "staging" : before(nth),
      variables: { KEY: secret },
    })),
    queues: mapOf((_, nth) => ({ weight: nth + 1 })),
    jobs: mapOf((name, nth) => ({
      delivery: "pull",
      queue: name,
      timeout_secs: nth + 1,
      on_failure_job_id: before(nth),
    })),
    workflows: mapOf((name) => ({ steps: [{ step_ref: "only", job_id: name, max_attempts: 2 }] })),
    schedules: mapOf((name, nth) => ({ workflow_id: name, cron: `${nth % 60} 3 * * *` })),
    event_sources: mapOf((name) => ({ subscriptions: [{ job_id: name }, { workflow_id: name, enabled: false }] })),
    log_drains: mapOf((name) => ({ url: url(name), job_ids: [name] })),
    alert_channels: mapOf((name) => ({ kind: "email", email: `${name}@example.com` })),
    alert_rules: mapOf((name) => ({ kind: "failure_rate", job_id: name, channel_ids: [name], threshold: 0.2 })),
    roles: mapOf((_, nth) => ({
      permissions: ["runs:read"],
      parent_role_id: nth === 0 ? null : nth % 5 === 0 ? "viewer" : before(nth),
    })),
  };
  const rich = RICH as unknown as Record<string, Config>;
  const config = {
    ...RICH,
    ...Object.fromEntries(Object.entries(many).map(([section, items]) => [section, { ...rich[section], ...items }])),
    webhook_subscriptions: [
      ...RICH.webhook_subscriptions,
      ...names.map((name) => ({ url: url(name), events: ["run.failed"] })),
    ],
  };
  const applied = await workIn(tried, project, config).run("apply", "--yes");
  expect(applied.stderr).toMatch(/^(\d+) changes applied, 0 failed/m);
  expect(Number(/(\d+) changes applied/.exec(applied.stderr)?.[1])).toBeGreaterThanOrEqual(sizeOf(60, 500));
  await roundTrip(tried, envOf(tried.world, project), HIDDEN_OF_RICH);
});

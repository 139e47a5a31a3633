import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { defineJob } from "../src/define-job.ts";
import { applyManifest, readManifest, sync } from "../src/sync.ts";
import { defineWorkflow } from "../src/workflow/define-workflow.ts";
import { makeSdkWorld, type SdkWorld } from "./sdk-world.ts";

let sdk: SdkWorld;
const onFailure = defineJob({ id: "notify", run: () => null });
const settings = {
  id: "full",
  name: "Full",
  description: "everything said",
  timeout: "5m",
  retry: { maxAttempts: 5, delays: ["1s", "10m"] },
  maxConcurrency: 9,
  maxConcurrencyPerKey: 2,
  rateLimit: { max: 100, window: "1m" },
  rateLimitKeys: [{ name: "provider", key: "{{payload.provider}}", max: 10, window: "1s" }],
  schedule: { cron: "0 8 * * 1-5", timezone: "Europe/Lisbon", overlap: "skip" },
  dedupWindow: "30s",
  runTtl: "24h",
  priority: 5,
  tags: ["eu"],
  defaultRunMetadata: { team: "growth" },
  maxCostUsd: 0.5,
  onFailure,
  cancelOn: ["order.{{payload.id}}.canceled"],
} as const;
const full = defineJob({
  ...settings,
  retry: { ...settings.retry, delays: [...settings.retry.delays] },
  rateLimitKeys: [...settings.rateLimitKeys],
  tags: [...settings.tags],
  cancelOn: [...settings.cancelOn],
  schema: z.object({ id: z.string(), provider: z.string() }),
  run: () => 1,
});
const child = defineWorkflow("a-child").job("one", onFailure);
const parent = defineWorkflow("a-parent", { schema: z.object({ id: z.string() }), timeout: "1h" })
  .job("full", full, { payload: ({ payload }) => ({ id: payload.id, provider: "x" }), compensate: onFailure })
  .sleep("rest", "30s", { after: ["full"] })
  .subWorkflow("child", child, { after: ["rest"] });
const definitions = { jobs: [full, onFailure], workflows: [parent, child], endpointUrl: "http://127.0.0.1:9999/" };
const changesOf = (items: { slug: string; change: string }[]) => items.map(({ slug, change }) => `${slug} ${change}`);

beforeAll(async () => {
  sdk = await makeSdkWorld();
});

describe("sync", () => {
  it("returns what would be created in a dry run, and creates nothing", async () => {
    const items = await sync(sdk.client, definitions, { dryRun: true });
    expect(changesOf(items)).toEqual(["notify created", "full created", "a-child created", "a-parent created"]);
    expect(await sdk.client.jobs.list().all()).toEqual([]);
  });

  it("creates jobs and workflows by slug, dependencies first", async () => {
    await sync(sdk.client, definitions);
    const notify = await sdk.client.jobs.get("notify");
    expect(await sdk.client.jobs.get("full")).toMatchObject({
      name: "Full",
      description: "everything said",
      endpoint_url: "http://127.0.0.1:9999/",
      timeout_secs: 300,
      max_attempts: 5,
      retry_strategy: "custom",
      retry_delays_secs: [1, 600],
      max_concurrency: 9,
      max_concurrency_per_key: 2,
      rate_limit_max: 100,
      rate_limit_window_secs: 60,
      rate_limit_keys: [{ name: "provider", key: "{{payload.provider}}", max: 10, window_secs: 1 }],
      cron: "0 8 * * 1-5",
      timezone: "Europe/Lisbon",
      cron_overlap_policy: "skip",
      dedup_window_secs: 30,
      run_ttl_secs: 86_400,
      priority: 5,
      tags: { eu: "true" },
      default_run_metadata: { team: "growth" },
      max_cost_microusd: 500_000,
      on_failure_job_id: notify.id,
      cancel_on: [{ event_key: "order.{{payload.id}}.canceled" }],
      payload_schema: expect.objectContaining({ required: ["id", "provider"] }),
    });
    const workflow = await sdk.client.workflows.get("a-parent");
    expect(workflow).toMatchObject({ timeout_secs: 3_600, version: 1 });
    expect(workflow.steps.map(({ step_ref }) => step_ref)).toEqual(["full", "rest", "child"]);
  });

  it("changes nothing when repeated, and creates no version", async () => {
    const items = await sync(sdk.client, definitions);
    expect(changesOf(items)).toEqual(["notify unchanged", "full unchanged", "a-child unchanged", "a-parent unchanged"]);
    expect(await sdk.client.jobs.versions("full").all()).toHaveLength(1);
    expect(await sdk.client.workflows.versions("a-parent").all()).toHaveLength(1);
  });

  it("applies changes in code and names them", async () => {
    const longer = defineWorkflow("a-child")
      .job("one", onFailure)
      .sleep("more", "1s", { after: ["one"] });
    const items = await sync(sdk.client, {
      ...definitions,
      workflows: [longer],
      endpointUrl: "http://127.0.0.1:9998/",
    });
    expect(items).toMatchObject([
      { slug: "notify", change: "updated", fields: ["endpoint_url"] },
      { slug: "full", change: "updated", fields: ["endpoint_url"] },
      { slug: "a-child", change: "updated", fields: ["steps"] },
    ]);
    expect((await sdk.client.workflows.get("a-child")).version).toBe(2);
  });

  it("applies the manifest of an endpoint like its definitions", async () => {
    const { url } = await sdk.host({ jobs: [full, onFailure], workflows: [parent, child] });
    const manifest = await readManifest(url, sdk.project.webhook_secret);
    expect(changesOf(await applyManifest(sdk.client, manifest, url))).toEqual([
      "notify unchanged",
      "full unchanged",
      "a-child unchanged",
      "a-parent unchanged",
    ]);
    await expect(readManifest(sdk.world.url, sdk.project.webhook_secret)).rejects.toMatchObject({
      code: "no_manifest",
    });
    const foreign = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
    await expect(readManifest(url, foreign)).rejects.toThrow(/returned 401/);
  });
});

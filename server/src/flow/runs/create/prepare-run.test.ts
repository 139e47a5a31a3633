import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { canonicalJson } from "../../../platform/json/canonical-json.ts";
import { prepareRun, prepareRunInSlices } from "./prepare-run.ts";
import type { TriggerableJob } from "./triggerable-job.ts";

const job = {
  ...{ id: "j", project_id: "p", slug: "job", enabled: true, tags: {}, default_run_metadata: {} },
  ...{ dedup_window_secs: 60, debounce_window_secs: null, payload_schema: null, rate_limit_keys: [], cancel_on: [] },
  ...{ dependencies: [] },
} as unknown as TriggerableJob;
const trigger = (payload: unknown) => ({ payload, created_by: "test", trigger_type: "api" }) as const;
const hashOf = (payload: unknown) => createHash("sha256").update(canonicalJson(payload)).digest("hex");

it("prepares a small payload synchronously: a trigger awaits no promise", () => {
  const run = prepareRunInSlices(job, trigger({ order: 1 }));
  expect(run).not.toBeInstanceOf(Promise);
  expect(run).toMatchObject({ dedup_hash: hashOf({ order: 1 }) });
});

it("hashes a payload with many names in slices, with the same result", async () => {
  const payload = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`k${i}`, i]));
  const run = prepareRunInSlices(job, trigger(payload));
  expect(run).toBeInstanceOf(Promise);
  expect((await run).dedup_hash).toBe(hashOf(payload));
  expect(prepareRun(job, trigger(payload)).dedup_hash).toBe(hashOf(payload));
});

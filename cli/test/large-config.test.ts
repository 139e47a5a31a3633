import { expect, it, vi } from "vitest";
import { sizeOf } from "../../server/test/world/size.ts";
import { type Config, roundTrip, workIn } from "./config-work.ts";
import { envOf, quietService } from "./service-env.ts";

vi.setConfig({ testTimeout: sizeOf(180_000, 1_800_000), hookTimeout: 120_000 });

/** 500 objects in the soak suite `whole-size`. */
it("reproduces a large project in an empty one", async () => {
  const tried = await quietService();
  const project = await tried.world.project();
  const each = sizeOf(10, 100);
  const names = Array.from({ length: each }, (_, nth) => `n-${String(nth).padStart(3, "0")}`);
  const mapOf = (make: (name: string, nth: number) => Config) =>
    Object.fromEntries(names.map((name, nth) => [name, make(name, nth)]));
  const config = {
    queues: mapOf((_, nth) => ({ weight: nth + 1 })),
    jobs: mapOf((name, nth) => ({ delivery: "pull", queue: name, timeout_secs: nth + 1 })),
    workflows: mapOf((name) => ({ steps: [{ step_ref: "only", job_id: name, max_attempts: 2 }] })),
    schedules: mapOf((name, nth) => ({ workflow_id: name, cron: `${nth % 60} 3 * * *` })),
    roles: mapOf((name, nth) => ({
      permissions: ["runs:read"],
      parent_role_id:
        nth === 0 ? null : nth % 5 === 0 ? "viewer" : name.replace(/\d+$/, () => String(nth - 1).padStart(3, "0")),
    })),
  };
  expect((await workIn(tried, project, config).run("apply", "--yes")).stderr).toContain(
    `${5 * each} changes applied, 0 failed`,
  );
  await roundTrip(tried, envOf(tried.world, project));
});

import { beforeAll, describe, expect, it } from "vitest";
import { runSql } from "../../../../test/world/database.ts";
import { makeFlowWorld } from "../../../../test/world/flow-world.ts";
import type { TestProject, World } from "../../../../test/world/world.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeFlowWorld();
  project = await world.project();
});

/** What differs between any two runs, times included: those of a run are compared with its creation. */
const ROW = `
  select to_jsonb(r) - '{id,batch_id,created_at,updated_at,scheduled_at}'::text[] as run,
    to_jsonb(q) - '{run_id,rank_at,run_at,expires_at}'::text[] as queued,
    least(100, round(extract(epoch from r.scheduled_at - r.created_at)))::int as later_secs,
    round(extract(epoch from q.rank_at - r.scheduled_at))::int as rank_secs,
    round(extract(epoch from q.expires_at - r.scheduled_at))::int as ttl_secs,
    array(select to_jsonb(h) - '{run_id,created_at}'::text[] from run_history h
      where h.project_id = r.project_id and h.run_id = r.id) as history
  from runs r join run_queue q on q.project_id = r.project_id and q.run_id = r.id
  where r.id = any($1::uuid[]) order by r.id`;

async function rowsOf(job: string, items: object[], more: object[]) {
  const { body } = await project.api.post(`/v1/jobs/${job}/trigger/bulk`, { items: [...items, ...more] });
  const ids = body.results.slice(0, items.length).map(({ run_id }: { run_id: string }) => run_id);
  return runSql(world.connection, ROW, [ids]);
}

describe("runs that differ only by id and payload", () => {
  it.each<[string, { paused?: boolean; run_ttl_secs?: number }, object, string | null]>([
    ["due", {}, {}, null],
    ["delayed", {}, { delay_secs: 60 }, "not_due"],
    ["scheduled", {}, { scheduled_at: "2031-01-01T00:00:00Z" }, "not_due"],
    ["with columns of their own", {}, { priority: 5, timeout_secs: 7, max_attempts: 2 }, null],
    ["with a time to live", { run_ttl_secs: 90 }, {}, null],
    ["of a paused job", { paused: true }, {}, "paused_job"],
  ])("are created as among others: %s", async (_, { paused = false, ...fields }, item, blocked_on) => {
    const { body: job } = await project.api.post("/v1/jobs", {
      name: "Job",
      endpoint_url: "http://127.0.0.1:1025/",
      ...fields,
    });
    if (paused) await project.api.post(`/v1/jobs/${job.id}/pause`);
    const items = [1, "two", { three: [3] }].map((payload) => ({ ...item, payload }));
    const among = await rowsOf(job.id, items, [{ concurrency_key: "k" }]);
    expect(among.map(({ queued }) => queued.blocked_on?.split(":")[0] ?? null)).toEqual(Array(3).fill(blocked_on));
    expect(await rowsOf(job.id, items, [])).toEqual(among);
  });
});

import { beforeAll, describe, expect, it } from "vitest";
import { runSql } from "../../../../test/world/database.ts";
import { whenBlocked } from "../../../../test/world/queue-world.ts";
import { makeWorld, type TestProject, type World } from "../../../../test/world/world.ts";
import { inTransaction } from "../../../platform/database/transaction.ts";
import type { NewRun, TriggerResult } from "./new-run.ts";
import { prepareRun, type Trigger } from "./prepare-run.ts";
import { triggerRuns, triggerWithin } from "./trigger-runs.ts";
import { findTriggerableJob } from "./triggerable-job.ts";

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await makeWorld();
  project = await world.project();
});

let changes = 0;

type Given = Partial<Trigger> & { hash?: string };

/** A job, and batches of triggers as concurrent calls would make them. */
async function bench(fields: object = {}) {
  const created = await project.api.post("/v1/jobs", {
    name: "Job",
    endpoint_url: "http://127.0.0.1:1025/",
    ...fields,
  });
  const job_id = created.body.id as string;
  const prepare = async (given: Given[]): Promise<NewRun[]> => {
    const job = await findTriggerableJob(world.ctx, project.id, job_id);
    if (!job) throw new Error(created.text);
    return given.map(({ hash = "aa", ...trigger }) =>
      prepareRun(job, { created_by: "test", trigger_type: "api", body_hash: hash, ...trigger }),
    );
  };
  return {
    job_id,
    prepare,
    trigger: async (given: Given[]) => triggerRuns(world.ctx, await prepare(given)),
    change: () => project.api.patch(`/v1/jobs/${job_id}`, { description: `change ${++changes}` }),
    runs: () =>
      runSql<{ id: string; payload: unknown }>(world.connection, "select * from runs where job_id = $1", [job_id]),
    keys: () =>
      runSql<{ key: string; run_id: string }>(
        world.connection,
        "select key, run_id from idempotency_keys where target_id = $1 order by key",
        [job_id],
      ),
  };
}

const kinds = (results: TriggerResult[]) => results.map(({ kind }) => kind);
const idOf = (result: TriggerResult | undefined) =>
  result?.kind === "created" ? result.run.id : result?.kind === "existing" ? result.run_id : undefined;

/** Every returned run exists; every stored key points to an existing run. */
async function expectAllToBeThere({ runs, keys }: Awaited<ReturnType<typeof bench>>, results: TriggerResult[]) {
  const created = new Set((await runs()).map((run) => run.id));
  for (const id of results.map(idOf)) if (id !== undefined) expect(created).toContain(id);
  for (const { run_id } of await keys()) expect(created).toContain(run_id);
}

describe("triggers that share a commit", () => {
  it("R2 create each run as requested, in order, without mixing them up", async () => {
    const { trigger, runs } = await bench();
    const results = await trigger(Array.from({ length: 120 }, (_, n) => ({ payload: { n } })));
    expect(new Set(kinds(results))).toEqual(new Set(["created"]));
    const payloads = new Map((await runs()).map((run) => [run.id, run.payload]));
    expect(results.map((result) => payloads.get(idOf(result) ?? ""))).toEqual(results.map((_, n) => ({ n })));
  });

  it("with equal idempotency keys are one run; another body under the key is a conflict", async () => {
    const made = await bench();
    const results = await made.trigger([
      { idempotency_key: "k" },
      { idempotency_key: "k" },
      { idempotency_key: "k", hash: "bb" },
      { idempotency_key: "other" },
      {},
    ]);
    expect(kinds(results)).toEqual(["created", "existing", "conflict", "created", "created"]);
    expect(idOf(results[1])).toBe(idOf(results[0]));
    expect(await made.runs()).toHaveLength(3);
    await expectAllToBeThere(made, results);
  });

  it("with a used key all return that run", async () => {
    const made = await bench();
    const [first] = await made.trigger([{ idempotency_key: "k" }]);
    const again = await made.trigger([{ idempotency_key: "k" }, { idempotency_key: "k" }]);
    expect([kinds(again), again.map(idOf)]).toEqual([
      ["existing", "existing"],
      [idOf(first), idOf(first)],
    ]);
  });

  it("with equal payloads of a job with a dedup window are one run", async () => {
    const made = await bench({ dedup_window_secs: 60 });
    const results = await made.trigger([
      { payload: { a: 1, b: 2 } },
      { payload: { b: 2, a: 1 } },
      { payload: { a: 1 } },
    ]);
    expect(kinds(results)).toEqual(["created", "existing", "created"]);
    await expectAllToBeThere(made, results);
  });

  it("of a job with a debounce window are one run, with the last payload", async () => {
    const made = await bench({ debounce_window_secs: 60 });
    const results = await made.trigger([
      { payload: 1 },
      { payload: 2 },
      { payload: 3, concurrency_key: "k" },
      { payload: 4 },
    ]);
    expect(kinds(results)).toEqual(["created", "existing", "created", "existing"]);
    expect((await made.runs()).map((run) => run.payload).toSorted()).toEqual([3, 4]);
    await expectAllToBeThere(made, results);
  });

  it("with equal keys and a duplicate payload all return the existing run", async () => {
    const made = await bench({ dedup_window_secs: 60 });
    const [first] = await made.trigger([{ payload: "same" }]);
    const keyed = { payload: "same", idempotency_key: "k" };
    const results = await made.trigger([keyed, keyed, keyed]);
    expect([kinds(results), results.map(idOf)]).toEqual([
      ["existing", "existing", "existing"],
      [idOf(first), idOf(first), idOf(first)],
    ]);
    await expectAllToBeThere(made, results);
  });

  it("with equal keys of a debounced run all return the waiting run", async () => {
    const made = await bench({ debounce_window_secs: 60 });
    const [first] = await made.trigger([{ payload: 1 }]);
    const results = await made.trigger([
      { payload: 2, idempotency_key: "k" },
      { payload: 2, idempotency_key: "k" },
    ]);
    expect(results.map(idOf)).toEqual([idOf(first), idOf(first)]);
    await expectAllToBeThere(made, results);
  });
});

describe("triggers in two concurrent transactions", () => {
  it.each([
    ["with equal payloads of a job with a dedup window", { dedup_window_secs: 60 }],
    ["of a job with a debounce window", { debounce_window_secs: 60 }],
  ])("%s: the second waits for the first, and returns its run", async (_, fields) => {
    const { prepare } = await bench(fields);
    const [first, second] = [await prepare([{ payload: 1 }]), await prepare([{ payload: 1 }])];
    const { results, later } = await inTransaction(world.ctx, async (tx) => {
      const results = await triggerWithin(tx, first);
      const later = triggerRuns(world.ctx, second);
      await whenBlocked(world.connection);
      return { results, later };
    });
    expect(kinds(await later)).toEqual(["existing"]);
    expect((await later).map(idOf)).toEqual(results.map(idOf));
  });
});

describe("triggers prepared from a job that has changed since", () => {
  it.each<[string, object, Given[]]>([
    ["plain", {}, [{}, {}]],
    ["with a key", {}, [{ idempotency_key: "k" }, { idempotency_key: "k" }]],
    ["with equal payloads", { dedup_window_secs: 60 }, [{ payload: 1 }, { payload: 1, idempotency_key: "k" }]],
    ["debounced", { debounce_window_secs: 60 }, [{ payload: 1 }, { payload: 2, idempotency_key: "k" }]],
  ])("%s: creates no run, returns none, and keeps no key", async (_, fields, given) => {
    const made = await bench(fields);
    const prepared = await made.prepare(given);
    await made.change();
    const results = await triggerRuns(world.ctx, prepared);
    expect(kinds(results)).toEqual(["stale", "stale"]);
    expect([await made.runs(), await made.keys()]).toEqual([[], []]);
    const again = await made.trigger(given);
    expect(kinds(again)[0]).toBe("created");
    await expectAllToBeThere(made, again);
  });

  it("do not change a debounced run", async () => {
    const made = await bench({ debounce_window_secs: 60 });
    await made.trigger([{ payload: "first" }]);
    const prepared = await made.prepare([{ payload: "second" }]);
    await project.api.patch(`/v1/jobs/${made.job_id}`, { enabled: false });
    expect(kinds(await triggerRuns(world.ctx, prepared))).toEqual(["stale"]);
    expect((await made.runs()).map((run) => run.payload)).toEqual(["first"]);
  });

  it("leave the others of the commit alone", async () => {
    const [changed, quiet] = [await bench(), await bench()];
    const batch = [...(await changed.prepare([{}])), ...(await quiet.prepare([{}, { idempotency_key: "k" }]))];
    await changed.change();
    expect(kinds(await triggerRuns(world.ctx, batch))).toEqual(["stale", "created", "created"]);
  });
});

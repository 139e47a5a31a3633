import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { buildTestHost } from "../../../tools/build-test-host.mjs";
import { defineEvent, defineJob, defineWorkflow } from "../index.ts";
import { createTestServer, type TestServer } from "./create-test-server.ts";

let t: TestServer;
let hostFile = "";
beforeAll(async () => {
  hostFile = await buildTestHost();
  t = await createTestServer({ hostFile });
}, 60_000);
afterAll(() => t.close());

const hours = async (from: Date) => Math.round(((await t.now()).getTime() - from.getTime()) / 3_600_000);

describe("a 30-day workflow", () => {
  const calls: string[] = [];
  const welcome = defineJob({
    id: "welcome",
    run: async ({ user }: { user: string }) => {
      calls.push(`welcome ${user}`);
      return { mailed: true };
    },
  });
  const charge = defineJob({
    id: "charge",
    retry: { maxAttempts: 5, delays: ["1h"] },
    run: async ({ user }: { user: string }, ctx) => {
      calls.push(`charge ${user} ${ctx.run.triesUsed}`);
      return { receipt: `r-${user}` };
    },
  });
  const remind = defineJob({ id: "remind", run: async () => ({ reminded: true }) });
  const Survey = z.object({ stars: z.number() });
  const trial = defineWorkflow("trial", { schema: z.object({ user: z.string() }), timeout: "960h" })
    .job("welcome", welcome, { payload: ({ payload }) => ({ user: payload.user }) })
    .sleep("week", "168h", { after: ["welcome"] })
    .waitForEvent("survey", {
      schema: Survey,
      after: ["week"],
      key: ({ payload }) => `survey:${payload.user}`,
      timeout: "72h",
      onFailure: "continue",
    })
    .job("remind", remind, { after: ["survey"] })
    .sleep("rest", "480h", { after: ["remind"] })
    .job("charge", charge, { after: ["rest"], payload: ({ payload }) => ({ user: payload.user }) });

  it("runs sleeps, a timed-out wait and retries in order until the end", async () => {
    await t.serve([welcome, remind, charge, trial]);
    const from = await t.now();
    t.failNext(charge, 2);
    const end = await t.run(trial, { user: "ada" });

    expect(end).toMatchObject({ ok: true, output: { charge: { receipt: "r-ada" }, remind: { reminded: true } } });
    expect(end.steps.survey).toMatchObject({ status: "failed", output: null });
    expect(calls).toEqual(["welcome ada", "charge ada 2"]);
    // One week, 3 days, 20 days, and 2 hours of retries with up to 20% jitter.
    expect(await hours(from)).toBeGreaterThanOrEqual(722);
    expect(await hours(from)).toBeLessThanOrEqual(723);
  });

  it("continues with an event sent in time", async () => {
    const from = await t.now();
    const run = await t.client.workflows.trigger(trial, { user: "bob" });
    await t.skip("7d");
    await t.events.expectWaiting("survey:bob");
    await t.client.events.send("survey:bob", { stars: 5 });
    const end = await run.result();
    expect(end).toMatchObject({ ok: true, output: { survey: { stars: 5 }, charge: { receipt: "r-bob" } } });
    expect(await hours(from)).toBe(648);
  });
});

describe("skip", () => {
  it("fires a schedule at each of its times, in order and never early", async () => {
    const seen: string[] = [];
    const nightly = defineJob({
      id: "nightly",
      schedule: { cron: "0 3 * * *", timezone: "Europe/Lisbon" },
      run: async (_payload: unknown, ctx) => void seen.push(ctx.run.scheduledAt.toISOString()),
    });
    // Starts at noon, far from the hour of the schedule and of daylight-saving changes.
    const secsSinceNoon = BigInt(Math.floor((await t.now()).getTime() / 1_000) + 43_200) % 86_400n;
    await t.skip(`${86_400n - secsSinceNoon}s`);
    await t.serve([nightly]);
    await t.skip("5d");
    expect(seen).toHaveLength(5);
    expect([...seen].sort()).toEqual(seen);
    await t.client.jobs.delete("nightly");
  });

  it("drives a run that sleeps and waits in its own code, and lets it time out", async () => {
    const decided = defineEvent({ key: (id: string) => `decided:${id}`, schema: z.object({ yes: z.boolean() }) });
    const patient = defineJob({
      id: "patient",
      run: async ({ id }: { id: string }, ctx) => {
        await ctx.sleep("24h");
        const { yes } = await ctx.waitForEvent(decided(id), { timeout: "48h" });
        return { id, yes };
      },
    });
    await t.serve([patient]);
    const run = await t.client.jobs.trigger(patient, { id: "a" });
    await t.skip("23h");
    await expect(t.events.expectWaiting(decided("a"))).rejects.toThrow("Nothing waits for decided:a.");
    await t.skip("2h");
    await t.events.expectWaiting(decided("a"));
    await t.client.events.send(decided("a"), { yes: true });
    expect(await run.result()).toMatchObject({ ok: true, output: { id: "a", yes: true } });

    const late = await t.run(patient, { id: "b" });
    expect(late).toMatchObject({ ok: false, status: "timed_out" });
  });

  it("names the keys that are waiting when the expected one is not", async () => {
    const waiter = defineJob({ id: "waiter", run: async (_: unknown, ctx) => ctx.waitForEvent("the-key") });
    await t.serve([waiter]);
    await t.client.jobs.trigger(waiter, {});
    await expect(t.events.expectWaiting("teh-key")).rejects.toThrow("Nothing waits for teh-key. Waiting: the-key.");
    expect(await t.events.expectWaiting("the-key")).toMatchObject({ status: "waiting", event_key: "the-key" });
  });
});

describe("failNext", () => {
  it("fails the given number of calls before the job's code runs, then succeeds; retry delays are skipped", async () => {
    let calls = 0;
    const flaky = defineJob({
      id: "flaky",
      retry: { maxAttempts: 4 },
      run: async () => {
        calls += 1;
        return { calls };
      },
    });
    t.failNext(flaky, 3);
    expect(await t.run(flaky)).toMatchObject({ ok: true, output: { calls: 1 } });
    t.failNext("flaky", 4);
    expect(await t.run(flaky)).toMatchObject({ ok: false, status: "failed" });
    expect(calls).toBe(1);
  });
});

describe("automatic time skipping", () => {
  it("stands still while code runs, however long", async () => {
    const slow = defineJob({
      id: "slow",
      timeout: "5s",
      run: async () => {
        await new Promise((resolve) => setTimeout(resolve, 300));
        return "done";
      },
    });
    expect(await t.run(slow)).toMatchObject({ ok: true, output: "done" });
  });

  it("can be disabled", async () => {
    const still = await createTestServer({ hostFile, autoSkip: false });
    const sleeper = defineJob({ id: "sleeper", run: async (_: unknown, ctx) => ctx.sleep("1h") });
    await still.serve([sleeper]);
    const run = await still.client.jobs.trigger(sleeper, {});
    await expect(run.result({ timeout: "1s" })).rejects.toThrow();
    await still.skip("1h");
    expect(await run.result({ timeout: "20s" })).toMatchObject({ ok: true });
    await still.close();
  });
});

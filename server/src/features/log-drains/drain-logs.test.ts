import { createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import pg from "pg";
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type DrainReceiver, drainReceiver } from "../../../test/outside/drain-receiver.ts";
import { listen, socketEndpoint } from "../../../test/outside/loopback.ts";
import { appendRunRows } from "../../../test/seed/append-changes.ts";
import { runningRun } from "../../../test/seed/running-run.ts";
import { seedLogs } from "../../../test/seed/seed-logs.ts";
import { seedRun } from "../../../test/seed/seed-run.ts";
import { runSql } from "../../../test/world/database.ts";
import { isWholeSize, sizeOf } from "../../../test/world/size.ts";
import { until } from "../../../test/world/until.ts";
import { makeWorld, type TestProject, type World } from "../../../test/world/world.ts";
import { drainerOf } from "./drainer.ts";
import type { LogRecord } from "./logs/read-records.ts";

const LINES_A_SECOND = sizeOf(2, 1_000);

const OLD = sizeOf(1_000, 30_000);

vi.setConfig({ testTimeout: isWholeSize() ? 600_000 : 60_000 });

let world: World;
let project: TestProject;
let receiver: DrainReceiver;
let run_id: string;
beforeAll(async () => {
  world = await makeWorld();
  await world.clock.set("2030-01-01T00:00:00.000Z");
});
beforeEach(async () => {
  // The drains of earlier tests would be due too.
  await runSql(world.connection, "delete from log_drains");
  project = await world.project();
  receiver = await drainReceiver();
  run_id = await seedRun(world.connection, project.id, { status: "running" });
});

async function create(fields: Record<string, unknown> = {}): Promise<string> {
  const { body } = await project.api.post("/v1/log-drains", { name: "Collector", url: receiver.url, ...fields });
  return body.id;
}
const log = (count: number, more: { level?: string; message?: string; run_id?: string } = {}) =>
  seedLogs(world.connection, count, { project_id: project.id, run_id, ...more });

async function drain(): Promise<void> {
  await world.tick("drain-logs");
  await drainerOf(world.ctx).idle();
}

const read = async (id: string) => (await project.api.get(`/v1/log-drains/${id}`)).body;
const recordsOf = ({ taken }: DrainReceiver): LogRecord[] => taken.flatMap(({ body }) => JSON.parse(body));
const messagesOf = (of: DrainReceiver) => recordsOf(of).map(({ message }) => message);
const numbered = (count: number) => Array.from({ length: count }, (_, at) => `line ${at + 1}`);

describe("the task drain-logs", () => {
  it("H5 sends what runs log to the configured endpoint: each line once, in order", async () => {
    const run = await runningRun(world, project);
    const id = await create();
    await run.sdk.post("/log", { level: "warn", message: "by the SDK", fields: { a: 1 } });
    await log(3);
    await drain();
    await drain();
    expect(messagesOf(receiver)).toEqual(["by the SDK", "line 1", "line 2", "line 3"]);
    expect(recordsOf(receiver)[0]).toMatchObject({
      ...{ level: "warn", fields: { a: 1 }, project_id: project.id, run_id: run.run_id, attempt: 1 },
      ...{ time: "2030-01-01T00:00:00.000Z", job_slug: expect.any(String), job_id: expect.any(String) },
    });
    expect(await read(id)).toMatchObject({ delivered_count: 4, state: "idle", last_status_code: 200 });
  });

  it("H3 signs each request, and sends the drain's credentials", async () => {
    await create({ auth: { type: "basic", username: "ada", password: "pw" } });
    await log(1);
    await drain();
    const [request] = receiver.taken;
    expect(request?.headers.authorization).toBe(`Basic ${Buffer.from("ada:pw").toString("base64")}`);
    const secret = Buffer.from(project.webhook_secret.slice("whsec_".length), "base64");
    const signed = `${request?.headers["x-svc-timestamp"]}.${request?.body}`;
    const expected = createHmac("sha256", secret).update(signed).digest("hex");
    expect(request?.headers["x-svc-signature"]).toBe(`v1=${expected}`);
  });

  it("sends nothing that was logged before the drain was created, or while it was disabled", async () => {
    await log(1, { message: "before" });
    const id = await create();
    await project.api.patch(`/v1/log-drains/${id}`, { enabled: false });
    await log(1, { message: "while off" });
    await drain();
    await project.api.patch(`/v1/log-drains/${id}`, { enabled: true });
    await log(1, { message: "after" });
    await drain();
    expect(messagesOf(receiver)).toEqual(["after"]);
  });

  it("sends lines that match the drain's filters: level, job, environment, project", async () => {
    const staging = (await project.api.get("/v1/environments")).body.data.find(
      ({ slug }: { slug: string }) => slug === "staging",
    );
    const elsewhere = await seedRun(world.connection, project.id, { status: "running", environment_id: staging.id });
    const [{ job_id } = { job_id: "" }] = await runSql<{ job_id: string }>(
      world.connection,
      "select job_id from runs where id = $1",
      [run_id],
    );
    const [loud, ofJob, ofEnvironment] = [await drainReceiver(), await drainReceiver(), await drainReceiver()];
    await create({ url: loud.url, min_level: "warn" });
    await create({ url: ofJob.url, job_ids: [job_id] });
    await create({ url: ofEnvironment.url, environment_id: staging.id });
    for (const level of ["debug", "info", "warn", "error"]) await log(1, { level, message: level });
    await log(1, { run_id: elsewhere, message: "elsewhere" });
    const foreign = await world.project();
    const foreignRun = await seedRun(world.connection, foreign.id, { status: "running" });
    await seedLogs(world.connection, 1, { project_id: foreign.id, run_id: foreignRun, message: "foreign" });
    await drain();
    expect(messagesOf(loud)).toEqual(["warn", "error"]);
    expect(messagesOf(ofJob)).toEqual(["debug", "info", "warn", "error"]);
    expect(messagesOf(ofEnvironment)).toEqual(["elsewhere"]);
  });

  it("sends in batches of at most a thousand records and about a megabyte", async () => {
    await create();
    await log(1_100);
    await log(20, { message: `% ${"x".repeat(60_000)}` });
    await drain();
    expect(recordsOf(receiver)).toHaveLength(1_120);
    expect(messagesOf(receiver).slice(0, 1_100)).toEqual(numbered(1_100));
    for (const { body } of receiver.taken) {
      expect(JSON.parse(body).length).toBeLessThanOrEqual(1_000);
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(1_000_000);
    }
  });

  it("collects for a second what is logged while it sends", async () => {
    const bodies: string[] = [];
    const answer = async (request: IncomingMessage, response: ServerResponse) => {
      bodies.push(await text(request));
      await log(1);
      response.end();
    };
    const server = createServer((request, response) => void answer(request, response));
    await create({ url: `http://127.0.0.1:${await listen(server)}/` });
    await log(2);
    await drain();
    await drain();
    expect(bodies.map((body) => JSON.parse(body).length)).toEqual([2]);
    await log(3);
    await world.clock.pass("1s");
    await drain();
    expect(bodies.map((body) => JSON.parse(body).length)).toEqual([2, 4]);
  });

  it("retries after 1, 2, 4 … seconds, at most 5 minutes, and shows why it fails", async () => {
    const id = await create();
    receiver.respondWith(() => 503);
    await log(1);
    const pauses: number[] = [];
    for (let attempt = 0; attempt < 11; attempt++) {
      await drain();
      const { next_attempt_at, consecutive_failures, last_error, state } = await read(id);
      expect([consecutive_failures, state]).toEqual([attempt + 1, "failing"]);
      expect(last_error).toContain("503");
      pauses.push((Date.parse(next_attempt_at) - Date.parse(await world.clock.now())) / 1_000);
      await drain();
      await world.clock.set(next_attempt_at);
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
    expect(receiver.refused).toHaveLength(11);
    receiver.respondWith(() => 200);
    await drain();
    expect(messagesOf(receiver)).toEqual(["line 1"]);
    expect(await read(id)).toMatchObject({ state: "idle", consecutive_failures: 0, last_error: null });
  });

  it("does not let a slow or dead receiver delay others", async () => {
    const silent = await socketEndpoint(() => {});
    await create({ url: silent });
    await create();
    await log(2);
    const other = await world.anotherInstance();
    await drainerOf(other.ctx).poll();
    await until("the lines", 20_000, () => receiver.taken.length > 0);
    expect(messagesOf(receiver)).toEqual(["line 1", "line 2"]);
  });

  it("skips a single record that the receiver rejects, and sends the others", async () => {
    const id = await create();
    receiver.respondWith(({ body }) => (body.includes("poison") ? 400 : 200));
    await log(5);
    await log(1, { message: "poison" });
    await log(4);
    for (let attempt = 0; attempt < 6; attempt++) {
      await drain();
      await world.clock.pass("5m");
    }
    expect(messagesOf(receiver)).toEqual([...numbered(5), ...numbered(4)]);
    expect(await read(id)).toMatchObject({ refused_count: 1, delivered_count: 9, state: "idle" });
  });

  it(`loses nothing while its receiver is unavailable for 10 minutes at ${LINES_A_SECOND} lines a second`, async () => {
    const id = await create();
    receiver.respondWith(() => 503);
    for (let minute = 0; minute < 10; minute++) {
      await fill(60 * LINES_A_SECOND, minute * 60 * LINES_A_SECOND);
      await drain();
      await world.clock.pass("1m");
    }
    receiver.respondWith(() => 200);
    await world.clock.pass("5m");
    await drain();
    const seen = new Set(recordsOf(receiver).map(({ message }) => Number(message)));
    expect(seen.size).toBe(600 * LINES_A_SECOND);
    expect(await read(id)).toMatchObject({ delivered_count: seen.size, dropped_count: 0 });
  });

  it("drops records that have waited for more than an hour, except the newest 100,000, and reports how many", async () => {
    const id = await create();
    receiver.respondWith(() => 503);
    await fill(OLD, 0);
    await drain();
    await world.clock.pass("61m");
    await fill(1_000, OLD);
    await repeat(OLD + 1_000, 99_000);
    await drain();
    // The first thousand suffice.
    receiver.respondWith(() => (receiver.taken.length === 0 ? 200 : 503));
    await world.clock.pass("5m");
    await drain();
    const [notice, ...records] = recordsOf(receiver);
    expect(notice).toMatchObject({ level: "warn", fields: { dropped: OLD } });
    expect(records.map(({ message }) => Number(message))).toEqual(
      Array.from({ length: 1_000 }, (_, at) => OLD + at + 1),
    );
    expect(await read(id)).toMatchObject({ dropped_count: OLD, delivered_count: 1_000 });
  });

  it("keeps records older than an hour while they are among the newest 100,000", async () => {
    await create();
    receiver.respondWith(() => 503);
    await log(3);
    await drain();
    await world.clock.pass("5h");
    receiver.respondWith(() => 200);
    await drain();
    expect(messagesOf(receiver)).toEqual(numbered(3));
  });

  it("sends each line from only one of several instances", async () => {
    await create();
    await log(500);
    const other = await world.anotherInstance();
    await world.tick("drain-logs");
    await Promise.all([drainerOf(other.ctx).poll(), drainerOf(world.ctx).poll(), drainerOf(other.ctx).poll()]);
    await Promise.all([drainerOf(other.ctx).idle(), drainerOf(world.ctx).idle()]);
    expect(messagesOf(receiver)).toEqual(numbered(500));
  });

  it("takes over from an instance that died while it held a claim", async () => {
    await create();
    await log(2);
    await runSql(
      world.connection,
      "update log_drains set claim_token = gen_random_uuid(), next_attempt_at = clock() + interval '45 seconds'",
    );
    await drain();
    expect(receiver.taken).toEqual([]);
    await world.clock.pass("46s");
    await drain();
    expect(messagesOf(receiver)).toEqual(numbered(2));
  });

  it("skips no line whose transaction commits late, and waits for none", async () => {
    await create();
    const client = new pg.Client(world.connection);
    await client.connect();
    await client.query("begin");
    await client.query(
      `with written as (
         insert into run_logs (project_id, run_id, id, job_id, attempt, level, message, logged_at, created_at)
         select project_id, id, gen_random_uuid(), job_id, 1, 'info', 'late', clock(), clock() from runs where id = $1
         returning *
       )
       ${appendRunRows("run_log")}`,
      [run_id],
    );
    await log(1, { message: "early" });
    await drain();
    expect(messagesOf(receiver)).toEqual(["early"]);
    await client.query("commit");
    await client.end();
    await world.clock.pass("2s");
    await drain();
    expect(messagesOf(receiver)).toEqual(["early", "late"]);
  });
});

/**
 * Many lines in one statement, numbered from `from` + 1. Reads the clock once: a hundred thousand times would take longer
 * than all the rest.
 */
async function fill(count: number, from: number): Promise<void> {
  await runSql(
    world.connection,
    `with written as (insert into run_logs (project_id, run_id, id, job_id, attempt, level, message, logged_at, created_at)
     select r.project_id, r.id, ('00000000-0000-7000-8000-' || lpad(to_hex($2::int + n), 12, '0'))::uuid, r.job_id, 1,
       'info', ($2::int + n)::text, (select clock()), (select clock())
     from runs r, generate_series(1, $3::int) n where r.id = $1 returning *)
     ${appendRunRows("run_log")}`,
    [run_id, from, count],
  );
}

/** A line again and again: drains count the entries of the log, and a hundred thousand lines take seconds. */
async function repeat(number: number, times: number): Promise<void> {
  await runSql(
    world.connection,
    `insert into changelog_inbox (project_id, kind, ids, row_ids, created_at)
     select l.project_id, 'run_log', array_fill(l.run_id, array[100]), array_fill(l.id, array[100]), l.created_at
     from run_logs l, generate_series(1, $2::int / 100) where l.run_id = $1 and l.message = $3`,
    [run_id, times, String(number)],
  );
}

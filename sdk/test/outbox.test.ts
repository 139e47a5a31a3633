import pg from "pg";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ApplicationDatabase, applicationDatabase } from "../../server/test/outside/application-database.ts";
import { makeJob } from "../../server/test/seed/make-workflow.ts";
import { runSql } from "../../server/test/world/database.ts";
import { whenFileEnds } from "../../server/test/world/end-of-file.ts";
import { until } from "../../server/test/world/until.ts";
import { ApiError } from "../src/client/http/api-error.ts";
import { type DrainOptions, drainOutbox } from "../src/outbox/drain-outbox.ts";
import { INSTALL_SQL, UNINSTALL_SQL } from "../src/outbox/install-sql.ts";
import { makeSdkWorld, type SdkWorld } from "./sdk-world.ts";

let sdk: SdkWorld;
let application: ApplicationDatabase;
let pool: pg.Pool;
let job: { id: string; slug: string };
beforeAll(async () => {
  sdk = await makeSdkWorld();
  application = await applicationDatabase();
  pool = new pg.Pool({ connectionString: application.url, max: 4 });
  pool.on("error", () => {});
  whenFileEnds(() => pool.end());
});
beforeEach(async () => {
  job = await makeJob(sdk.project);
  await runSql(application.connection, "truncate millrace.enqueued");
});

/** Drains until no row waits. */
async function drain(options: DrainOptions = {}, instances = 1): Promise<void> {
  const stop = new AbortController();
  const all = { pollMs: 10, signal: stop.signal, ...options };
  const draining = Array.from({ length: instances }, () => drainOutbox(pool, sdk.client, all));
  const waits = async () => (await application.rows()).some(({ error_code }) => error_code === null);
  await until("all rows to be drained", 20_000, async () => !(await waits()));
  stop.abort();
  await Promise.all(draining);
}

const runsOf = () =>
  runSql<{ n: number; key: string }>(
    sdk.world.connection,
    "select (payload ->> 'n')::int as n, idempotency_key as key from runs where job_id = $1 order by id",
    [job.id],
  );

describe("drainOutbox", () => {
  it("triggers each row once with its id as the key, rows of one key in order, from any number of processes", async () => {
    const ids: string[] = [];
    for (let n = 0; n < 20; n++) ids.push(await application.enqueue(job.slug, { n }, { concurrency_key: "a" }));
    await drain({}, 3);
    const runs = await runsOf();
    expect(runs.map(({ n }) => n)).toEqual(ids.map((_, n) => n));
    expect(runs.map(({ key }) => key)).toEqual(ids);
    expect(await application.rows()).toEqual([]);
  });

  it("creates no second run after a crash between the trigger and the commit", async () => {
    await application.enqueue(job.slug, { n: 1 }, { priority: 3 });
    let crashes = 0;
    const crashing = {
      connect: async () => {
        const client = await pool.connect();
        const query = async (text: string, values?: unknown[]) => {
          if (text === "commit" && crashes++ === 0) throw new Error("crashed");
          return client.query(text, values);
        };
        return { query, release: (destroy?: boolean) => client.release(destroy) };
      },
    };
    const stop = new AbortController();
    const errors: unknown[] = [];
    const draining = drainOutbox(crashing, sdk.client, {
      pollMs: 10,
      signal: stop.signal,
      onError: (error) => errors.push(error),
    });
    await until("the row to be drained", 20_000, async () => (await application.rows()).length === 0);
    stop.abort();
    await draining;
    expect(errors).toHaveLength(1);
    expect(await runsOf()).toHaveLength(1);
  });

  it("keeps refused rows with their error, and continues", async () => {
    await application.enqueue("no-such-job");
    await application.enqueue(job.slug, { n: 2 });
    const refused: string[] = [];
    await drain({ onRefused: ({ error }) => refused.push(error.code) });
    expect(refused).toEqual(["not_found"]);
    expect(await application.rows()).toMatchObject([{ job: "no-such-job", error_code: "not_found" }]);
    expect(await runsOf()).toHaveLength(1);
  });

  it("rounds no number: the service gets the text of the row, and refuses what it could not store exactly", async () => {
    const enqueue = (payload: string, options: string) =>
      runSql(application.connection, "select millrace.enqueue($1, $2::jsonb, $3::jsonb)", [job.slug, payload, options]);
    await enqueue('{"n": 4, "price": 1.10}', '{"metadata": {"a": 1}}');
    await enqueue('{"n": 9007199254740993}', "{}");
    await drain();
    expect(await application.rows()).toMatchObject([{ error_code: "number_out_of_range" }]);
    const [run, ...others] = await runsOf();
    expect([run?.n, others]).toEqual([4, []]);
  });

  it("keeps rows that the service cannot take now, and reports why", async () => {
    await application.enqueue(job.slug, { n: 3 });
    const stop = new AbortController();
    const errors: unknown[] = [];
    const request = () => Promise.reject(new TypeError("fetch failed"));
    const onError = (error: unknown) => {
      errors.push(error);
      stop.abort();
    };
    await drainOutbox(pool, { ...sdk.client, request }, { signal: stop.signal, onError });
    expect(errors[0]).not.toBeInstanceOf(ApiError);
    expect(await application.rows()).toMatchObject([{ error_code: null }]);
  });
});

describe("the SQL of the outbox", () => {
  it("can be installed again: rows stay", async () => {
    const id = await application.enqueue(job.slug);
    await runSql(application.connection, INSTALL_SQL);
    expect((await application.rows()).map((row) => row.id)).toEqual([id]);
  });

  it("is uninstalled only when it is empty", async () => {
    const other = await applicationDatabase();
    await other.enqueue(job.slug);
    await expect(runSql(other.connection, UNINSTALL_SQL)).rejects.toMatchObject({ code: "55006" });
    await runSql(other.connection, "rollback; delete from millrace.enqueued");
    await runSql(other.connection, UNINSTALL_SQL);
    await runSql(other.connection, UNINSTALL_SQL);
    expect(await runSql(other.connection, "select to_regnamespace('millrace') as found")).toEqual([{ found: null }]);
  });

  it("refuses unknown options in the transaction of the caller", async () => {
    await expect(application.enqueue(job.slug, {}, { idempotency_key: "mine" })).rejects.toThrow(
      "unknown options: idempotency_key",
    );
    await expect(application.enqueue("")).rejects.toThrow("slug or id");
  });
});

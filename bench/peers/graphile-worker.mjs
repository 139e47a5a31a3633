import { Logger, makeWorkerUtils, run } from "graphile-worker";
import pg from "pg";
import { settleDatabase } from "../compare/settle-database.mjs";
import { enqueueInBulk } from "../compare/steps.mjs";
import { startPostgres } from "../start-postgres.mjs";
import { versionOf } from "./version-of.mjs";

const TASK = "deliver-order";
const POOL = 34;
const WORK = { concurrentJobs: 24, pollInterval: 2_000, completeJobBatchDelay: 0, failJobBatchDelay: 0 };
/** Fetching in batches is several times faster, but starts a single run later. */
const IN_BATCHES = { ...WORK, concurrentJobs: 100, localQueue: { size: 500 } };

export async function open({ deliver, bench }) {
  const postgres = await startPostgres();
  let closing = false;
  const logError = (error) => closing || process.stderr.write(`${error}\n`);
  const pgPool = new pg.Pool({ ...postgres.connection, max: POOL });
  pgPool.on("error", logError);
  pgPool.on("connect", (client) => client.on("error", logError));
  const logger = new Logger(() => () => {});
  const utils = await makeWorkerUtils({ pgPool, logger });
  await utils.migrate();
  const worker = bench === "latency" ? WORK : IN_BATCHES;
  const taskList = { [TASK]: (order) => deliver(order) };
  let runner;

  const system = {
    version: versionOf("graphile-worker"),
    pids: { postgres: postgres.pid },
    enqueue: (order) => utils.addJob(TASK, order),
    bulkSize: 1_000,
    bulk: (orders) => utils.addJobs(orders.map((payload) => ({ identifier: TASK, payload }))),
    fill: async (n) => {
      await enqueueInBulk(system, n);
      await settleDatabase(pgPool);
    },
    startWork: async () => {
      runner = await run({ pgPool, logger, taskList, noHandleSignals: true, preset: { worker } });
    },
    stopWork: () => runner.stop(),
    countUnfinished: async () => {
      const { rows } = await pgPool.query(
        "select count(*)::int from graphile_worker._private_jobs where run_at <= now()",
      );
      return rows[0].count;
    },
    seed: { future: (n) => pgPool.query(SEED_FUTURE, [n]) },
    close: async () => {
      closing = true; // a connection may still be open when the server stops
      await runner?.stop().catch(() => {}); // already stopped
      await utils.release();
      await pgPool.end();
      await postgres.stop();
    },
  };
  return system;
}

const SEED_FUTURE = `
  insert into graphile_worker._private_jobs (task_id, payload, run_at)
  select tasks.id, json_build_object('order_id', -i), now() + interval '1 day' + i * interval '0.1 second'
  from graphile_worker._private_tasks tasks, generate_series(1, $1::int) i
  where tasks.identifier = '${TASK}'`;

import pg from "pg";
import { PgBoss } from "pg-boss";
import { settleDatabase } from "../compare/settle-database.mjs";
import { enqueueInBulk } from "../compare/steps.mjs";
import { startPostgres } from "../start-postgres.mjs";
import { versionOf } from "./version-of.mjs";

const QUEUE = "orders";
/** Workers are woken by NOTIFY and fetch in batches, by far its fastest setting. */
const WORK = { batchSize: 500, localConcurrency: 2, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 };

export async function open({ deliver }) {
  const postgres = await startPostgres();
  const boss = new PgBoss({
    ...postgres.connection,
    max: 32,
    useListenNotify: true,
    supervise: false,
    schedule: false,
  });
  let closing = false;
  boss.on("error", (error) => closing || process.stderr.write(`${error}\n`));
  await boss.start();
  await boss.createQueue(QUEUE, { notify: true });
  const client = new pg.Client(postgres.connection);
  await client.connect();

  const system = {
    version: versionOf("pg-boss"),
    pids: { postgres: postgres.pid },
    enqueue: (order) => boss.send(QUEUE, order),
    bulkSize: 1_000,
    bulk: (orders) =>
      boss.insert(
        QUEUE,
        orders.map((data) => ({ data })),
      ),
    fill: async (n) => {
      await enqueueInBulk(system, n);
      await settleDatabase(client);
    },
    startWork: () =>
      boss.work(QUEUE, WORK, (jobs) => Promise.all(jobs.map(({ data }) => deliver(data))).then(() => {})),
    stopWork: () => boss.offWork(QUEUE),
    countUnfinished: async () => {
      const { rows } = await client.query(
        `select count(*)::int from pgboss.job
         where name = '${QUEUE}' and state in ('created', 'retry', 'active') and start_after <= now()`,
      );
      return rows[0].count;
    },
    seed: {
      finished: (n) => client.query(SEED_FINISHED, [n]),
      future: (n) => client.query(SEED_FUTURE, [n]),
    },
    close: async () => {
      closing = true; // a connection may still be open when the server stops
      await boss.stop({ graceful: false });
      await client.end();
      await postgres.stop();
    },
  };
  return system;
}

const SEED_FINISHED = `
  insert into pgboss.job (name, data, state, created_on, started_on, completed_on)
  select '${QUEUE}', jsonb_build_object('order_id', -i), 'completed', at, at, at
  from (select i, now() - i * interval '0.1 second' as at from generate_series(1, $1::int) i) seeds`;

const SEED_FUTURE = `
  insert into pgboss.job (name, data, start_after)
  select '${QUEUE}', jsonb_build_object('order_id', -i), now() + interval '1 day' + i * interval '0.1 second'
  from generate_series(1, $1::int) i`;

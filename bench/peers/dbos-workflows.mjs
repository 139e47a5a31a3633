import { DBOS } from "@dbos-inc/dbos-sdk";
import pg from "pg";
import { startPostgres } from "../start-postgres.mjs";
import { versionOf } from "./version-of.mjs";

const FAN = 10;
const WAIT_SECS = 86_400;
const CONNECTIONS = 20;

/** A library: workflows and steps run in this process, and their results are in PostgreSQL before they continue. */
export async function open({ deliver }) {
  const step = (order, nth) => DBOS.runStep(() => deliver({ ...order, step_ref: `s${nth}` }), { name: `s${nth}` });
  const steps = DBOS.registerWorkflow(
    async (order) => {
      for (let nth = 0; nth < 3; nth++) await step(order, nth);
    },
    { name: "steps" },
  );
  const fan = DBOS.registerWorkflow(
    async (order) => {
      await Promise.all(Array.from({ length: FAN }, (_, nth) => step(order, nth)));
      await step(order, FAN);
    },
    { name: "fan" },
  );
  const wait = DBOS.registerWorkflow(async (order) => step({ ...order, ...(await DBOS.recv("event", WAIT_SECS)) }, 0), {
    name: "wait",
  });

  const postgres = await startPostgres();
  const pool = new pg.Pool({ ...postgres.connection, max: CONNECTIONS });
  pool.on("error", () => {}); // a connection may still be open when the server stops
  DBOS.setConfig({
    name: "bench",
    systemDatabaseUrl: urlOf(postgres.connection),
    systemDatabasePool: pool,
    logLevel: "error",
  });
  await DBOS.launch();
  const countUnfinished = async () => {
    const { rows } = await pool.query(
      "select count(*)::int from dbos.workflow_status where status in ('ENQUEUED', 'PENDING')",
    );
    return rows[0].count;
  };

  return {
    version: versionOf("@dbos-inc/dbos-sdk"),
    pids: { postgres: postgres.pid },
    clients: 32,
    /** Each client waits for the end: otherwise all workflows would run at once in this process. */
    startSteps: (order) => steps(order),
    startFan: (order) => fan(order),
    startWait: (order) => DBOS.startWorkflow(wait, { workflowID: order.event })(order),
    sendEvent: (event, payload) => DBOS.send(event, payload, "event"),
    countUnfinished,
    countWaiting: countUnfinished,
    close: async () => {
      await DBOS.shutdown();
      await pool.end();
      await postgres.stop();
    },
  };
}

/** Uses the socket, like the pool. */
function urlOf({ host, port, user, database }) {
  return `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;
}

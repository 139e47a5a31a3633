import pg from "pg";
import { runSql, type TestConnection } from "../world/database.ts";
import { until } from "../world/until.ts";

/**
 * A gate in the database at which the service's statements wait while it is closed. Whoever is killed there dies at
 * exactly that statement. They are triggers of the test's database: the service knows nothing of them.
 */
export type Gate = {
  name: string;
  /** Where the trigger is: before each row is written, or at the commit of the transaction that wrote it. */
  at: "write" | "commit";
  on: string;
  event: string;
  when?: string;
};

export type ClosedGate = {
  /** Waits until a session of the service stands at the gate. */
  untilReached: () => Promise<void>;
  /** Lets the sessions that stand there continue, whose clients may be dead: PostgreSQL completes their statement. */
  open: () => Promise<void>;
  /** Ends those sessions first, as if the connection had been lost before the statement was complete. */
  break: () => Promise<void>;
};

export async function buildGates(connection: TestConnection, gates: readonly Gate[]): Promise<void> {
  await runSql(
    connection,
    `create function stand_at_gate() returns trigger language plpgsql as $$ begin
       perform pg_advisory_xact_lock_shared(hashtextextended(tg_argv[0], 0));
       return new;
     end $$`,
  );
  for (const [nth, { name, at, on, event, when = "true" }] of gates.entries()) {
    const kind = at === "write" ? "trigger" : "constraint trigger";
    const time = at === "write" ? `before ${event} on ${on}` : `after ${event} on ${on} deferrable initially deferred`;
    await runSql(
      connection,
      `create ${kind} gate_${nth} ${time} for each row when (${when}) execute function stand_at_gate('${name}')`,
    );
  }
}

export function closeGate(connection: TestConnection, { name }: Gate): Promise<ClosedGate> {
  return hold(connection, "select pg_advisory_xact_lock(hashtextextended($1, 0))", [name]);
}

/** The lock that each sequencer takes before it reads the inbox. */
export function holdHead(connection: TestConnection): Promise<ClosedGate> {
  return hold(connection, "select 1 from changelog_head for update");
}

async function hold(connection: TestConnection, lock: string, values: string[] = []): Promise<ClosedGate> {
  const holder = new pg.Client(connection);
  await holder.connect();
  await holder.query("begin");
  await holder.query(lock, values);
  const { rows } = await holder.query<{ pid: number }>("select pg_backend_pid() as pid");
  const waiting = () =>
    runSql<{ pid: number }>(
      connection,
      `select pid from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and $1 = any(pg_blocking_pids(pid))`,
      [rows[0]?.pid],
    );
  const open = async () => {
    await holder.query("rollback");
    await holder.end();
  };
  return {
    untilReached: async () => void (await until("a session at the gate", 30_000, async () => (await waiting()).length)),
    open,
    break: async () => {
      for (const { pid } of await waiting()) await runSql(connection, "select pg_terminate_backend($1, 5000)", [pid]);
      await open();
    },
  };
}

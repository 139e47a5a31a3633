/**
 * The part of a `pg.Pool` that `drainOutbox` needs.
 *
 * @example
 * const counted = (from: OutboxPool): OutboxPool => ({ connect: () => from.connect() }); // a `pg.Pool` will do as it is
 */
export type OutboxPool = { connect: () => Promise<OutboxConnection> };

/**
 * The part of a `pg.PoolClient` that `drainOutbox` needs.
 *
 * @example
 * const logged: OutboxConnection = { ...connection, release: () => console.log("released") };
 */
export type OutboxConnection = {
  // biome-ignore lint/suspicious/noExplicitAny: the type of `pg`
  query: (text: string, values?: unknown[]) => Promise<{ rows: any[] }>;
  release: (destroy?: boolean) => void;
};

/** `payload` and `options` as JSON text: parsing would round large numbers, which the service refuses instead. */
export type WaitingRow = { id: string; job: string; payload: string; options: string };

const MAX_ROWS = 100;
/** Of one advisory lock: while a process holds it, the others find nothing. */
const LOCK = "pg_try_advisory_xact_lock(hashtext('millrace.enqueued'))";

/** The oldest rows, in a transaction that keeps other processes from reading them. None while another one drains. */
export async function readRows(connection: OutboxConnection): Promise<WaitingRow[]> {
  const { rows: locked } = await connection.query(`select ${LOCK} as is_ours`);
  if (!locked[0]?.is_ours) return [];
  const { rows } = await connection.query(
    `select id, job, payload::text as payload, options::text as options from millrace.enqueued
     where refused_at is null order by seq limit ${MAX_ROWS}`,
  );
  return rows;
}

type Settled = { triggered: readonly string[]; refused: readonly { id: string; code: string; message: string }[] };

export async function settleRows(connection: OutboxConnection, { triggered, refused }: Settled): Promise<void> {
  if (triggered.length > 0)
    await connection.query("delete from millrace.enqueued where id = any($1::uuid[])", [triggered]);
  for (const { id, code, message } of refused) {
    await connection.query(
      "update millrace.enqueued set refused_at = now(), error_code = $2, error = $3 where id = $1",
      [id, code, message],
    );
  }
}

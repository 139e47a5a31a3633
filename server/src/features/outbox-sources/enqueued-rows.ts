import type { RefusedRows } from "@millrace/contract/events/outbox-sources";
import type pg from "pg";

/** A row of `millrace.enqueued` in an application's database. */
export type EnqueuedRow = {
  id: string;
  job: string;
  /** As text, to be parsed as strictly as a request. Null: it is too large. */
  payload: string | null;
  options: string | null;
};

export type Refusal = { id: string; code: string; message: string };

const MAX_ROWS = 200;
const MAX_PAGE_BYTES = 4_194_304;

/**
 * Deletes the rows that became runs, records the refused ones, and reads the next in the order of `enqueue`. One
 * statement, so that a row takes one round trip. The page is bounded in bytes too; its first row is always read.
 */
const NEXT_PAGE = `
  with deleted as (delete from millrace.enqueued where id = any($1::uuid[])),
  refused as (
    update millrace.enqueued e set refused_at = $5::timestamptz, error_code = r.code, error = r.message
    from unnest($2::uuid[], $3::text[], $4::text[]) as r(id, code, message) where e.id = r.id
  ),
  waiting as materialized (
    select seq, id, job, payload::text as payload, options::text as options
    from millrace.enqueued
    where refused_at is null and id <> all($1::uuid[]) and id <> all($2::uuid[])
    order by seq limit ${MAX_ROWS}
  ),
  measured as (
    select *, sum(octet_length(payload) + octet_length(options)) over (order by seq rows between unbounded preceding and 1 preceding) as before
    from waiting
  )
  select id, job, case when octet_length(payload) <= $6 then payload end as payload,
    case when octet_length(options) <= $6 then options end as options
  from measured where coalesce(before, 0) < ${MAX_PAGE_BYTES} order by seq`;

type Finished = { drained_ids: readonly string[]; refused: readonly Refusal[] };

export async function readNextPage(
  client: pg.Client,
  { drained_ids, refused }: Finished,
  { at, max_bytes }: { at: Date; max_bytes: number },
): Promise<EnqueuedRow[]> {
  const columns = [refused.map(({ id }) => id), refused.map(({ code }) => code), refused.map(({ message }) => message)];
  const { rows } = await client.query<EnqueuedRow>(NEXT_PAGE, [drained_ids, ...columns, at, max_bytes]);
  return rows;
}

type RefusedRow = RefusedRows["data"][number];

export async function readRefused(client: pg.Client, max: number): Promise<RefusedRow[]> {
  const { rows } = await client.query<RefusedRow>(
    `select id, left(job, 200) as job, options, json_build_object('code', error_code, 'message', error) as error,
       to_char(enqueued_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as enqueued_at,
       to_char(refused_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as refused_at
     from millrace.enqueued where refused_at is not null order by seq limit $1`,
    [max],
  );
  return rows;
}

/** They wait again, at their old places. */
export async function retryRefused(client: pg.Client): Promise<number> {
  const { rowCount } = await client.query(
    `with retried as (
       update millrace.enqueued set refused_at = null, error_code = null, error = null
       where refused_at is not null returning 1
     )
     select pg_notify('millrace_enqueued', '') from retried`,
  );
  return rowCount ?? 0;
}

/** Counters of the database since its start: rows by table, WAL, commits, statements. */
export async function readWork(client) {
  const rowsOf = async (statement) => (await client.query(statement)).rows;
  const [wal] = await rowsOf("select wal_records::float8 as records, wal_bytes::float8 as bytes from pg_stat_wal");
  const [database] = await rowsOf(`
    select xact_commit::float8 as commits from pg_stat_database where datname = current_database()`);
  const tables = await rowsOf(`
    select regexp_replace(relname, '_(\\d{8}|rest)$', '') as name, sum(n_tup_ins)::float8 as inserted,
      sum(n_tup_upd)::float8 as updated, sum(n_tup_hot_upd)::float8 as hot, sum(n_tup_del)::float8 as deleted,
      sum(idx_scan)::float8 as lookups
    from pg_stat_user_tables group by 1`);
  const statements = await rowsOf(`
    select queryid::text as name, regexp_replace(query, '\\s+', ' ', 'g') as text, calls::float8 as calls,
      rows::float8 as rows, total_exec_time * 1000 as exec_us, total_plan_time * 1000 as plan_us,
      wal_bytes::float8 as wal_bytes
    from pg_stat_statements where dbid = (select oid from pg_database where datname = current_database())
      and query !~ 'pg_stat|log_cursors c, changelog_head h where c.counted_to'`);
  return { wal, database, tables, statements };
}

/** The difference of two lists of counters, per item. */
export function perItem(before, after, n) {
  const known = new Map(before.map((row) => [row.name, row]));
  return after.map((row) => {
    const old = known.get(row.name) ?? {};
    const entries = Object.entries(row).map(([field, value]) => [
      field,
      typeof value === "number" ? (value - (old[field] ?? 0)) / n : value,
    ]);
    return Object.fromEntries(entries);
  });
}

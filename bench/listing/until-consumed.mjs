import { setTimeout as pause } from "node:timers/promises";

/** Waits until the consumers have read what is in the changelog now. `report` is called every 30 s. */
export async function untilConsumed(client, consumers, report) {
  const { rows: heads } = await client.query(HEAD);
  for (let reportedAt = performance.now(); ; await pause(500)) {
    const { rows } = await client.query(IS_READ, [heads[0].position, consumers]);
    if (rows[0].is_read) return;
    if (performance.now() - reportedAt < 30_000) continue;
    process.stderr.write(`${await report()}\n`);
    reportedAt = performance.now();
  }
}

/** In one snapshot, everything committed is either numbered or in the inbox. */
const HEAD = `
  select h.position + (select count(*) from changelog_inbox) as position from changelog_head h`;

const IS_READ = `
  select count(*) = cardinality($2::text[]) as is_read from log_cursors where consumer = any($2) and position >= $1`;

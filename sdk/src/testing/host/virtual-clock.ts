import type { Connections } from "@millrace/server/src/main/open-service.ts";
import pg from "pg";

export type VirtualClock = {
  nowMs: () => Promise<number>;
  /** Sets the current time. The clock continues from there at its normal pace, and never goes back. */
  moveTo: (ms: number) => Promise<void>;
  close: () => Promise<void>;
};

/** The clock of one database: every statement of the service uses `clock()`, whose body is replaced here. */
export async function openVirtualClock(
  connection: Connections["direct"],
  afterMove: () => Promise<void>,
): Promise<VirtualClock> {
  const client = new pg.Client(connection);
  client.on("error", () => {});
  await client.connect();
  let offsetMs = 0;

  async function nowMs(): Promise<number> {
    const { rows } = await client.query<{ ms: string }>("select extract(epoch from clock()) * 1000 as ms");
    return Number(rows[0]?.ms);
  }

  return {
    nowMs,
    moveTo: async (ms) => {
      const aheadMs = Math.ceil(ms - (await nowMs()));
      if (aheadMs <= 0) return;
      offsetMs += aheadMs;
      await client.query(
        `create or replace function clock() returns timestamptz language sql stable parallel safe
         as 'select statement_timestamp() + interval ''${offsetMs} milliseconds'''`,
      );
      await afterMove();
    },
    close: () => client.end(),
  };
}

import { defineJob } from "@millrace/sdk";

type Sale = { at: string; amount: number };

/**
 * Runs every night at three in Lisbon, even when daylight-saving time changes. Even a late run reports the day it was
 * due for.
 */
export function reportJob(salesOf: (day: string) => Sale[]) {
  return defineJob({
    id: "nightly-report",
    schedule: { cron: "0 3 * * *", timezone: "Europe/Lisbon", overlap: "skip" },
    run: async (_: unknown, ctx) => {
      const dueAt = ctx.run.scheduledAt;
      const day = new Date(dueAt.getTime() - 24 * 3_600_000).toISOString().slice(0, 10);
      const sales = salesOf(day);
      const total = sales.reduce((sum, { amount }) => sum + amount, 0);
      ctx.log.info(`report for ${day}`, { sales: sales.length, total });
      return { day, sales: sales.length, total };
    },
  });
}

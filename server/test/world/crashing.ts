import type { Ctx } from "../../src/platform/context.ts";
import type { Transaction } from "../../src/platform/database/db.ts";

/** The point at which the instance dies: before a statement of a transaction, or before or after its commit. */
export type CrashAt = number | "before commit" | "after commit";

export class Crash extends Error {}

/**
 * An instance that dies in the middle of its next transaction. Uncommitted changes are lost, as when a process dies.
 */
export function crashing(ctx: Ctx, at: CrashAt): Ctx {
  return { ...ctx, db: { ...ctx.db, begin: async () => dying(await ctx.db.begin(), at) } };
}

function dying(trx: Transaction, at: CrashAt): Transaction {
  let statements = 0;
  let isCommitted = false;
  return {
    ...trx,
    query: async (text, parameters) => {
      statements += 1;
      if (statements === at) throw new Crash("died");
      return trx.query(text, parameters);
    },
    commit: async (options) => {
      if (at === "after commit") {
        await trx.commit(options);
        isCommitted = true;
      }
      throw new Crash("died");
    },
    rollback: async () => {
      if (!isCommitted) await trx.rollback();
    },
  };
}

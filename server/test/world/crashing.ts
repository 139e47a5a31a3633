import type { Ctx } from "../../src/platform/context.ts";
import type { Db } from "../../src/platform/database/db.ts";

/** The point at which the instance dies: before a statement of a transaction, or before or after its commit. */
export type CrashAt = number | "before commit" | "after commit";

export class Crash extends Error {}

/**
 * An instance that dies in the middle of its next transaction. Uncommitted changes are lost, as when a process dies.
 */
export function crashing(ctx: Ctx, at: CrashAt): Ctx {
  return { ...ctx, db: overriding(ctx.db, { startTransaction: () => ({ execute: () => begin(ctx.db, at) }) }) };
}

async function begin(db: Db, at: CrashAt): Promise<Db> {
  const trx = await db.startTransaction().execute();
  let statements = 0;
  return overriding(trx as Db, {
    getExecutor: () => {
      statements += 1;
      if (statements === at) throw new Crash("died");
      return trx.getExecutor();
    },
    commit: () => ({
      execute: async () => {
        if (at === "after commit") await trx.commit().execute();
        throw new Crash("died");
      },
    }),
    rollback: () => ({ execute: () => (trx.isCommitted ? Promise.resolve() : trx.rollback().execute()) }),
  });
}

function overriding(target: Db, own: Record<string, unknown>): Db {
  return new Proxy(target, {
    get(db, name) {
      if (typeof name === "string" && name in own) return own[name];
      const value = Reflect.get(db, name);
      return typeof value === "function" ? value.bind(db) : value;
    },
  });
}

import type { Ctx } from "../../src/platform/context.ts";

type Db = Ctx["db"];
type Trx = Awaited<ReturnType<ReturnType<Db["startTransaction"]>["execute"]>>;

/**
 * A database whose transactions call a hook before each statement and commit. A hook that throws stops the transaction.
 */
export function watchStatements(db: Db, onStatement: (text: string) => void): Db {
  const startTransaction = () => ({
    execute: async () => watch(await db.startTransaction().execute(), onStatement),
  });
  return replacing(db, { startTransaction });
}

function watchExecutor(executor: ReturnType<Db["getExecutor"]>, onStatement: (text: string) => void): typeof executor {
  const executeQuery = (query: Parameters<typeof executor.executeQuery>[0]) => {
    onStatement(query.sql);
    return executor.executeQuery(query);
  };
  return replacing(executor, { executeQuery });
}

function watch(trx: Trx, onStatement: (text: string) => void): Trx {
  const getExecutor = () => watchExecutor(trx.getExecutor(), onStatement);
  const commit = () => ({
    execute: async () => {
      onStatement("commit");
      return trx.commit().execute();
    },
  });
  return replacing(trx, { getExecutor, commit });
}

function replacing<T extends object>(target: T, own: Record<string, unknown>): T {
  return new Proxy(target, {
    get: (object, name) => {
      if (typeof name === "string" && name in own) return own[name];
      const value = Reflect.get(object, name);
      return typeof value === "function" ? value.bind(object) : value;
    },
  });
}

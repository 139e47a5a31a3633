import type { Db, Transaction } from "../../src/platform/database/db.ts";

/**
 * A database whose transactions call a hook before each statement and commit. A hook that throws stops the transaction.
 */
export function watchStatements(db: Db, onStatement: (text: string) => void): Db {
  return { ...db, begin: async () => watch(await db.begin(), onStatement) };
}

function watch(trx: Transaction, onStatement: (text: string) => void): Transaction {
  return {
    ...trx,
    query: async (text, parameters) => {
      onStatement(text);
      return trx.query(text, parameters);
    },
    commit: async (options) => {
      onStatement("commit");
      await trx.commit(options);
    },
  };
}

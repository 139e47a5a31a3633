import type { ControlledTransaction } from "kysely";
import { isConsequence } from "./database-errors.ts";
import type { Db } from "./db.ts";

/**
 * Pipelines the statements of a transaction: those that do not depend on each other's results are sent together and run
 * in the order of the calls. Kysely alone sends a statement after the previous one has returned.
 */
export function withPipelining(db: Db): Db {
  const start = db.startTransaction.bind(db);
  db.startTransaction = () => {
    const builder = start();
    const execute = builder.execute.bind(builder);
    builder.execute = async () => pipelineStatements(await execute());
    return builder;
  };
  return db;
}

// biome-ignore lint/suspicious/noExplicitAny: as `Db`
type Transaction = ControlledTransaction<any, []>;

async function pipelineStatements(trx: Transaction): Promise<Transaction> {
  const sequential = trx.getExecutor();
  const connection = await sequential.provideConnection(async (own) => own);
  const isOver = noteEnd(trx);
  let failure: unknown;
  const pipelined = sequential.withConnectionProvider({
    provideConnection: async (consumer) => {
      if (isOver()) throw new Error("a statement was sent after the end of its transaction");
      try {
        return await consumer(connection);
      } catch (error) {
        // Statements pipelined after a failed one fail because of it: the first error decides whether to retry.
        failure ??= error;
        throw isConsequence(error) ? failure : error;
      }
    },
  });
  trx.getExecutor = () => pipelined;
  return trx;
}

/**
 * Set from the call that ends the transaction. When one of several concurrent parts fails, another may continue: its
 * statements after the rollback would run in a transaction of their own.
 */
function noteEnd(trx: Transaction): () => boolean {
  let isOver = false;
  for (const name of ["commit", "rollback"] as const) {
    const end = trx[name].bind(trx);
    trx[name] = () => {
      isOver = true;
      return end();
    };
  }
  return () => isOver;
}

import type { ControlledTransaction } from "kysely";
import { isConsequence } from "./database-errors.ts";
import type { Db } from "./db.ts";

/**
 * Lets the transactions of a database send each statement when it is asked for: those that do not need each other's
 * answers go out together and are run in the order of the calls. Kysely alone sends one when the one before is answered.
 */
export function sendingAtOnce(db: Db): Db {
  const start = db.startTransaction.bind(db);
  db.startTransaction = () => {
    const builder = start();
    const execute = builder.execute.bind(builder);
    builder.execute = async () => sendAtOnce(await execute());
    return builder;
  };
  return db;
}

// biome-ignore lint/suspicious/noExplicitAny: as `Db`
type Transaction = ControlledTransaction<any, []>;

async function sendAtOnce(trx: Transaction): Promise<Transaction> {
  const inTurn = trx.getExecutor();
  const connection = await inTurn.provideConnection(async (own) => own);
  const isOver = noteEnd(trx);
  let failure: unknown;
  const atOnce = inTurn.withConnectionProvider({
    provideConnection: async (consumer) => {
      if (isOver()) throw new Error("a statement came after the end of its transaction");
      try {
        return await consumer(connection);
      } catch (error) {
        // What was sent behind a statement that failed fails for that alone: the first tells whether to try again.
        failure ??= error;
        throw isConsequence(error) ? failure : error;
      }
    },
  });
  trx.getExecutor = () => atOnce;
  return trx;
}

/**
 * From the call on that ends it. Of work that is done side by side one part may fail while another goes on: what that
 * sent behind the rollback would be a transaction of its own.
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

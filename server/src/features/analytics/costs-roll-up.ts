import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { followLog } from "../../platform/ledger/follow-log.ts";
import { bookDispatch, bookUsage, newBook, type Usage } from "./costs-book.ts";
import { type Move, readDispatches } from "./costs-dispatches.ts";
import { readRunFacts } from "./costs-run-facts.ts";
import { writeBook } from "./costs-write.ts";

/**
 * Books what dispatches and reported usage have cost. Both are followed in the order of their transactions, and the
 * place moves with the sums: each is booked exactly once. True: there is more.
 */
export async function rollUpCosts(ctx: Ctx): Promise<boolean> {
  const isMoreEnded = await followLog<Move>(ctx, {
    ...{
      name: "roll-up-costs/dispatches",
      log: "run_transitions",
      from: "start",
      only: sql`l.from_status = 'running'`,
      isPatient: true,
    },
    take: bookDispatches,
  });
  const isMoreUsed = await followLog<Usage>(ctx, {
    ...{ name: "roll-up-costs/usage", log: "run_usage", from: "start", isPatient: true },
    take: bookReports,
  });
  return isMoreEnded || isMoreUsed;
}

async function bookDispatches(tx: Ctx & InTransaction, moves: Move[]): Promise<void> {
  const [facts, dispatches] = await Promise.all([readRunFacts(tx, moves), readDispatches(tx, moves)]);
  const book = newBook();
  for (const dispatch of dispatches) {
    const run = facts.get(dispatch.run_id);
    if (run) bookDispatch(book, run, dispatch);
  }
  await writeBook(tx, book);
}

async function bookReports(tx: Ctx & InTransaction, reports: Usage[]): Promise<void> {
  const facts = await readRunFacts(tx, reports);
  const book = newBook();
  for (const usage of reports) {
    const run = facts.get(usage.run_id);
    if (run) bookUsage(book, run, usage);
  }
  await writeBook(tx, book);
}

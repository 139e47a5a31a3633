import type { Ctx } from "../../src/platform/context.ts";
import type { Transaction } from "../../src/platform/database/db.ts";

type Line = { "QUERY PLAN": string };

/**
 * Returns the plans that a session of the service makes now for the first statement of a function: the custom plan for
 * these values, and the generic plan, which a prepared statement switches to.
 */
export async function plansOf(ctx: Ctx, work: (ctx: Ctx) => Promise<unknown>): Promise<string[]> {
  const [statement] = await statementsOf(ctx, work);
  if (!statement) throw new Error("no statement was sent");
  const explains = [ctx.db.query<Line>(`explain ${statement.text}`, statement.parameters)];
  if (await supportsGenericPlans(ctx))
    explains.push(ctx.db.query<Line>(`explain (generic_plan) ${statement.text}`, []));
  const responses = await Promise.all(explains);
  return responses.map(({ rows }) => rows.map((line) => line["QUERY PLAN"]).join("\n"));
}

/** Available since PostgreSQL 16. */
async function supportsGenericPlans(ctx: Ctx): Promise<boolean> {
  const { rows } = await ctx.db.query<{ version: number }>(
    "select current_setting('server_version_num')::int as version",
    [],
  );
  return (rows[0]?.version ?? 0) >= 160_000;
}

type Statement = { text: string; parameters: unknown[] };

/** Records the statements that a function would send, without sending them: the function sees no rows. */
async function statementsOf(ctx: Ctx, work: (ctx: Ctx) => Promise<unknown>): Promise<Statement[]> {
  const sent: Statement[] = [];
  const query = async (text: string, parameters: unknown[]) => {
    sent.push({ text, parameters });
    return { rows: [], rowCount: 0 };
  };
  const nothing = async () => {};
  const begin = async (): Promise<Transaction> => ({ query, begin, commit: nothing, rollback: nothing });
  await work({ ...ctx, db: { query, begin } });
  return sent;
}

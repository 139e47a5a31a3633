import {
  CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from "kysely";
import type { Ctx } from "../../src/platform/context.ts";

type Line = { "QUERY PLAN": string };

/**
 * Returns the plans that a session of the service makes now for the first statement of a function: the custom plan for
 * these values, and the generic plan, which a prepared statement switches to.
 */
export async function plansOf(ctx: Ctx, work: (ctx: Ctx) => Promise<unknown>): Promise<string[]> {
  const [statement] = await statementsOf(ctx, work);
  if (!statement) throw new Error("no statement was sent");
  const explains = [CompiledQuery.raw(`explain ${statement.sql}`, [...statement.parameters])];
  if (await supportsGenericPlans(ctx)) explains.push(CompiledQuery.raw(`explain (generic_plan) ${statement.sql}`));
  const responses = await Promise.all(explains.map((explain) => ctx.db.executeQuery<Line>(explain)));
  return responses.map(({ rows }) => rows.map((line) => line["QUERY PLAN"]).join("\n"));
}

/** Available since PostgreSQL 16. */
async function supportsGenericPlans(ctx: Ctx): Promise<boolean> {
  const { rows } = await ctx.db.executeQuery<{ version: number }>(
    CompiledQuery.raw("select current_setting('server_version_num')::int as version"),
  );
  return (rows[0]?.version ?? 0) >= 160_000;
}

/** Records the statements that a function would send, without sending them: the function sees no rows. */
async function statementsOf(ctx: Ctx, work: (ctx: Ctx) => Promise<unknown>): Promise<CompiledQuery[]> {
  const sent: CompiledQuery[] = [];
  const db = new Kysely({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (each) => new PostgresIntrospector(each),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    log: ({ query }) => void sent.push(query),
  });
  await work({ ...ctx, db });
  return sent;
}

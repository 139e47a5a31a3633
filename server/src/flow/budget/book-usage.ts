import { sql } from "kysely";
import type { Ctx, InTransaction } from "../../platform/context.ts";
import { endsDispatch, type PricedMove } from "./price-moves.ts";

const COUNTS = [
  "completed",
  "failed",
  "timed_out",
  "canceled",
  "dispatches",
  "compute_ms",
  "compute_microusd",
] as const;
const REPORTS = ["reported_microusd", "input_tokens", "output_tokens"] as const;

type Count = (typeof COUNTS)[number];
type Place = { project_id: string; period_starts_at: string };
type Usage = Place & Record<Count | (typeof REPORTS)[number], number>;
type Reported = Place & Record<(typeof REPORTS)[number], number>;

/**
 * Books dispatches to the month in which they ended, and what they reported to the month in which they did. Usage is
 * reported under the lease of its dispatch: with the move that ends it all of it is there. Answers the projects.
 */
export async function bookUsage(tx: Ctx & InTransaction, moves: readonly PricedMove[]): Promise<string[]> {
  const book = new Map<string, Usage>();
  for (const move of moves) bookMove(book, move);
  for (const reported of await readReported(tx, moves.filter(endsDispatch))) {
    const usage = usageAt(book, reported);
    for (const name of REPORTS) usage[name] = reported[name];
  }
  await writeUsage(tx, [...book.values()]);
  return [...new Set(moves.map((move) => move.project_id))];
}

function bookMove(book: Map<string, Usage>, move: PricedMove): void {
  const { project_id, created_at, to_status, wall_ms, compute_microusd } = move;
  const usage = usageAt(book, { project_id, period_starts_at: periodOf(created_at) });
  if (isCount(to_status)) usage[to_status]++;
  if (endsDispatch(move)) usage.dispatches++;
  usage.compute_ms += wall_ms;
  usage.compute_microusd = Math.min(usage.compute_microusd + compute_microusd, Number.MAX_SAFE_INTEGER);
}

function isCount(status: string): status is Count {
  return (COUNTS as readonly string[]).includes(status);
}

function usageAt(book: Map<string, Usage>, { project_id, period_starts_at }: Place): Usage {
  const key = `${project_id} ${period_starts_at}`;
  const zeros = Object.fromEntries([...COUNTS, ...REPORTS].map((name) => [name, 0]));
  const usage = book.get(key) ?? ({ project_id, period_starts_at, ...zeros } as Usage);
  book.set(key, usage);
  return usage;
}

function periodOf(iso: string): string {
  const at = new Date(iso);
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth())).toISOString();
}

async function readReported(tx: Ctx & InTransaction, moves: readonly PricedMove[]): Promise<Reported[]> {
  const given = moves.map(({ project_id, run_id, attempt }) => ({ project_id, run_id, attempt }));
  const { rows } = await sql<Reported>`
    select g.project_id, date_trunc('month', u.created_at, 'UTC')::timestamptz(3) as period_starts_at,
      ${atMost("sum(u.cost_microusd)")} as reported_microusd,
      ${atMost("coalesce(sum(u.input_tokens), 0)")} as input_tokens,
      ${atMost("coalesce(sum(u.output_tokens), 0)")} as output_tokens
    from json_to_recordset(${JSON.stringify(given)}::json) as g(project_id uuid, run_id uuid, attempt int), lateral (
      select u.created_at, u.cost_microusd, u.input_tokens, u.output_tokens from run_usage u
      where u.project_id = g.project_id and u.run_id = g.run_id and u.attempt = g.attempt offset 0
    ) u
    group by 1, 2`.execute(tx.db);
  return rows;
}

/** In the order of their keys, as everybody locks them. */
async function writeUsage(tx: Ctx & InTransaction, usages: Usage[]): Promise<void> {
  const names = [...COUNTS, ...REPORTS];
  const columns = sql.join(names.map((name) => sql.ref(name)));
  const types = sql.join(names.map((name) => sql`${sql.ref(name)} bigint`));
  const sums = names.map((name) => sql`${sql.ref(name)} = ${atMost(`u.${name}::numeric + excluded.${name}`)}`);
  await sql`
    insert into usage_periods as u (project_id, period_starts_at, ${columns}, updated_at)
    select project_id, period_starts_at, ${columns}, clock()
    from json_to_recordset(${JSON.stringify(usages)}::json) as g(project_id uuid, period_starts_at timestamptz(3), ${types})
    order by project_id, period_starts_at
    on conflict (project_id, period_starts_at) do update set ${sql.join(sums)}, updated_at = clock()`.execute(tx.db);
}

/** The largest number that is kept exactly: beyond it a sum would be rounded. */
function atMost(amount: string) {
  return sql`least(${sql.raw(amount)}, ${sql.lit(Number.MAX_SAFE_INTEGER)})::bigint`;
}

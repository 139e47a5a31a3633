import { runSql, type TestConnection } from "../../world/database.ts";

/** Each delivery of a transition, and those that were inserted after one of a later position of the same subscription. */
const OVERTAKEN = `
  with positions as (
    select c.project_id, c.position, m.run_id, m.ordinal
    from changelog c cross join lateral unnest(c.ids, c.ordinals) as m(run_id, ordinal) where c.kind = 'run'
  ),
  deliveries as (
    select d.subscription_id, d.created_at, p.position, max(d.created_at) over (
        partition by d.subscription_id order by p.position range between unbounded preceding and 1 preceding
      ) as before
    from webhook_deliveries d join positions p on p.project_id = d.project_id and p.run_id = d.source_id::uuid
      and p.ordinal = (d.body::json -> 'transition' ->> 'ordinal')::int
    where d.project_id = any($1::uuid[]) and d.source_type = 'run'
  )
  select count(*)::int as deliveries, count(*) filter (where before > created_at)::int as overtaken from deliveries`;

type Written = { deliveries: number; overtaken: number };

export async function writtenDeliveries(connection: TestConnection, project_ids: string[]): Promise<Written> {
  const [found] = await runSql<Written>(connection, OVERTAKEN, [project_ids]);
  if (!found) throw new Error("a count has no row");
  return found;
}

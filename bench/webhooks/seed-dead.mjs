/** Creates webhooks to the dead receivers, due immediately, in the benchmark's project. */
export async function seedDead(client, urls, each) {
  await client.query(SEED, [urls, each]);
  await client.query("analyze webhook_deliveries");
}

const SEED = `
  insert into webhook_deliveries (project_id, id, url, host, event_type, body, source_type, source_id, status,
    next_attempt_at, created_at, updated_at)
  select p.project_id, gen_random_uuid(), u.url, split_part(u.url, '/', 3), 'bench.dead', '{}', 'bench', 'dead',
    'pending', clock(), clock(), clock()
  from (select project_id from workflows limit 1) p, unnest($1::text[]) as u(url), generate_series(1, $2::int)`;

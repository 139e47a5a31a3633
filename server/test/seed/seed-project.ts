import { hashKey, keyPrefix, newKey } from "../../src/platform/access/credentials/key-format.ts";
import type { Ctx } from "../../src/platform/context.ts";
import { newId } from "../../src/platform/ids.ts";
import { newSigningSecret } from "../../src/platform/secrets/sign.ts";
import { runSql, type TestConnection } from "../world/database.ts";

export type SeededProject = { id: string; slug: string; webhook_secret: string; key: string; key_id: string };

/**
 * Inserts a project with its standard environments and a key with every scope in one statement, as the two API requests
 * would, but without their audit events. Most tests begin with it.
 */
export async function seedProject(
  { encryption }: Pick<Ctx, "encryption">,
  connection: TestConnection,
): Promise<SeededProject> {
  const [id, key_id, webhook_secret, key] = [newId(), newId(), newSigningSecret(), newKey()];
  const name = `Project ${newId().slice(-6)}`;
  const slug = `${name.toLowerCase().replace(" ", "-")}-${newId().slice(-6)}`;
  const { dataKey, wrapped } = encryption.newDataKey();
  const encrypt = (place: string, text: string) => encryption.encryptWith(dataKey, `${id}/${place}`, text);
  const environments = ["Production", "Staging", "Development"].map((each) => ({ id: newId(), name: each }));
  await runSql(connection, {
    name: "seed-project",
    text: SEED_PROJECT,
    values: [
      ...[id, slug, name, wrapped, encrypt("webhook_secret", webhook_secret)],
      ...[environments.map((each) => each.id), environments.map((each) => each.name)],
      environments.map((each) => encrypt(`${each.id}/variables`, "{}")),
      ...[key_id, keyPrefix(key), hashKey(key)],
    ],
  });
  return { id, slug, webhook_secret, key, key_id };
}

const SEED_PROJECT = `
  with project as (
    insert into projects (id, slug, name, compute_rate_microusd_per_sec, wrapped_data_key, webhook_secret, created_at, updated_at)
    values ($1, $2, $3, 20, $4, $5, clock(), clock())
  ),
  environment as (
    insert into environments (project_id, id, slug, name, is_standard, variables, created_at, updated_at)
    select $1, e.id, lower(e.name), e.name, true, e.variables, clock(), clock()
    from unnest($6::uuid[], $7::text[], $8::bytea[]) as e(id, name, variables)
  ),
  queue as (
    insert into queues (project_id, id, name, created_by, created_at, updated_at)
    values ($1, gen_random_uuid(), 'default', 'service', clock(), clock())
  ),
  key as (
    insert into api_keys (project_id, id, name, key_prefix, rotated_at, created_by, created_at, updated_at)
    values ($1, $9, 'test key', $10, clock(), 'internal secret', clock(), clock())
  )
  insert into api_key_secrets (hash, project_id, key_id, created_at) values ($11, $1, $9, clock())`;

type SeedKey = { name?: string; scopes?: readonly string[] | null };

/** Another key of a project, in one statement, without its audit event. */
export async function seedKey(
  connection: TestConnection,
  project_id: string,
  { name = "test key", scopes = null }: SeedKey,
): Promise<{ id: string; key: string }> {
  const [id, key] = [newId(), newKey()];
  await runSql(connection, {
    name: "seed-key",
    text: `
      with key as (
        insert into api_keys (project_id, id, name, scopes, key_prefix, rotated_at, created_by, created_at, updated_at)
        values ($1, $2, $3, $4, $5, clock(), 'internal secret', clock(), clock())
      )
      insert into api_key_secrets (hash, project_id, key_id, created_at) values ($6, $1, $2, clock())`,
    values: [project_id, id, name, scopes, keyPrefix(key), hashKey(key)],
  });
  return { id, key };
}

/** Keys with other fields, such as an environment or limits, are created by the API. */
export function canSeedKey(fields: Record<string, unknown>): fields is SeedKey {
  return Object.keys(fields).every((name) => ["name", "scopes"].includes(name));
}

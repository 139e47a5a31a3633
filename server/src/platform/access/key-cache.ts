import type { ScopeList } from "@millrace/contract/scopes";
import { sql } from "kysely";
import { LRUCache } from "lru-cache";
import type { Db } from "../database/db.ts";

export type KnownKey = {
  project_id: string;
  key_id: string;
  name: string;
  environment_id: string | null;
  /** As long as the key's project belongs to it. */
  org_id: string | null;
  scopes: ScopeList;
  /** The earlier of the key's expiry and the end of this secret's grace, in milliseconds; null: neither; 0: past. */
  valid_until_ms: number | null;
  revoked: boolean;
};

type KeyId = { project_id: string; key_id: string };

export type KeyCache = {
  /**
   * The key behind a secret's hash, at most a second old; one that is known is not waited for. Expiry is the caller's to
   * compare at each request.
   */
  find: (db: Db, hash: Buffer) => Found | Promise<Found>;
  /** The same by its id, for tokens that a key has made. */
  findById: (db: Db, key: KeyId) => Found | Promise<Found>;
  /**
   * Called after every change to a key, so that it acts at once on this instance, and within the second elsewhere.
   * Forgets all of them: one that is being read just now cannot be told apart, and a second later all are read anew.
   */
  clear: () => void;
};

type Found = KnownKey | undefined;
type Cached = { asked: Promise<Found>; found: Found; until_ms: number };

const FRESH_MS = 1_000;
const MOST_KEYS = 10_000;

export function openKeyCache(): KeyCache {
  const cache = new LRUCache<string, Cached>({ max: MOST_KEYS });

  function cached(name: string, read: () => Promise<Found>): Found | Promise<Found> {
    const known = cache.get(name);
    if (known && known.until_ms > performance.now()) return known.found ?? known.asked;
    // The promise is kept, so that a burst with the same key asks once.
    const fresh: Cached = { asked: read(), found: undefined, until_ms: performance.now() + FRESH_MS };
    cache.set(name, fresh);
    fresh.asked.then(
      (found) => {
        fresh.found = found;
      },
      () => cache.delete(name),
    );
    return fresh.asked;
  }

  return {
    find: (db, hash) => cached(hash.toString("latin1"), () => readKey(db, hash)),
    findById: (db, key) => cached(`${key.project_id}:${key.key_id}`, () => readKeyById(db, key)),
    clear: () => cache.clear(),
  };
}

/**
 * By hash alone: which project is asking is what this statement finds out. What is past is told as such by the
 * database's own clock, since this instance's idea of it may be a little behind.
 */
async function readKey(db: Db, hash: Buffer): Promise<Found> {
  const { rows } = await sql<KnownKey>`
    select s.project_id, s.key_id, k.name, k.environment_id, k.scopes,
      case when k.org_id = p.org_id then k.org_id end as org_id,
      case when least(s.valid_until, k.expires_at) <= clock() then 0
        else extract(epoch from least(s.valid_until, k.expires_at))::float8 * 1000 end as valid_until_ms,
      k.revoked_at is not null or p.deleted_at is not null as revoked
    from api_key_secrets s
    join api_keys k on k.project_id = s.project_id and k.id = s.key_id
    join projects p on p.id = s.project_id
    where s.hash = ${hash}`.execute(db);
  return rows[0];
}

async function readKeyById(db: Db, { project_id, key_id }: KeyId): Promise<Found> {
  const { rows } = await sql<KnownKey>`
    select k.project_id, k.id as key_id, k.name, k.environment_id, k.scopes, null as org_id,
      case when k.expires_at <= clock() then 0 else extract(epoch from k.expires_at)::float8 * 1000 end as valid_until_ms,
      k.revoked_at is not null or p.deleted_at is not null as revoked
    from api_keys k join projects p on p.id = k.project_id
    where k.project_id = ${project_id} and k.id = ${key_id}`.execute(db);
  return rows[0];
}

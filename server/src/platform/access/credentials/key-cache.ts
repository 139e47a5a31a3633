import type { ApiKey } from "@millrace/contract/access/api-keys";
import type { ScopeList } from "@millrace/contract/access/scopes";
import { LRUCache } from "lru-cache";
import type { Db } from "../../database/db.ts";
import { sql } from "../../database/sql.ts";

export type KnownKey = {
  project_id: string;
  key_id: string;
  name: string;
  /** Of a personal key: the person whom it acts for. */
  subject: string | null;
  environment_id: string | null;
  /** Null when the key's project belongs to no organization. */
  org_id: string | null;
  scopes: ScopeList;
  queues: readonly string[] | null;
  worker_environment_ids: readonly string[] | null;
  /** The earlier of the key's expiry and the end of this secret's grace, in milliseconds; null: neither; 0: past. */
  valid_until_ms: number | null;
  revoked: boolean;
  /** Limits of the key's own, which replace those of the client address. */
  rate_limits: ApiKey["rate_limits"];
};

type KeyId = { project_id: string; key_id: string };

export type KeyCache = {
  /**
   * Returns the key for a secret's hash, at most a second old; a cached key needs no await. The caller compares the
   * expiry at each request.
   */
  find: (db: Db, hash: Buffer) => Found | Promise<Found>;
  /** The same by key id, for tokens that a key made. */
  findById: (db: Db, key: KeyId) => Found | Promise<Found>;
  /**
   * Called after every change to a key: effective at once on this instance, within a second on the others. Clears the
   * whole cache, because a read in flight cannot be matched to a key; entries live only a second anyway.
   */
  clear: () => void;
};

type Found = KnownKey | undefined;
type Cached = { reading: Promise<Found>; found: Found; until_ms: number };

const FRESH_MS = 1_000;
const MAX_KEYS = 10_000;

export function openKeyCache(): KeyCache {
  const cache = new LRUCache<string, Cached>({ max: MAX_KEYS });
  const readKey = openReader();

  function cached(name: string, read: () => Promise<Found>): Found | Promise<Found> {
    const known = cache.get(name);
    if (known && known.until_ms > performance.now()) return known.found ?? known.reading;
    // The promise is cached, so a burst with the same key reads once.
    const fresh: Cached = { reading: read(), found: undefined, until_ms: performance.now() + FRESH_MS };
    cache.set(name, fresh);
    fresh.reading.then(
      (found) => {
        fresh.found = found;
      },
      () => cache.delete(name),
    );
    return fresh.reading;
  }

  return {
    find: (db, hash) => cached(hash.toString("latin1"), () => readKey(db, hash)),
    findById: (db, key) => cached(`${key.project_id}:${key.key_id}`, () => readKeyById(db, key)),
    clear: () => cache.clear(),
  };
}

type Asked = { hash: Buffer; resolve: (found: Found) => void; reject: (error: unknown) => void };

/** Reads keys by their hashes. Those asked for in one iteration of the event loop share a statement. */
function openReader() {
  let asked: Asked[] = [];

  async function readAsked(db: Db): Promise<void> {
    const some = asked;
    asked = [];
    try {
      const keys = await readKeys(
        db,
        some.map(({ hash }) => hash),
      );
      for (const [nth, { resolve }] of some.entries()) resolve(keys.get(nth + 1));
    } catch (error) {
      for (const { reject } of some) reject(error);
    }
  }

  return (db: Db, hash: Buffer) =>
    new Promise<Found>((resolve, reject) => {
      if (asked.push({ hash, resolve, reject }) === 1) setImmediate(() => void readAsked(db));
    });
}

/**
 * By hash alone: this statement finds the project. The database's clock decides what has expired, since this instance's
 * clock may be slightly behind. Returns the keys by the position of their hash, from 1 on.
 */
async function readKeys(db: Db, hashes: readonly Buffer[]): Promise<Map<number, KnownKey>> {
  const { rows } = await sql<KnownKey & { nth: number }>`
    /* prepared */
    select g.nth::int, s.project_id, s.key_id, k.name, k.subject, k.environment_id, k.scopes, k.rate_limits, k.queues,
      k.worker_environment_ids,
      case when k.org_id = p.org_id then k.org_id end as org_id,
      case when least(s.valid_until, k.expires_at) <= clock() then 0
        else extract(epoch from least(s.valid_until, k.expires_at))::float8 * 1000 end as valid_until_ms,
      k.revoked_at is not null or p.deleted_at is not null as revoked
    from unnest(${hashes}::bytea[]) with ordinality as g(hash, nth)
    cross join lateral (select s.* from api_key_secrets s where s.hash = g.hash offset 0) s
    cross join lateral (select k.* from api_keys k where k.project_id = s.project_id and k.id = s.key_id offset 0) k
    cross join lateral (select p.org_id, p.deleted_at from projects p where p.id = s.project_id offset 0) p`.executeTogether(
    db,
  );
  return new Map(rows.map(({ nth, ...key }) => [nth, key]));
}

async function readKeyById(db: Db, { project_id, key_id }: KeyId): Promise<Found> {
  const { rows } = await sql<KnownKey>`
    /* prepared */
    select k.project_id, k.id as key_id, k.name, k.subject, k.environment_id, k.scopes, k.rate_limits, k.queues,
      k.worker_environment_ids, null as org_id,
      case when k.expires_at <= clock() then 0 else extract(epoch from k.expires_at)::float8 * 1000 end as valid_until_ms,
      k.revoked_at is not null or p.deleted_at is not null as revoked
    from api_keys k join projects p on p.id = k.project_id
    where k.project_id = ${project_id} and k.id = ${key_id}`.execute(db);
  return rows[0];
}

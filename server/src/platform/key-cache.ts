import type { ScopeList } from "@millrace/contract/scopes";
import { sql } from "kysely";
import { LRUCache } from "lru-cache";
import type { Db } from "./db.ts";

export type KnownKey = {
  project_id: string;
  key_id: string;
  name: string;
  environment_id: string | null;
  org_id: string | null;
  scopes: ScopeList;
  /** The earlier of the key's expiry and the end of this secret's grace, in milliseconds; null: neither. */
  valid_until_ms: number | null;
  revoked: boolean;
};

export type KeyCache = {
  /** The key behind a secret's hash, at most a second old. Expiry is the caller's to compare at each request. */
  find: (db: Db, hash: Buffer) => Promise<KnownKey | undefined>;
  /** Revocation and rotation act at once on this instance, and within the second elsewhere. */
  forgetKey: (key_id: string) => void;
  clear: () => void;
};

const FRESH_MS = 1_000;
const MOST_KEYS = 10_000;

export function openKeyCache(): KeyCache {
  const cache = new LRUCache<string, Promise<KnownKey | undefined>>({ max: MOST_KEYS, ttl: FRESH_MS });

  return {
    find: (db, hash) => {
      const name = hash.toString("base64");
      const cached = cache.get(name);
      if (cached) return cached;
      // The promise is kept, so that a burst with the same key asks once.
      const asked = readKey(db, hash);
      cache.set(name, asked);
      asked.catch(() => cache.delete(name));
      return asked;
    },
    forgetKey: (key_id) => {
      for (const [name, asked] of cache.entries()) {
        void asked.then(
          (key) => key?.key_id === key_id && cache.delete(name),
          () => {},
        );
      }
    },
    clear: () => cache.clear(),
  };
}

/** By hash alone: which project is asking is what this statement finds out. */
async function readKey(db: Db, hash: Buffer): Promise<KnownKey | undefined> {
  const { rows } = await sql<KnownKey>`
    select s.project_id, s.key_id, k.name, k.environment_id, k.org_id, k.scopes,
      extract(epoch from least(s.valid_until, k.expires_at))::float8 * 1000 as valid_until_ms,
      k.revoked_at is not null or p.deleted_at is not null as revoked
    from api_key_secrets s
    join api_keys k on k.project_id = s.project_id and k.id = s.key_id
    join projects p on p.id = s.project_id
    where s.hash = ${hash}`.execute(db);
  return rows[0];
}

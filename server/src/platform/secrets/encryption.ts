import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Db } from "../database/db.ts";
import { sql } from "../database/sql.ts";

/**
 * Encryption at rest. Each project has its own random key, stored wrapped by ENCRYPTION_KEY, and its data is encrypted
 * with it. A ciphertext is bound to its `context`, project and purpose, so it cannot be moved to another row.
 */
export type Encryption = {
  newDataKey: () => { dataKey: Buffer; wrapped: Buffer };
  /** With a key that the caller holds: of a new project, or derived from a secret that is not stored. */
  encryptWith: (dataKey: Buffer, context: string, text: string) => Buffer;
  decryptWith: (dataKey: Buffer, context: string, encrypted: Buffer) => string;
  encryptText: (db: Db, project_id: string, context: string, text: string) => Promise<Buffer>;
  decryptText: (db: Db, project_id: string, context: string, encrypted: Buffer) => Promise<string>;
  /** The first bytes of every data key wrapped by the current ENCRYPTION_KEY. */
  wrappingKeyId: Buffer;
  /** The same data key wrapped by the current ENCRYPTION_KEY. */
  rewrap: (wrapped: Buffer) => Buffer;
};

const VERSION = 1;
const IV_BYTES = 12; // the standard length for GCM
const TAG_BYTES = 16;
const KEY_ID_BYTES = 4;
const MAX_CACHED_KEYS = 5_000;

export function openEncryption(encryptionKeys: readonly string[]): Encryption {
  const [first, ...rest] = encryptionKeys.map((secret) =>
    createHash("sha256").update(`millrace wrap ${secret}`).digest(),
  );
  if (!first) throw new Error("ENCRYPTION_KEY is empty");
  const wrappingKeys = [first, ...rest];
  const dataKeys = new LRUCache<string, Buffer>({ max: MAX_CACHED_KEYS });

  const wrap = (dataKey: Buffer) => Buffer.concat([keyId(first), encrypt(first, "data key", dataKey)]);

  function unwrap(wrapped: Buffer): Buffer {
    const id = wrapped.subarray(0, KEY_ID_BYTES);
    const key = wrappingKeys.find((candidate) => keyId(candidate).equals(id));
    if (!key)
      throw new Error("no value of ENCRYPTION_KEY decrypts this project's data: add the one it was encrypted with");
    return decrypt(key, "data key", wrapped.subarray(KEY_ID_BYTES));
  }

  async function dataKeyOf(db: Db, project_id: string): Promise<Buffer> {
    const cached = dataKeys.get(project_id);
    if (cached) return cached;
    const { rows } = await sql<{ wrapped_data_key: Buffer }>`
      select wrapped_data_key from projects where id = ${project_id}`.execute(db);
    if (!rows[0]) throw new Error(`project ${project_id} has no data key`);
    const dataKey = unwrap(rows[0].wrapped_data_key);
    dataKeys.set(project_id, dataKey);
    return dataKey;
  }

  return {
    newDataKey: () => {
      const dataKey = randomBytes(32);
      return { dataKey, wrapped: wrap(dataKey) };
    },
    encryptWith: (dataKey, context, text) => encrypt(dataKey, context, Buffer.from(text)),
    decryptWith: (dataKey, context, encrypted) => decrypt(dataKey, context, encrypted).toString("utf8"),
    encryptText: async (db, project_id, context, text) =>
      encrypt(await dataKeyOf(db, project_id), context, Buffer.from(text)),
    decryptText: async (db, project_id, context, encrypted) =>
      decrypt(await dataKeyOf(db, project_id), context, encrypted).toString("utf8"),
    wrappingKeyId: keyId(first),
    rewrap: (wrapped) => wrap(unwrap(wrapped)),
  };
}

/** Identifies a wrapping key without revealing it. */
function keyId(key: Buffer): Buffer {
  return createHash("sha256").update("millrace key id").update(key).digest().subarray(0, KEY_ID_BYTES);
}

/** version · iv · tag · ciphertext */
function encrypt(key: Buffer, context: string, plain: Buffer): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(Buffer.from(context));
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([Buffer.of(VERSION), iv, cipher.getAuthTag(), body]);
}

function decrypt(key: Buffer, context: string, encrypted: Buffer): Buffer {
  if (encrypted[0] !== VERSION) throw new Error(`encrypted value of unknown version ${encrypted[0]}`);
  const iv = encrypted.subarray(1, 1 + IV_BYTES);
  const tag = encrypted.subarray(1 + IV_BYTES, 1 + IV_BYTES + TAG_BYTES);
  // Set explicitly: by default a shorter tag, which is easier to guess, would be accepted.
  const whole = { authTagLength: TAG_BYTES };
  const decipher = createDecipheriv("aes-256-gcm", key, iv, whole).setAAD(Buffer.from(context)).setAuthTag(tag);
  return Buffer.concat([decipher.update(encrypted.subarray(1 + IV_BYTES + TAG_BYTES)), decipher.final()]);
}

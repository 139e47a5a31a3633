import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../platform/config.ts";

type DevSecrets = { internal_secret: string; jwt_signing_key: string; encryption_key: string; first_api_key?: string };

/** Secrets that were not set, made once and kept in the data directory for this user alone. Development only. */
export function fillDevSecrets(config: Config): Config {
  const kept = readDevSecrets(config.data_dir) ?? writeDevSecrets(config.data_dir, makeSecrets());
  return {
    ...config,
    internal_secrets: orKept(config.internal_secrets, kept.internal_secret),
    jwt_signing_keys: orKept(config.jwt_signing_keys, kept.jwt_signing_key),
    encryption_keys: orKept(config.encryption_keys, kept.encryption_key),
  };
}

/** The key of the demo project, so that every start can show it. */
export function readFirstApiKey(dataDir: string): string | undefined {
  return readDevSecrets(dataDir)?.first_api_key;
}

export function keepFirstApiKey(dataDir: string, first_api_key: string): void {
  writeDevSecrets(dataDir, { ...(readDevSecrets(dataDir) ?? makeSecrets()), first_api_key });
}

function makeSecrets(): DevSecrets {
  const random = () => randomBytes(32).toString("base64url");
  return { internal_secret: random(), jwt_signing_key: random(), encryption_key: random() };
}

function readDevSecrets(dataDir: string): DevSecrets | undefined {
  const file = fileIn(dataDir);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as DevSecrets) : undefined;
}

function writeDevSecrets(dataDir: string, secrets: DevSecrets): DevSecrets {
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(fileIn(dataDir), `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
  return secrets;
}

function fileIn(dataDir: string): string {
  return join(dataDir, "secrets.json");
}

function orKept(given: string[], kept: string): string[] {
  return given.length > 0 ? given : [kept];
}

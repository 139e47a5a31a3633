import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Config } from "../platform/config.ts";
import { StartError } from "./start-error.ts";

type DevSecrets = { internal_secret: string; jwt_signing_key: string; encryption_key: string } & Partial<FirstThings>;

/** What the first start has made, so that every later one can show it. */
type FirstThings = { first_api_key: string; demo_project_id: string };

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

export function readFirstThings(dataDir: string): Partial<FirstThings> {
  const { first_api_key, demo_project_id } = readDevSecrets(dataDir) ?? {};
  return { ...(first_api_key && { first_api_key }), ...(demo_project_id && { demo_project_id }) };
}

export function keepFirstThings(dataDir: string, made: Partial<FirstThings>): void {
  writeDevSecrets(dataDir, { ...(readDevSecrets(dataDir) ?? makeSecrets()), ...made });
}

function makeSecrets(): DevSecrets {
  const random = () => randomBytes(32).toString("base64url");
  return { internal_secret: random(), jwt_signing_key: random(), encryption_key: random() };
}

function readDevSecrets(dataDir: string): DevSecrets | undefined {
  const file = fileIn(dataDir);
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, "utf8")) as DevSecrets;
  } catch (error) {
    const reason = error instanceof SyntaxError ? "it is not JSON" : (error as Error).message;
    throw new StartError(
      `${file} cannot be read: ${reason}. It holds the key to what is encrypted in this data directory: ` +
        "mend it, or choose another data directory with MILLRACE_DATA_DIR.",
    );
  }
}

function writeDevSecrets(dataDir: string, secrets: DevSecrets): DevSecrets {
  mkdirSync(dataDir, { recursive: true });
  const draft = `${fileIn(dataDir)}.new`;
  // Whole or not at all, also when the power goes: without the encryption key the data is lost.
  const handle = openSync(draft, "w", 0o600);
  writeFileSync(handle, `${JSON.stringify(secrets, null, 2)}\n`);
  fsyncSync(handle);
  closeSync(handle);
  renameSync(draft, fileIn(dataDir));
  return secrets;
}

function fileIn(dataDir: string): string {
  return join(dataDir, "secrets.json");
}

function orKept(given: string[], kept: string): string[] {
  return given.length > 0 ? given : [kept];
}

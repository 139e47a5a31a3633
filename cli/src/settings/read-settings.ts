import { join } from "node:path";
import { findUnknownVariables } from "@millrace/contract/projects/variables";
import { CommandError } from "../command-error.ts";
import { readEnvFile } from "./env-file.ts";
import { currentProfile, readProfile } from "./profiles.ts";

export const DEFAULT_BASE_URL = "http://localhost:8787";
export const ENV_FILE = ".env.local";

type Source = "flag" | "environment" | ".env.local" | "profile" | "default";
type Found = { value: string; source: Source };

/** Service URL and credentials, each with its source. */
export type Settings = { baseUrl: Found; apiKey: Found | undefined; signingSecret: string | undefined };

type Given = { baseUrl?: string | undefined; apiKey?: string | undefined; profile?: string | undefined };
type Context = { env: Record<string, string | undefined>; cwd: string };

/** Precedence: flag, environment, ./.env.local, profile. A profile selected by flag counts as a flag. */
export function readSettings(given: Given, { env, cwd }: Context): Settings {
  const file = readEnvFile(join(cwd, ENV_FILE));
  const profile = profileOf(given, env);
  const find = (flag: string | undefined, name: string, kept: string | undefined): Found | undefined => {
    if (flag) return { value: flag, source: "flag" };
    if (given.profile && kept) return { value: kept, source: "profile" };
    if (env[name]) return { value: env[name], source: "environment" };
    if (file[name]) return { value: file[name], source: ".env.local" };
    return kept ? { value: kept, source: "profile" } : undefined;
  };
  const baseUrl = find(given.baseUrl, "MILLRACE_BASE_URL", profile?.base_url);
  if (baseUrl) requireUrl(baseUrl);
  return {
    baseUrl: baseUrl ?? { value: DEFAULT_BASE_URL, source: "default" },
    apiKey: find(given.apiKey, "MILLRACE_API_KEY", profile?.api_key),
    signingSecret: env.MILLRACE_SIGNING_SECRET || file.MILLRACE_SIGNING_SECRET,
  };
}

function requireUrl({ value, source }: Found): void {
  if (URL.canParse(value) && /^https?:/i.test(value)) return;
  throw new CommandError("usage", `"${value}" is not the URL of a service.`, [
    `It comes from: ${source}. Use a URL such as ${DEFAULT_BASE_URL}.`,
  ]);
}

/** Warns about variables with a name close to ours. Other unknown variables may belong to the user's program. */
export function misspellingWarnings({ env, cwd }: Context): string[] {
  const unknown = findUnknownVariables({ ...readEnvFile(join(cwd, ENV_FILE)), ...env }, []);
  return unknown.flatMap(({ name, meant }) => (meant ? `${name} is ignored. Did you mean ${meant}?` : []));
}

/** A profile selected by flag or environment must exist; the current one need not. */
function profileOf(given: Given, env: Context["env"]) {
  const name = given.profile ?? env.MILLRACE_PROFILE;
  const found = readProfile(env, name ?? currentProfile(env));
  if (name && !found) {
    throw new CommandError("usage", `Profile "${name}" does not exist.`, [
      `Create it with: millrace login --profile ${name}`,
    ]);
  }
  return found;
}

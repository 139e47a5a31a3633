import { join } from "node:path";
import { findUnknownVariables } from "@millrace/contract/variables";
import { CommandError } from "../command-error.ts";
import { readEnvFile } from "./env-file.ts";
import { readProfile } from "./profiles.ts";

export const DEFAULT_BASE_URL = "http://localhost:8787";
export const ENV_FILE = ".env.local";

type Source = "flag" | "environment" | ".env.local" | "profile" | "default";
type Found = { value: string; source: Source };

/** Where the service is and who asks, each with where it was found. */
export type Settings = { baseUrl: Found; apiKey: Found | undefined; signingSecret: string | undefined };

type Given = { baseUrl?: string | undefined; apiKey?: string | undefined; profile?: string | undefined };
type Place = { env: Record<string, string | undefined>; cwd: string };

/** A flag wins over the environment, that over ./.env.local, and that over the profile. A profile named by flag is a flag. */
export function readSettings(given: Given, { env, cwd }: Place): Settings {
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
  return {
    baseUrl: baseUrl ?? { value: DEFAULT_BASE_URL, source: "default" },
    apiKey: find(given.apiKey, "MILLRACE_API_KEY", profile?.api_key),
    signingSecret: env.MILLRACE_SIGNING_SECRET || file.MILLRACE_SIGNING_SECRET,
  };
}

/** Of variables that are nearly one of ours. Others may be those of the program whose folder this is. */
export function warnOfMisspelled({ env, cwd }: Place): string[] {
  const unknown = findUnknownVariables({ ...readEnvFile(join(cwd, ENV_FILE)), ...env }, []);
  return unknown.flatMap(({ name, meant }) => (meant ? `${name} is not read. Did you mean ${meant}?` : []));
}

/** One that was asked for by name must be there; the default one need not. */
function profileOf(given: Given, env: Place["env"]) {
  const name = given.profile ?? env.MILLRACE_PROFILE;
  const found = readProfile(env, name ?? "default");
  if (name && !found) {
    throw new CommandError("usage", `There is no profile "${name}".`, [`Make it: millrace login --profile ${name}`]);
  }
  return found;
}

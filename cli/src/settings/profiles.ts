import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { CommandError } from "../command-error.ts";
import { makeFolder } from "../make-folder.ts";

export type Profile = { base_url: string; api_key: string };
/** `current`: the profile that `profile use` selected. */
type Profiles = { current?: string; profiles: Record<string, Profile> };

const DEFAULT_PROFILE = "default";

function profileFile(env: Record<string, string | undefined>): string {
  return join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), ".config"), "millrace", "config.json");
}

/** Returns undefined if the profile does not exist. Rejects a file that others can read, since it contains keys. */
export function readProfile(env: Record<string, string | undefined>, name: string): Profile | undefined {
  return readProfiles(profileFile(env)).profiles[name];
}

/** The profile that commands use without --profile. */
export function currentProfile(env: Record<string, string | undefined>): string {
  return env.MILLRACE_PROFILE ?? readProfiles(profileFile(env)).current ?? DEFAULT_PROFILE;
}

/** False if there is no such profile. */
export function selectProfile(env: Record<string, string | undefined>, name: string): boolean {
  const file = profileFile(env);
  const { profiles } = readProfiles(file);
  if (profiles[name]) saveProfiles(file, { current: name, profiles });
  return profiles[name] !== undefined;
}

export function listProfiles(env: Record<string, string | undefined>): Record<string, Profile> {
  return readProfiles(profileFile(env)).profiles;
}

/** False if there is no such profile. */
export function removeProfile(env: Record<string, string | undefined>, name: string): boolean {
  const file = profileFile(env);
  const { current, profiles: before } = readProfiles(file);
  const { [name]: removed, ...profiles } = before;
  if (removed) saveProfiles(file, { ...(current !== undefined && current !== name && { current }), profiles });
  return removed !== undefined;
}

export function keepProfile(env: Record<string, string | undefined>, name: string, profile: Profile): string {
  const file = profileFile(env);
  const before = readProfiles(file);
  saveProfiles(file, { ...before, profiles: { ...before.profiles, [name]: profile } });
  return file;
}

function saveProfiles(file: string, profiles: Profiles): void {
  try {
    makeFolder(dirname(file), 0o700);
    writeFileSync(file, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 });
    chmodSync(file, 0o600);
  } catch (error) {
    throw new CommandError("failure", `${file} could not be written: ${(error as Error).message}`, [
      "Set HOME or XDG_CONFIG_HOME to a writable folder, or use MILLRACE_API_KEY, which needs no file.",
    ]);
  }
}

function readProfiles(file: string): Profiles {
  if (!existsSync(file)) return { profiles: {} };
  if (process.platform !== "win32" && (statSync(file).mode & 0o077) !== 0) {
    throw new CommandError("usage", `${file} contains API keys and can be read by others.`, [`chmod 600 ${file}`]);
  }
  try {
    const { current, profiles = {} } = JSON.parse(readFileSync(file, "utf8"));
    return { ...(current !== undefined && { current }), profiles };
  } catch {
    throw new CommandError("usage", `${file} is not valid JSON.`, [
      "Fix it, or delete it and run `millrace login` again.",
    ]);
  }
}

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Cli } from "../cli.ts";
import type { StartedService } from "../service/server-door.ts";
import { readEnvFile, writeEnvFile } from "./env-file.ts";
import { ENV_FILE } from "./read-settings.ts";

/**
 * Writes where the service is and with which key to .env.local, so that programs and commands of this folder find it.
 * Only in the folder of a project, and never over settings that name a service elsewhere.
 */
export function keepEnvFile(cli: Cli, { url, apiKey }: StartedService, signingSecret: string | undefined): void {
  if (apiKey === undefined || !isProject(cli.cwd)) return;
  const path = join(cli.cwd, ENV_FILE);
  try {
    const { MILLRACE_BASE_URL: named } = readEnvFile(path);
    if (named !== undefined && !isHere(named))
      return void cli.say(`  ${ENV_FILE} names ${named}, and is left as it is.`);
    const values = {
      MILLRACE_BASE_URL: url,
      MILLRACE_API_KEY: apiKey,
      ...(signingSecret !== undefined && { MILLRACE_SIGNING_SECRET: signingSecret }),
    };
    if (writeEnvFile(path, values) === "written") cli.say(`  The address and the key are in ${ENV_FILE}.`);
  } catch (error) {
    cli.say(`  ${ENV_FILE} could not be written: ${(error as Error).message}`);
  }
}

const MARKS = [ENV_FILE, "package.json", ".git", "pyproject.toml", "go.mod", "deno.json"];

function isProject(folder: string): boolean {
  return MARKS.some((name) => existsSync(join(folder, name)));
}

function isHere(url: string): boolean {
  if (!URL.canParse(url)) return false;
  return ["localhost", "127.0.0.1", "[::1]"].includes(new URL(url).hostname);
}

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Cli } from "../cli.ts";
import type { StartedService } from "../service/server-loader.ts";
import { readEnvFile, writeEnvFile } from "./env-file.ts";
import { ENV_FILE } from "./read-settings.ts";

/**
 * Writes the service's URL and API key to .env.local, so that programs and commands in this folder find it. Only in a
 * project folder, and never over settings for another service.
 */
export function saveEnvFile(cli: Cli, { url, apiKey }: StartedService, signingSecret: string | undefined): void {
  if (apiKey === undefined || !isProject(cli.cwd)) return;
  const path = join(cli.cwd, ENV_FILE);
  try {
    const { MILLRACE_BASE_URL: named } = readEnvFile(path);
    if (named !== undefined && !isLocal(named))
      return void cli.say(`  ${ENV_FILE} points to ${named} and was not changed.`);
    const values = {
      MILLRACE_BASE_URL: url,
      MILLRACE_API_KEY: apiKey,
      ...(signingSecret !== undefined && { MILLRACE_SIGNING_SECRET: signingSecret }),
    };
    if (writeEnvFile(path, values) === "written") cli.say(`  URL and API key were written to ${ENV_FILE}.`);
  } catch (error) {
    cli.say(`  ${ENV_FILE} could not be written: ${(error as Error).message}`);
  }
}

const PROJECT_FILES = [ENV_FILE, "package.json", ".git", "pyproject.toml", "go.mod", "deno.json"];

function isProject(folder: string): boolean {
  return PROJECT_FILES.some((name) => existsSync(join(folder, name)));
}

function isLocal(url: string): boolean {
  if (!URL.canParse(url)) return false;
  return ["localhost", "127.0.0.1", "[::1]"].includes(new URL(url).hostname);
}

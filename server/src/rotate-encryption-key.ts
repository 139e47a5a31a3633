import { openService } from "./main/open-service.ts";
import { rewrapEverything } from "./main/rewrap-everything.ts";
import { startDatabase } from "./main/start-database.ts";
import { holdDataDir } from "./platform/embedded-postgres/cluster/hold-data-dir.ts";
import { EmbeddedPostgresError } from "./platform/embedded-postgres/embedded-postgres-error.ts";
import { openLog } from "./platform/logging/log.ts";
import { type Config, parseConfig } from "./platform/settings/config.ts";
import { StartError } from "./platform/start-error.ts";

/** `npm run rotate-encryption-key`: with the service's settings. Exits with 0 when the old value can be dropped. */
async function main(): Promise<number> {
  const config = readConfig();
  const { release } = config.database
    ? { release: () => {} }
    : await holdDataDir(config.data_dir, { mode: "rotate-encryption-key", port: 0 });
  try {
    return await rotate(config);
  } finally {
    release();
  }
}

async function rotate(config: Config): Promise<number> {
  const log = openLog("serve", "error");
  const database = await startDatabase(config, log, process.env.XDG_CACHE_HOME);
  const service = await openService({ ...config, roles: new Set() }, database.connections, log);
  try {
    const { moved, unopened } = await rewrapEverything(service.ctx, print);
    if (unopened.length === 0)
      return exitWith(0, `${moved} data keys rewrapped. The old values of ENCRYPTION_KEY can be removed.`);
    return exitWith(
      1,
      `No value of ENCRYPTION_KEY can decrypt these projects; add the value they were encrypted with: ${unopened.join(", ")}`,
    );
  } finally {
    await service.close();
    await database.stop();
  }
}

function readConfig(): Config {
  const parsed = parseConfig("serve", process.env, process.cwd());
  if (parsed.ok) return parsed.config;
  throw new StartError(["The settings are invalid:", ...parsed.mistakes.map((mistake) => `  - ${mistake}`)].join("\n"));
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function exitWith(code: number, line: string): number {
  (code === 0 ? process.stdout : process.stderr).write(`${line}\n`);
  return code;
}

main().then(
  (code) => process.exit(code),
  (error) => {
    const isForPeople = error instanceof StartError || error instanceof EmbeddedPostgresError;
    process.exit(exitWith(2, isForPeople ? error.message : String((error as Error)?.stack ?? error)));
  },
);

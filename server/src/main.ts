import { demoRoutes } from "./demo/demo-routes.ts";
import { seedDemo } from "./demo/seed-demo.ts";
import { rescueOrphans } from "./engine/rescue-orphans.ts";
import { registerInstance } from "./features/operations/register-instance.ts";
import { holdsEncryptionKey } from "./features/projects/encryption-check.ts";
import { devBanner } from "./main/banner.ts";
import { createFirstProject } from "./main/first-project.ts";
import { handOver, type Started } from "./main/hand-over.ts";
import { listen, refuseTakenPort } from "./main/listen.ts";
import { openService, type Service } from "./main/open-service.ts";
import { printFailedStart } from "./main/print-failed-start.ts";
import { startDatabase } from "./main/start-database.ts";
import { stopOnSignal } from "./main/stop-on-signal.ts";
import { newSignInCode } from "./platform/access/credentials/session-store.ts";
import { withRetryBudget } from "./platform/database/with-retry-budget.ts";
import { holdDataDir } from "./platform/embedded-postgres/cluster/hold-data-dir.ts";
import { type Log, openLog } from "./platform/logging/log.ts";
import { logFailure } from "./platform/logging/log-failure.ts";
import { type Config, type Mode, parseConfig } from "./platform/settings/config.ts";
import { fillDevSecrets } from "./platform/settings/dev-secrets.ts";
import { StartError } from "./platform/start-error.ts";

/** `dev`: everything is set up for you. `serve`: production. Both run the same code. */
async function main(mode: Mode): Promise<Started> {
  const { config, warnings } = readConfig(mode);
  const log = openLog(config.mode, config.log_level);
  // Before anything can fail: a misspelled PORT may be why the port is taken.
  for (const warning of warnings) log.warn(warning);
  // Before the port: its error names the pid and port of the service that is already running here.
  const { release } = await holdDataDirOf(config);
  try {
    await refuseTakenPort(config);
    const filled = mode === "dev" ? fillDevSecrets(config) : config;
    return await run(filled, log, release).catch((error) => logFailedStart(config, log, error));
  } catch (error) {
    release();
    throw error;
  }
}

/** Also printed to the console; in production only the log may be read. */
function logFailedStart(config: Config, log: Log, error: unknown): never {
  if (config.mode === "serve") log.fatal(printFailedStart(error));
  throw error;
}

async function run(config: Config, log: Log, release: () => void): Promise<Started> {
  const database = await startDatabase(config, log, process.env.XDG_CACHE_HOME);
  try {
    const service = await openService(config, database.connections, log, config.mode === "dev" ? demoRoutes() : []);
    await refuseOtherEncryptionKey(service);
    stopOnSignal({ service, database, release, log });
    service.ctx.state.holdsDataDir = !config.database;
    if (config.roles.has("engine")) await startEngine(service);
    const url = await listen(service.app, config);
    if (config.mode === "serve") {
      await withRetryBudget(() => createFirstProject(service.ctx));
      log.info({ url, database: database.name }, "millrace is listening");
      return handOver(service.ctx, url, undefined);
    }
    const demo = await seedDemo(service.ctx, url);
    const signInCode = await withRetryBudget(() => newSignInCode(service.ctx));
    const readyMs = Math.round(performance.now());
    process.stdout.write(devBanner(config, { url, database: database.name, readyMs, signInCode, ...demo }));
    return { ...handOver(service.ctx, url, demo.apiKey), signInUrl: `${url}/?code=${signInCode}` };
  } catch (error) {
    await database.stop();
    throw error;
  }
}

/** Before anything is served: data encrypted with another key could not be read, nor could today's data later. */
async function refuseOtherEncryptionKey({ ctx }: Service): Promise<void> {
  if (await withRetryBudget(() => holdsEncryptionKey(ctx))) return;
  throw new StartError(
    "ENCRYPTION_KEY is not the one that the secrets in this database were encrypted with. " +
      "Set it to that one. To change it, put the new value before the old one: ENCRYPTION_KEY=new,old.",
  );
}

/** Registers the instance before it claims anything, then rescues the runs of its previous process at once. */
async function startEngine({ ctx, startTasks }: Service): Promise<void> {
  await withRetryBudget(() => registerInstance(ctx));
  startTasks();
  // Not fatal: the background task `rescue-orphans` repeats it every few seconds.
  await rescueOrphans(ctx).catch((error: unknown) => logFailure(ctx, error, {}, "orphans could not be rescued"));
}

function readConfig(mode: Mode): { config: Config; warnings: string[] } {
  const parsed = parseConfig(mode, process.env, process.cwd());
  if (parsed.ok) return parsed;
  const mistakes = parsed.mistakes.map((mistake) => `  - ${mistake}`);
  const isIncomplete = parsed.mistakes.some((mistake) => /_(SECRET|KEY) is missing/.test(mistake));
  throw new StartError(["The settings are invalid:", ...mistakes, ...(isIncomplete ? HOW_TO_INIT : [])].join("\n"));
}

const HOW_TO_INIT = [
  "",
  "`millrace init --production` writes all of them to .env, with a first API key. Then:",
  "  millrace serve --settings .env",
];

/** With an external database no data directory is needed in production. */
async function holdDataDirOf(config: Config): Promise<{ release: () => void }> {
  if (config.mode === "serve" && config.database) return { release: () => {} };
  return holdDataDir(config.data_dir, { mode: config.mode, port: config.port });
}

function complain(error: unknown): never {
  process.stderr.write(`\nmillrace: ${printFailedStart(error)}\n`);
  process.exit(1);
}

// The reader of our output may exit, as in `millrace dev | head`; the service keeps running.
process.stdout.on("error", () => {});

const [mode = "dev"] = process.argv.slice(2);
/** For the command line, which loads this file to become the service. */
export const started: Promise<Started> =
  mode === "dev" || mode === "serve"
    ? main(mode).catch(complain)
    : complain(new StartError(`There is no command "${mode}". Use: millrace dev, or millrace serve.`));

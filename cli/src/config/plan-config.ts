import { resolve } from "node:path";
import type { Cli } from "../cli.ts";
import { flag, text } from "../command.ts";
import { printJson } from "../output/print-object.ts";
import { progressBar } from "../output/progress-bar.ts";
import { readWholeEnvFile } from "../settings/env-file.ts";
import type { Plan } from "./make-plan.ts";

/** Options of `plan` and `apply`. */
export const PLAN_OPTIONS = {
  config: text("-c, --config <path>", "configuration: a file or a folder (default: millrace.config.*, or millrace/)"),
  values: text("--values <file>", "file of NAME=value lines for { env: NAME }; the environment takes precedence"),
  secrets: flag("--secrets", "send secrets that the service does not show, since changed ones go unnoticed"),
  detailedExitcode: flag("--detailed-exitcode", "exit with 2 if something differs, 0 if nothing does, 1 on errors"),
};

type Options = { config: string | undefined; values: string | undefined; secrets: boolean };

/** Loaded only when needed: it includes the schemas of the API. */
export async function planOf(cli: Cli, options: Options, unlock = false) {
  const { loadConfig } = await import("./load-config.ts");
  const { configItems } = await import("./config-items.ts");
  const { readManaged, refuseIfApplying } = await import("./hold-config.ts");
  const { readRemote } = await import("./read-remote.ts");
  const { makePlan } = await import("./make-plan.ts");
  const { inspectPlan } = await import("./inspect-plan.ts");
  const wanted = configItems(await loadConfig(cli, options.config));
  const client = cli.client();
  const managed = await readManaged(client);
  if (!unlock) refuseIfApplying(managed);
  const needed = new Set([...wanted.items.map(({ kind }) => kind.kind), ...managed.objects.map(({ kind }) => kind)]);
  const bar = progressBar(cli, "reading the project");
  const remote = await readRemote(client, managed.project_id, (kind) => needed.has(kind), bar.at).finally(bar.end);
  const plan = makePlan(
    { ...wanted, remote, managed: managed.objects },
    valuesOf(cli, options.values),
    options.secrets,
  );
  await inspectPlan(client, plan, managed.project_id);
  return { plan, managed, client };
}

function valuesOf(cli: Cli, file: string | undefined): (name: string) => string | undefined {
  const read = file === undefined ? {} : readWholeEnvFile(resolve(cli.cwd, file));
  return (name) => cli.env[name] ?? read[name];
}

export async function showPlan(cli: Cli, plan: Plan, deletes = false): Promise<void> {
  const { planJson, printPlan } = await import("./print-plan.ts");
  if (cli.format === "human") printPlan(cli, plan, deletes);
  else printJson(cli, planJson(plan));
}

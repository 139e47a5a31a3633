import { printableText } from "@millrace/contract/schema/printable-text";
import type { Cli } from "../../cli.ts";
import { command, flag } from "../../command.ts";
import { CommandError } from "../../command-error.ts";
import type { Applied } from "../../config/apply-plan.ts";
import type { Plan } from "../../config/make-plan.ts";
import { PLAN_OPTIONS, planOf, showPlan } from "../../config/plan-config.ts";
import type { ExitName } from "../../exit-codes.ts";
import { confirm } from "../../output/ask.ts";
import { plural } from "../../output/plural.ts";
import { printJson } from "../../output/print-object.ts";
import { progressBar } from "../../output/progress-bar.ts";

export const apply = command({
  name: "apply",
  summary: "change the project to match the configuration",
  about:
    "Show the plan, ask for confirmation, and change the project object by object. An error of one object does not stop the others; run it again to continue. Only one apply can change a project at a time. Without --prune nothing is deleted; with it, only objects that an earlier apply created or changed.",
  options: {
    ...PLAN_OPTIONS,
    prune: flag("--prune", "delete what the configuration managed and no longer names"),
    breaking: flag("--breaking", "mark new versions of workflows as breaking changes"),
    unlock: flag("--unlock", "take over the lock of an interrupted apply"),
    yes: flag("-y, --yes", "do not ask for confirmation"),
  },
  examples: ["millrace apply", "millrace apply --prune --yes"],
  waitsForLimits: true,
  run: async (cli, { options }): Promise<ExitName> => {
    const planned = await planOf(cli, options, options.unlock);
    const { plan } = planned;
    if (cli.format === "human") await showPlan(cli, plan, options.prune);
    refuseBroken(plan);
    const count = workOf(plan, options.prune).length;
    if (count > 0) await confirm(cli, `Apply ${plural(count, "change")}?`, options.yes);
    const results = await applyHeld(cli, planned, options);
    const failed = results.filter(({ error }) => error !== null);
    if (cli.format !== "human") printJson(cli, { results });
    else if (results.length > 0)
      cli.say(`${plural(results.length - failed.length, "change")} applied, ${failed.length} failed.`);
    if (failed.length > 0) return "failure";
    return options.detailedExitcode && results.length > 0 ? "changes" : "ok";
  },
});

function refuseBroken({ problems, missing }: Plan): void {
  if (problems.length > 0) throw new CommandError("failure", "The configuration cannot be applied.", problems);
  if (missing.length === 0) return;
  throw new CommandError("usage", `These variables are not set: ${missing.join(", ")}.`, [
    "Set them, or pass --values.",
  ]);
}

function workOf({ changes }: Plan, prune: boolean): Plan["changes"] {
  return changes.filter(({ action }) => prune || (action !== "delete" && action !== "reset"));
}

type Planned = Awaited<ReturnType<typeof planOf>>;

async function applyHeld(
  cli: Cli,
  { plan, managed, client }: Planned,
  options: { prune: boolean; breaking: boolean },
): Promise<Applied[]> {
  const { holdConfig, ownedAfter, ownedDuring } = await import("../../config/hold-config.ts");
  const { applyPlan } = await import("../../config/apply-plan.ts");
  const { isSame } = await import("../../config/items.ts");
  const during = ownedDuring(plan, managed.objects);
  const results: Applied[] = [];
  if (plan.changes.length === 0 && isSame(during, managed.objects)) return results;
  const held = await holdConfig(cli.settings, managed, during);
  const bar = progressBar(cli, "applying");
  const total = workOf(plan, options.prune).length;
  const before = async () => {
    await held.renew();
    bar.at(results.length, total);
  };
  const after = (applied: Applied) => {
    results.push(applied);
    bar.end();
    if (cli.format !== "human") return;
    const what = `${applied.kind} ${printableText(applied.key)}`;
    cli.say(
      applied.error === null ? `${what}: ${PAST[applied.action]}` : `${what}: failed: ${printableText(applied.error)}`,
    );
  };
  try {
    await applyPlan(client, plan, { ...options, projectId: managed.project_id }, { before, after });
  } catch (error) {
    bar.end();
    await held.release(during).catch(() => {}); // the lock expires by itself
    throw error;
  }
  await held.release(ownedAfter(plan, during, results));
  return results;
}

const PAST = { create: "created", update: "changed", replace: "replaced", delete: "deleted", reset: "reset" };

import type { Canary, CanaryComparison } from "@millrace/contract/workflows/canaries";
import { withSlug } from "../../../api/names.ts";
import { send } from "../../../api/requests.ts";
import type { Cli } from "../../../cli.ts";
import { type Command, command, integer, required } from "../../../command.ts";
import { CommandError } from "../../../command-error.ts";
import { printJson } from "../../../output/print-object.ts";
import { printRows } from "../../../output/print-rows.ts";

const workflow = required("workflow", "slug or id of the workflow");

function percent(share: number | null): string {
  return share === null ? "" : `${(share * 100).toFixed(1)} %`;
}

function readPercent(given: string): number {
  if (/^\d{1,3}$/.test(given) && Number(given) <= 100) return Number(given);
  throw new CommandError("usage", `"${given}" is not a percentage from 0 to 100.`);
}

function readVersion(given: string): number {
  if (/^\d{1,9}$/.test(given)) return Number(given);
  throw new CommandError("usage", `"${given}" is not the number of a version.`, [
    "Run `millrace workflows versions <workflow>` to see all of them.",
  ]);
}

const sayShare = ({ target_version, traffic_pct }: Canary) =>
  `Version ${target_version} gets ${traffic_pct} % of new runs.`;

function ending(word: "promote" | "rollback", summary: string, said: (canary: Canary) => string): Command {
  return command({
    name: `workflows canary ${word}`,
    summary,
    args: [workflow],
    examples: [`millrace workflows canary ${word} order`],
    run: async (cli: Cli, { args: [given = ""] }) => {
      await withSlug(cli, "workflows", given, (path) => send(cli, { path: `${path}/canary/${word}`, said }));
    },
  });
}

export const canaryCommands: readonly Command[] = [
  command({
    name: "workflows canary start",
    summary: "route a share of new runs to another version",
    args: [workflow, required("version", "number of the canary version")],
    options: { traffic: integer("--traffic <percent>", "share of new runs (default: 10)") },
    examples: ["millrace workflows canary start order 7 --traffic 5"],
    run: async (cli, { args: [given = "", version = ""], options }) => {
      const body = { target_version: readVersion(version), traffic_pct: options.traffic ?? 10 };
      await withSlug(cli, "workflows", given, (path) => send(cli, { path: `${path}/canary`, body, said: sayShare }));
    },
  }),
  command({
    name: "workflows canary show",
    summary: "compare the canary version with the current one",
    args: [workflow],
    examples: ["millrace workflows canary show order"],
    run: async (cli, { args: [given = ""] }) => {
      const found = await withSlug(cli, "workflows", given, (path) =>
        cli.client().request<CanaryComparison>("GET", `${path}/canary`),
      );
      if (cli.format !== "human") return printJson(cli, found);
      cli.say(sayShare(found));
      await printRows(cli, {
        rows: [found.metrics.source, found.metrics.target],
        nothing: "",
        columns: [
          { title: "version", value: ({ version }) => String(version) },
          { title: "runs", value: ({ runs }) => String(runs) },
          { title: "completed", value: ({ success_rate }) => percent(success_rate) },
          { title: "failed", value: ({ error_rate }) => percent(error_rate) },
          { title: "p50", value: ({ p50_ms }) => (p50_ms === null ? "" : `${p50_ms} ms`) },
          { title: "p95", value: ({ p95_ms }) => (p95_ms === null ? "" : `${p95_ms} ms`) },
        ],
      });
    },
  }),
  command({
    name: "workflows canary set",
    summary: "change the share of new runs",
    args: [workflow, required("percent", "share of new runs, 0 to 100")],
    examples: ["millrace workflows canary set order 25"],
    run: async (cli, { args: [given = "", share = ""] }) => {
      const body = { traffic_pct: readPercent(share) };
      await withSlug(cli, "workflows", given, (path) =>
        send(cli, { method: "PATCH", path: `${path}/canary`, body, said: sayShare }),
      );
    },
  }),
  ending(
    "promote",
    "make the canary version the current one",
    ({ target_version }) => `Version ${target_version} is current.`,
  ),
  ending(
    "rollback",
    "end the canary; new runs use the current version",
    ({ target_version }) => `Version ${target_version} gets no new runs.`,
  ),
];

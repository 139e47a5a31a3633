import { printableText } from "@millrace/contract/schema/printable-text";
import type { Cli } from "../../cli.ts";
import { command, optional } from "../../command.ts";
import type { Check, Finding } from "../../doctor/check.ts";
import { failed } from "../../doctor/check.ts";
import { checkDatabase } from "../../doctor/check-database.ts";
import { checkDisk } from "../../doctor/check-disk.ts";
import { checkEndpoints } from "../../doctor/check-endpoints.ts";
import { checkNode } from "../../doctor/check-node.ts";
import { checkPort } from "../../doctor/check-port.ts";
import { checkService } from "../../doctor/check-service.ts";

const CHECKS: Record<string, Check> = {
  node: checkNode,
  disk: checkDisk,
  port: checkPort,
  database: checkDatabase,
  service: checkService,
  endpoint: checkEndpoints,
};

export const doctor = command({
  name: "doctor",
  summary: "check the setup and suggest fixes",
  about:
    "Check Node, disk, port, database, migrations, the service, its clock, your API key, and the endpoints of jobs and their signatures. Changes nothing. Exits with 1 if a check fails.",
  args: [optional("endpoint", "serve() endpoint to check (default: the endpoints of all jobs)")],
  examples: ["millrace doctor", "millrace doctor http://localhost:3000/millrace"],
  run: async (cli, { args: [endpoint] }) => {
    const findings: Finding[] = [];
    for (const [name, check] of Object.entries(CHECKS)) {
      const found = await check(cli, endpoint).catch((error: Error) => [failed(name, error.message, "")]);
      findings.push(...found);
      if (cli.format === "human") for (const finding of found) cli.write(lineOf(cli, finding));
      if (cli.format === "ndjson") for (const finding of found) cli.write(`${JSON.stringify(finding)}\n`);
    }
    const isHealthy = findings.every(({ status }) => status !== "failed");
    if (cli.format === "json") cli.write(`${JSON.stringify({ ok: isHealthy, checks: findings }, null, 2)}\n`);
    return isHealthy ? "ok" : "failure";
  },
});

function lineOf({ colors, terminal }: Cli, { check, status, message, remedy }: Finding): string {
  if (!terminal.out) return `${[status, check, message, remedy].map(printableText).join("\t")}\n`;
  const signs = {
    ok: colors.green("✓"),
    warning: colors.yellow("!"),
    failed: colors.red("✗"),
    skipped: colors.dim("–"),
  };
  const hint = remedy === "" ? "" : `\n  ${" ".repeat(12)}${colors.dim(printableText(remedy))}`;
  return `${signs[status]} ${check.padEnd(12)}${printableText(message)}${hint}\n`;
}

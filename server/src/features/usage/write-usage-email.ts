import { formatUsd } from "../../platform/format-usd.ts";
import { presentUsage } from "./present-usage.ts";
import type { UsageRow } from "./queries.ts";

/** Plain text: every client shows it, and it cannot contain markup. */
export function writeUsageEmail(projectName: string, row: UsageRow): { subject: string; text: string } {
  const usage = presentUsage(row);
  const month = monthOf(usage.period_starts_at);
  const { runs } = usage;
  const lines = [
    `Usage of the project ${oneLine(projectName)} in ${month} (UTC):`,
    "",
    `Runs             ${runs.total}`,
    `  completed      ${runs.completed}`,
    `  failed         ${runs.failed}`,
    `  timed out      ${runs.timed_out}`,
    `  canceled       ${runs.canceled}`,
    `Dispatches       ${usage.dispatches}`,
    `Compute time     ${usage.compute_seconds} s`,
    `Input tokens     ${usage.input_tokens}`,
    `Output tokens    ${usage.output_tokens}`,
    `Compute cost     ${formatUsd(usage.compute_microusd)}`,
    `Reported cost    ${formatUsd(usage.reported_microusd)}`,
    `Total cost       ${formatUsd(usage.cost_microusd)}`,
    "",
    "You receive this e-mail because you subscribed to it. To unsubscribe, send",
    'PUT /v1/usage/email-preferences with {"monthly_usage_email": false}.',
  ];
  return { subject: `Usage of ${oneLine(projectName)} in ${month}`, text: `${lines.join("\n")}\n` };
}

function monthOf(iso: string): string {
  return new Date(iso).toLocaleDateString("en-US", { month: "long", year: "numeric", timeZone: "UTC" });
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}

import { applyManifest, createClient, type SyncedItem } from "@millrace/sdk";
import type { Cli } from "../cli.ts";
import { plural } from "../output/plural.ts";
import { type ManifestResult, readManifest } from "./read-manifest.ts";
import type { StartedService } from "./server-loader.ts";

type WatchedEndpoint = { service: StartedService; signingSecret: string | undefined; url: string };

const POLL_INTERVAL_MS = 1_000;

/**
 * Registers the jobs and workflows of an endpoint once it is up, and again when they change, until the process ends.
 */
export function watchEndpoint(cli: Cli, { service, signingSecret, url }: WatchedEndpoint): void {
  if (service.apiKey === undefined || signingSecret === undefined) {
    return void cli.say(
      "  --url needs the API key of the demo project, which no longer exists: register jobs with POST /v1/jobs.",
    );
  }
  const client = createClient({ baseUrl: service.url, apiKey: service.apiKey });
  let known = "";
  let lastLine = "";
  const report = (line: string) => {
    if (line !== lastLine) cli.say(`  ${line}`);
    lastLine = line;
  };

  const poll = async () => {
    const result = await readManifest(url, signingSecret);
    if (result.kind !== "manifest") return report(problemOf(url, result));
    const text = JSON.stringify(result.manifest);
    if (text === known) return;
    const items = await applyManifest(client, result.manifest, url);
    known = text;
    lastLine = "";
    report(`${cli.messageColors.green("✓")} ${summaryOf(items)} at ${url}, signature ok`);
  };

  const loop = () =>
    void poll()
      .catch((error: Error) => report(`${url}: ${error.message}`))
      .finally(() => setTimeout(loop, POLL_INTERVAL_MS).unref());
  loop();
}

function summaryOf(items: SyncedItem[]): string {
  const count = (kind: SyncedItem["kind"]) => items.filter((item) => item.kind === kind).length;
  const flows = count("workflow") === 0 ? "" : `, ${plural(count("workflow"), "workflow")}`;
  return `${plural(count("job"), "job")}${flows} (${items.map(({ slug, change }) => `${slug} ${change}`).join(", ")})`;
}

function problemOf(url: string, result: Exclude<ManifestResult, { kind: "manifest" }>): string {
  if (result.kind === "unreachable") return `Waiting for ${url} (${result.reason})…`;
  if (result.kind === "refused") {
    return `${url} rejected our signature (${result.status}): set MILLRACE_SIGNING_SECRET there to the value in .env.local.`;
  }
  return `${url} responded with ${result.status} and no manifest: is it a serve() endpoint?`;
}

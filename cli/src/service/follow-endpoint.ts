import { applyManifest, createClient, type SyncedItem } from "@millrace/sdk";
import type { Cli } from "../cli.ts";
import { type ManifestAnswer, readManifest } from "./read-manifest.ts";
import type { StartedService } from "./server-door.ts";

type Followed = { service: StartedService; signingSecret: string | undefined; url: string };

const LOOK_EVERY_MS = 1_000;

/** Registers what an endpoint offers, now or when it is up, and again when that has changed. Until the process ends. */
export function followEndpoint(cli: Cli, { service, signingSecret, url }: Followed): void {
  if (service.apiKey === undefined || signingSecret === undefined) {
    return void cli.say(
      "  --url needs the key of the demo project, which is not there any more: register jobs with POST /v1/jobs.",
    );
  }
  const client = createClient({ baseUrl: service.url, apiKey: service.apiKey });
  let known = "";
  let told = "";
  const tell = (line: string) => {
    if (line !== told) cli.say(`  ${line}`);
    told = line;
  };

  const look = async () => {
    const answer = await readManifest(url, signingSecret);
    if (answer.kind !== "manifest") return tell(troubleOf(url, answer));
    const text = JSON.stringify(answer.manifest);
    if (text === known) return;
    const items = await applyManifest(client, answer.manifest, url);
    known = text;
    told = "";
    tell(`${cli.messageColors.green("✓")} ${foundOf(items)} at ${url}, signature ok`);
  };

  const goOn = () =>
    void look()
      .catch((error: Error) => tell(`${url}: ${error.message}`))
      .finally(() => setTimeout(goOn, LOOK_EVERY_MS).unref());
  goOn();
}

function foundOf(items: SyncedItem[]): string {
  const count = (kind: SyncedItem["kind"]) => items.filter((item) => item.kind === kind).length;
  const flows = count("workflow") === 0 ? "" : `, ${count("workflow")} workflows`;
  return `${count("job")} jobs${flows} (${items.map(({ slug, change }) => `${slug} ${change}`).join(", ")})`;
}

function troubleOf(url: string, answer: Exclude<ManifestAnswer, { kind: "manifest" }>): string {
  if (answer.kind === "unreachable") return `Waiting for ${url} (${answer.reason})…`;
  if (answer.kind === "refused") {
    return `${url} refused our signature (${answer.status}): give it MILLRACE_SIGNING_SECRET of .env.local.`;
  }
  return `${url} answered ${answer.status} without a manifest: is it a serve() endpoint?`;
}

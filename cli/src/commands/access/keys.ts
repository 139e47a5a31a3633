import type { ApiKey, CreatedApiKey, RotatedApiKey } from "@millrace/contract/access/api-keys";
import { findListed, slugsIn } from "../../api/names.ts";
import { listing, send } from "../../api/requests.ts";
import type { Cli } from "../../cli.ts";
import { type Command, command, count, flag, integer, list, required, text } from "../../command.ts";
import { confirm } from "../../output/ask.ts";
import { printJson } from "../../output/print-object.ts";
import { agoOf } from "../../output/times.ts";

const key = required("key", "name or id of the key");

const find = (cli: Cli, given: string) =>
  findListed<ApiKey>(
    cli,
    { noun: "API key", path: "/v1/api-keys", listedBy: "millrace keys list", nameOf: ({ name }) => name },
    given,
  );

/** The key is data, so that a script can read it; that it is shown once is a message. */
function printSecret(cli: Cli, created: CreatedApiKey | RotatedApiKey, message: string): void {
  if (cli.format !== "human") return void printJson(cli, created);
  cli.write(`${created.key}\n`);
  cli.say(message);
}

export const keysCommands: readonly Command[] = [
  listing({
    name: "keys list",
    summary: "list API keys, without their secrets",
    options: { status: text("--status <status>", "active, expired or revoked") },
    examples: ["millrace keys list --status active"],
    path: "/v1/api-keys",
    filters: ({ status }) => ({ status }),
    nothing: "No API keys.",
    columns: async (cli, rows: ApiKey[]) => {
      const environments = await slugsIn(
        cli,
        "environments",
        rows.map(({ environment_id }) => environment_id),
      );
      return [
        { title: "name", value: ({ name }) => name },
        { title: "prefix", value: ({ key_prefix }) => key_prefix },
        { title: "status", value: ({ status }) => status },
        {
          title: "environment",
          value: ({ environment_id }) => (environment_id === null ? "all" : (environments.get(environment_id) ?? "")),
        },
        { title: "scopes", value: ({ scopes }) => scopes?.join(" ") ?? "all" },
        {
          title: "last used",
          value: ({ last_used_at }) => last_used_at ?? "",
          show: ({ last_used_at }) => (last_used_at === null ? "never" : agoOf(last_used_at)),
        },
        { title: "expires", value: ({ expires_at }) => expires_at ?? "" },
      ];
    },
  }),
  command({
    name: "keys create",
    summary: "create an API key and print its secret, which is not shown again",
    args: [required("name", "name of the key")],
    options: {
      scope: list("--scope <scope>", "scope such as `jobs:trigger`; can be repeated (default: all that you hold)"),
      env: text("--env <environment>", "restrict the key to one environment (id or slug)"),
      queue: list("--queue <queue>", "a queue that workers with the key may serve; can be repeated (default: all)"),
      workerEnv: list(
        "--worker-env <environment>",
        "an environment whose runs workers with the key may claim; can be repeated",
      ),
      expiresInDays: count("--expires-in-days <n>", "expire after this many days"),
      requestsPerMinute: count("--requests-per-minute <n>", "the key's own limit, instead of that of the address"),
      triggersPerMinute: count("--triggers-per-minute <n>", "the same for triggers"),
      bulkPerMinute: count("--bulk-per-minute <n>", "the same for bulk triggers"),
    },
    examples: [
      "millrace keys create checkout --scope jobs:trigger --scope runs:read --env production",
      "millrace keys create mailer --scope runs:work --queue mail --worker-env staging --worker-env production",
    ],
    run: async (cli, { args: [name = ""], options }) => {
      const limits = {
        ...(options.requestsPerMinute !== undefined && { requests_per_minute: options.requestsPerMinute }),
        ...(options.triggersPerMinute !== undefined && { triggers_per_minute: options.triggersPerMinute }),
        ...(options.bulkPerMinute !== undefined && { bulk_per_minute: options.bulkPerMinute }),
      };
      const body = {
        name,
        ...(options.scope.length > 0 && { scopes: options.scope }),
        ...(options.env !== undefined && { environment_id: options.env }),
        ...(options.queue.length > 0 && { queues: options.queue }),
        ...(options.workerEnv.length > 0 && { worker_environment_ids: options.workerEnv }),
        ...(options.expiresInDays !== undefined && { expires_in_days: options.expiresInDays }),
        ...(Object.keys(limits).length > 0 && { rate_limits: limits }),
      };
      const created = await cli.client().request<CreatedApiKey>("POST", "/v1/api-keys", { body });
      printSecret(cli, created, "The key is shown only once.");
    },
  }),
  command({
    name: "keys rotate",
    summary: "replace the secret of an API key and print the new one, which is not shown again",
    args: [key],
    options: { grace: integer("--grace <minutes>", "minutes during which the old secret stays valid (default: 0)") },
    examples: ["millrace keys rotate checkout --grace 30"],
    run: async (cli, { args: [given = ""], options }) => {
      const { id } = await find(cli, given);
      const body = { grace_period_minutes: options.grace ?? 0 };
      const rotated = await cli.client().request<RotatedApiKey>("POST", `/v1/api-keys/${id}/rotate`, { body });
      const until = rotated.previous_key_expires_at;
      printSecret(
        cli,
        rotated,
        until === null ? "The old secret is invalid." : `The old secret is valid until ${until}.`,
      );
    },
  }),
  command({
    name: "keys revoke",
    summary: "revoke an API key at once",
    args: [key],
    options: { yes: flag("-y, --yes", "do not ask for confirmation") },
    examples: ["millrace keys revoke checkout"],
    run: async (cli, { args: [given = ""], options }) => {
      const { id, name } = await find(cli, given);
      await confirm(cli, `Revoke the key ${name}? Requests with it fail from then on.`, options.yes);
      await send(cli, { method: "DELETE", path: `/v1/api-keys/${id}`, said: () => `${name} is revoked` });
    },
  }),
];

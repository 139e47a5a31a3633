import type { BulkRetryDeliveriesResult, WebhookDelivery } from "@millrace/contract/deliveries/webhook-deliveries";
import type { WebhookSubscription, WebhookTest } from "@millrace/contract/deliveries/webhook-subscriptions";
import { findListed } from "../../api/names.ts";
import { listing, send } from "../../api/requests.ts";
import type { Cli } from "../../cli.ts";
import { type Command, command, flag, list, required, text, variadic } from "../../command.ts";
import { CommandError } from "../../command-error.ts";
import { confirm } from "../../output/ask.ts";
import { plural } from "../../output/plural.ts";
import { paintStatus } from "../../output/status.ts";
import { agoOf } from "../../output/times.ts";

const subscription = required("subscription", "id or URL of the subscription");

const find = (cli: Cli, given: string) =>
  findListed<WebhookSubscription>(
    cli,
    {
      noun: "Webhook subscription",
      path: "/v1/webhook-subscriptions",
      listedBy: "millrace webhooks list",
      nameOf: ({ url }) => url,
    },
    given,
  );

export const webhooksCommands: readonly Command[] = [
  listing({
    name: "webhooks list",
    summary: "list webhook subscriptions",
    examples: ["millrace webhooks list"],
    path: "/v1/webhook-subscriptions",
    nothing: "No webhook subscriptions.",
    columns: [
      { title: "url", value: ({ url }: WebhookSubscription) => url },
      { title: "state", value: ({ enabled }) => (enabled ? "enabled" : "disabled") },
      { title: "failures", value: ({ consecutive_failures }) => String(consecutive_failures) },
      { title: "events", value: ({ events }) => events.join(" ") },
    ],
  }),
  command({
    name: "webhooks create",
    summary: "subscribe a URL to events",
    args: [required("url", "URL that receives the events")],
    options: {
      event: list("--event <type>", "event type such as `run.failed`; can be repeated"),
      filter: text("--filter <expression>", "CEL expression over `event`: deliver only matching events"),
      env: text("--env <environment>", "only events of this environment (id or slug)"),
    },
    examples: ["millrace webhooks create https://example.com/hooks --event run.failed --event run.completed"],
    run: async (cli, { args: [url = ""], options }) => {
      if (options.event.length === 0) throw new CommandError("usage", "Name at least one --event.");
      const body = {
        url,
        events: options.event,
        ...(options.filter !== undefined && { filter: options.filter }),
        ...(options.env !== undefined && { environment_id: options.env }),
      };
      const said = () => "The subscription was created.";
      const data = ({ id }: WebhookSubscription) => [id];
      await send(cli, { path: "/v1/webhook-subscriptions", body, data, said });
    },
  }),
  command({
    name: "webhooks test",
    summary: "send a test event to a subscription",
    args: [subscription],
    examples: ["millrace webhooks test https://example.com/hooks"],
    run: async (cli, { args: [given = ""] }) => {
      const { id, url } = await find(cli, given);
      const { delivered } = await send<WebhookTest>(cli, {
        path: `/v1/webhook-subscriptions/${id}/test`,
        said: (test) =>
          test.delivered
            ? `${url} accepted the event (${test.status_code}, ${test.duration_ms} ms)`
            : `${url} did not accept the event: ${test.error ?? `status ${test.status_code}`}`,
      });
      return delivered ? "ok" : "failure";
    },
  }),
  command({
    name: "webhooks delete",
    summary: "delete a subscription",
    args: [subscription],
    options: { yes: flag("-y, --yes", "do not ask for confirmation") },
    examples: ["millrace webhooks delete https://example.com/hooks"],
    run: async (cli, { args: [given = ""], options }) => {
      const { id, url } = await find(cli, given);
      await confirm(cli, `Delete the subscription of ${url}?`, options.yes);
      await send(cli, { method: "DELETE", path: `/v1/webhook-subscriptions/${id}`, said: () => `${url} was deleted` });
    },
  }),
  listing({
    name: "webhooks deliveries",
    summary: "list deliveries, newest first",
    options: {
      status: text("--status <status>", "pending, delivered or failed"),
      event: text("--event <type>", "only deliveries of this event type"),
      host: text("--host <host>", "only deliveries to this host"),
    },
    examples: ["millrace webhooks deliveries --status failed"],
    path: "/v1/webhook-deliveries",
    filters: ({ status, event, host }) => ({ status, event_type: event, host }),
    nothing: "No deliveries.",
    limit: 20,
    columns: [
      { title: "id", value: ({ id }: WebhookDelivery) => id },
      { title: "event", value: ({ event_type }) => event_type },
      {
        title: "status",
        value: ({ status }) => status,
        show: ({ status }, { colors }) => paintStatus(colors, status),
      },
      { title: "attempts", value: ({ attempts, max_attempts }) => `${attempts}/${max_attempts}`, isMinor: true },
      { title: "url", value: ({ url }) => url },
      {
        title: "created",
        value: ({ created_at }) => created_at,
        show: ({ created_at }) => agoOf(created_at),
        isMinor: true,
      },
      { title: "error", value: ({ last_error }) => last_error ?? "" },
    ],
  }),
  command({
    name: "webhooks retry",
    summary: "send failed deliveries again",
    args: [variadic("delivery", "ids of deliveries")],
    options: {
      all: flag("--all", "retry every failed delivery"),
      yes: flag("-y, --yes", "do not ask for confirmation"),
    },
    examples: ["millrace webhooks retry --all --yes"],
    run: async (cli, { args, options }) => {
      if (args.length > 0 === options.all) throw new CommandError("usage", "Name deliveries, or pass --all.");
      if (options.all) await confirm(cli, "Retry every failed delivery?", options.yes);
      const body = options.all ? { filter: {} } : { delivery_ids: args };
      const { results } = await send<BulkRetryDeliveriesResult>(cli, {
        path: "/v1/webhook-deliveries/bulk-retry",
        body,
        said: ({ results }) => {
          const retried = results.filter(({ status }) => status === "retried").length;
          return `${plural(retried, "delivery", "deliveries")} will be sent again; ${results.length - retried} cannot be retried.`;
        },
      });
      return results.every(({ status }) => status === "retried") ? "ok" : "failure";
    },
  }),
];

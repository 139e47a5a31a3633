import type { AlertChannel, AlertChannelTest } from "@millrace/contract/alerts/alert-channels";
import { listing, send } from "../../../api/requests.ts";
import { type Command, command, flag, required, text } from "../../../command.ts";
import { confirm } from "../../../output/ask.ts";
import { plural } from "../../../output/plural.ts";
import { CHANNELS, findChannel } from "./find.ts";

const channel = required("channel", "name or id of the alert channel");

export const alertChannelCommands: readonly Command[] = [
  listing({
    name: "alerts channels list",
    summary: "list alert channels",
    examples: ["millrace alerts channels list"],
    path: CHANNELS,
    nothing: "No alert channels.",
    columns: [
      { title: "name", value: ({ name }: AlertChannel) => name },
      { title: "kind", value: ({ kind }) => kind },
      { title: "target", value: ({ target }) => target },
    ],
  }),
  command({
    name: "alerts channels create",
    summary: "create an alert channel",
    args: [required("name", "name of the channel")],
    options: {
      kind: text("--kind <kind>", "webhook, slack, discord, teams, pagerduty, opsgenie or email"),
      url: text("--url <url>", "where to post"),
      key: text("--key <key>", "pagerduty: the routing key; opsgenie: the API key"),
      email: text("--email <address>", "email: the address"),
    },
    examples: ["millrace alerts channels create night --kind email --email night@example.com"],
    run: async (cli, { args: [name = ""], options: { kind, url, key, email } }) => {
      const body = { name, kind, url, key, email };
      await send(cli, { path: CHANNELS, body, said: (created: AlertChannel) => `${created.name} was created` });
    },
  }),
  command({
    name: "alerts channels test",
    summary: "send a test notification to an alert channel",
    args: [channel],
    examples: ["millrace alerts channels test night"],
    run: async (cli, { args: [given = ""] }) => {
      const { id } = await findChannel(cli, given);
      const said = ({ delivery_ids }: AlertChannelTest) => `Sent ${plural(delivery_ids.length, "test")}.`;
      await send(cli, { path: `${CHANNELS}/${id}/test`, said });
    },
  }),
  command({
    name: "alerts channels delete",
    summary: "delete an alert channel that no rule uses",
    args: [channel],
    options: { yes: flag("-y, --yes", "do not ask for confirmation") },
    examples: ["millrace alerts channels delete night"],
    run: async (cli, { args: [given = ""], options }) => {
      const { id, name } = await findChannel(cli, given);
      await confirm(cli, `Delete the alert channel ${name}?`, options.yes);
      await send(cli, { method: "DELETE", path: `${CHANNELS}/${id}`, said: () => `${name} was deleted` });
    },
  }),
];

import type { OutboxSource, RefusedRows, RetriedRows } from "@millrace/contract/events/outbox-sources";
import { findListed } from "../../../api/names.ts";
import { listing, send } from "../../../api/requests.ts";
import type { Cli } from "../../../cli.ts";
import { type Command, command, flag, required, text } from "../../../command.ts";
import { CommandError } from "../../../command-error.ts";
import { confirm } from "../../../output/ask.ts";
import { plural } from "../../../output/plural.ts";
import { type Column, printRows } from "../../../output/print-rows.ts";
import { agoOf } from "../../../output/times.ts";
import { DATABASE_URL_OPTION, databaseUrlOf } from "./database-url.ts";

const PATH = "/v1/outbox-sources";
const source = required("source", "name or id of the outbox source");

const find = (cli: Cli, given: string) =>
  findListed<OutboxSource>(
    cli,
    { noun: "Outbox source", path: PATH, listedBy: "millrace outbox sources list", nameOf: ({ name }) => name },
    given,
  );

const REFUSED_COLUMNS: readonly Column<RefusedRows["data"][number]>[] = [
  { title: "row", value: ({ id }) => id },
  { title: "job", value: ({ job }) => job },
  { title: "error", value: ({ error }) => error.code },
  { title: "message", value: ({ error }) => error.message },
];

export const outboxSourcesCommands: readonly Command[] = [
  listing({
    name: "outbox sources list",
    summary: "list outbox sources and their health",
    examples: ["millrace outbox sources list"],
    path: PATH,
    nothing: "No outbox sources.",
    columns: [
      { title: "name", value: ({ name }: OutboxSource) => name },
      { title: "state", value: ({ state }) => state },
      { title: "database", value: ({ host, port, database }) => `${host}:${port}/${database}` },
      { title: "drained", value: ({ drained_count }) => String(drained_count) },
      { title: "refused", value: ({ refused_count }) => String(refused_count) },
      {
        title: "last",
        value: ({ last_drained_at }) => last_drained_at ?? "",
        show: ({ last_drained_at }) => (last_drained_at === null ? "never" : agoOf(last_drained_at)),
      },
      { title: "error", value: ({ last_error }) => last_error ?? "" },
    ],
  }),
  command({
    name: "outbox sources create",
    summary: "connect a database for the service to drain",
    args: [required("name", "name of the outbox source")],
    options: DATABASE_URL_OPTION,
    examples: ["millrace outbox sources create shop --database-url postgresql://millrace:secret@db.example.com/shop"],
    run: async (cli, { args: [name = ""], options }) => {
      const body = { name, database_url: databaseUrlOf(cli, options.databaseUrl) };
      await send(cli, { path: PATH, body, data: ({ id }: OutboxSource) => [id], said: () => `${name} was created` });
    },
  }),
  command({
    name: "outbox sources update",
    summary: "change an outbox source: its name or connection, or whether it is drained",
    args: [source],
    options: {
      ...DATABASE_URL_OPTION,
      name: text("--name <name>", "new name"),
      enable: flag("--enable", "drain it again"),
      disable: flag("--disable", "stop draining; rows stay in the database"),
    },
    examples: ["millrace outbox sources update shop --disable"],
    run: async (cli, { args: [given = ""], options }) => {
      const { name, databaseUrl: database_url, enable, disable } = options;
      if (enable && disable) throw new CommandError("usage", "Use --enable or --disable, not both.");
      const { id } = await find(cli, given);
      const body = { name, database_url, ...((enable || disable) && { enabled: enable }) };
      const said = (changed: OutboxSource) => `${changed.name} is ${changed.state}`;
      await send(cli, { method: "PATCH", path: `${PATH}/${id}`, body, said });
    },
  }),
  command({
    name: "outbox sources refused",
    summary: "show the rows that were refused, with their errors",
    args: [source],
    examples: ["millrace outbox sources refused shop"],
    run: async (cli, { args: [given = ""] }) => {
      const { id } = await find(cli, given);
      const { data, has_more } = await cli.client().request<RefusedRows>("GET", `${PATH}/${id}/refused`);
      await printRows(cli, { rows: data, hasMore: has_more, columns: REFUSED_COLUMNS, nothing: "No refused rows." });
    },
  }),
  command({
    name: "outbox sources retry",
    summary: "drain the refused rows again",
    args: [source],
    examples: ["millrace outbox sources retry shop"],
    run: async (cli, { args: [given = ""] }) => {
      const { id } = await find(cli, given);
      const said = ({ retried }: RetriedRows) => `${plural(retried, "row")} will be drained again.`;
      await send(cli, { path: `${PATH}/${id}/retry`, said });
    },
  }),
  command({
    name: "outbox sources delete",
    summary: "delete an outbox source; its rows stay in the database",
    args: [source],
    options: { yes: flag("-y, --yes", "do not ask for confirmation") },
    examples: ["millrace outbox sources delete shop"],
    run: async (cli, { args: [given = ""], options }) => {
      const { id, name } = await find(cli, given);
      await confirm(cli, `Delete the outbox source ${name}?`, options.yes);
      await send(cli, { method: "DELETE", path: `${PATH}/${id}`, said: () => `${name} was deleted` });
    },
  }),
];

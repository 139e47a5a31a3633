import type { Cli } from "../../../cli.ts";
import { text } from "../../../command.ts";
import { CommandError } from "../../../command-error.ts";

export const DATABASE_URL_OPTION = {
  databaseUrl: text(
    "--database-url <url>",
    "PostgreSQL of your application; visible to other users of this machine, so prefer OUTBOX_DATABASE_URL",
  ),
};

/** Not DATABASE_URL, which the service itself uses: the outbox belongs to the application. */
export function databaseUrlOf({ env }: Cli, given: string | undefined): string {
  const url = given ?? env.OUTBOX_DATABASE_URL;
  if (url) return url;
  throw new CommandError("usage", "Name the database of your application: --database-url, or OUTBOX_DATABASE_URL.");
}

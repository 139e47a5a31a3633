import type { Method } from "@millrace/sdk";
import type { Cli } from "../cli.ts";
import { type Argument, type Command, command, count, type Option } from "../command.ts";
import { printJson } from "../output/print-object.ts";
import { type Column, printRows } from "../output/print-rows.ts";
import { takeRows } from "./take-rows.ts";

type Filters = Record<string, string | undefined>;

type Listing<T, O extends Record<string, Option>> = {
  name: string;
  summary: string;
  about?: string;
  args?: readonly Argument[];
  options?: O;
  examples?: readonly string[];
  path: string | ((args: string[]) => string);
  filters?: (options: { [K in keyof O]: string | undefined }) => Filters | Promise<Filters>;
  columns: readonly Column<T>[] | ((cli: Cli, rows: T[]) => Promise<readonly Column<T>[]>);
  nothing: string;
  limit?: number;
};

/** A command that prints a list of the API. */
export function listing<T, O extends Record<string, Option> = Record<never, Option>>(
  definition: Listing<T, O>,
): Command {
  const { path, filters, columns, nothing, limit = 50, ...shown } = definition;
  const options: Record<string, Option> = {
    ...definition.options,
    limit: count("-n, --limit <n>", `maximum number of results (default: ${limit})`),
  };
  return command({
    ...shown,
    options,
    run: async (cli, { args, options }) => {
      const query = (await filters?.(options as never)) ?? {};
      const max = (options.limit as number | undefined) ?? limit;
      const taken = await takeRows<T>(cli, typeof path === "string" ? path : path(args), query, max);
      const shownColumns = typeof columns === "function" ? await columns(cli, taken.rows) : columns;
      await printRows(cli, { ...taken, columns: shownColumns, nothing });
    },
  });
}

type Sent<T> = {
  method?: Method;
  path: string;
  body?: unknown;
  /** What a script would use of the answer, on stdout. */
  data?: (answer: T) => readonly string[];
  /** What happened, as a message. */
  said: (answer: T) => string;
};

/** Sends one request, and prints its answer for programs, or its data and a sentence for people. */
export async function send<T>(cli: Cli, { method = "POST", path, body, data, said }: Sent<T>): Promise<T> {
  const answer = await cli.client().request<T>(method, path, body === undefined ? {} : { body });
  if (cli.format === "human") {
    for (const line of data?.(answer) ?? []) cli.write(`${line}\n`);
    cli.say(said(answer));
  } else printJson(cli, answer ?? {});
  return answer;
}

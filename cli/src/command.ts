import type { Cli } from "./cli.ts";
import type { ExitName } from "./exit-codes.ts";

/** A command is a row: everything that a caller must know stands in one literal. */
export type Command = {
  /** As it is typed: `runs list`. */
  name: string;
  summary: string;
  /** More than the summary, for help and docs. */
  about?: string;
  args: readonly Argument[];
  options: Readonly<Record<string, Option>>;
  examples: readonly string[];
  /** Whether it speaks with a service: then it takes the options that say which. */
  asksService: boolean;
  run: (cli: Cli, input: { args: string[]; options: Record<string, unknown> }) => Promise<ExitName | undefined>;
};

export type Argument = { name: string; about: string; kind: "one" | "maybe" | "many" };

export type Option = { kind: "text" | "flag" | "list" | "whole" | "count"; flags: string; about: string };

type ValueOf<O extends Option> = O["kind"] extends "flag"
  ? boolean
  : O["kind"] extends "list"
    ? string[]
    : O["kind"] extends "whole" | "count"
      ? number | undefined
      : string | undefined;

type Row<O extends Record<string, Option>> = {
  name: string;
  summary: string;
  about?: string;
  args?: readonly Argument[];
  options?: O;
  examples?: readonly string[];
  asksService?: boolean;
  /** What it says of how to exit; nothing: it went well. */
  run: (cli: Cli, input: Input<O>) => Promise<ExitName | undefined> | Promise<void>;
};

type Input<O extends Record<string, Option>> = {
  /** By place; a missing one is undefined. */
  args: string[];
  options: { [K in keyof O]: ValueOf<O[K]> };
};

export function command<O extends Record<string, Option>>(row: Row<O>): Command {
  const { run } = row;
  return {
    args: [],
    examples: [],
    asksService: true,
    ...row,
    options: row.options ?? {},
    run: async (cli, input) => (await run(cli, input as Input<O>)) || undefined,
  };
}

export const one = (name: string, about: string): Argument => ({ name, about, kind: "one" });
export const maybe = (name: string, about: string): Argument => ({ name, about, kind: "maybe" });
export const many = (name: string, about: string): Argument => ({ name, about, kind: "many" });

export const text = (flags: string, about: string) => ({ kind: "text", flags, about }) as const;
export const flag = (flags: string, about: string) => ({ kind: "flag", flags, about }) as const;
export const list = (flags: string, about: string) => ({ kind: "list", flags, about }) as const;
/** A whole number, 0 too. */
export const whole = (flags: string, about: string) => ({ kind: "whole", flags, about }) as const;
/** How many: a whole number, 1 at least. */
export const count = (flags: string, about: string) => ({ kind: "count", flags, about }) as const;

/** Every command takes these. */
export const OUTPUT_OPTIONS = {
  json: flag("--json", "one JSON document on stdout"),
  ndjson: flag("--ndjson", "one JSON object per line on stdout"),
  quiet: flag("--quiet", "print only errors on stderr"),
  color: flag("--no-color", "no colors; the same as NO_COLOR"),
};

/** Every command that speaks with a service takes these. */
export const SERVICE_OPTIONS = {
  baseUrl: text("--base-url <url>", "the address of the service; default: MILLRACE_BASE_URL"),
  apiKey: text("--api-key <key>", "the API key; other users of this machine can see it, so prefer MILLRACE_API_KEY"),
  profile: text("--profile <name>", "a profile saved by `millrace login`; default: MILLRACE_PROFILE"),
};

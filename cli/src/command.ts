import type { Cli } from "./cli.ts";
import type { ExitName } from "./exit-codes.ts";

/** The definition of a command. */
export type Command = {
  /** The words of the command: `runs list`. */
  name: string;
  summary: string;
  /** Longer description for help and docs. Default: `summary`. */
  about?: string;
  args: readonly Argument[];
  options: Readonly<Record<string, Option>>;
  examples: readonly string[];
  /** Whether it calls the service, and therefore takes SERVICE_OPTIONS. */
  callsService: boolean;
  /** Whether it makes so many requests that it waits when the rate limit is reached. */
  waitsForLimits: boolean;
  run: (cli: Cli, input: { args: string[]; options: Record<string, unknown> }) => Promise<ExitName | undefined>;
};

export type Argument = { name: string; about: string; kind: "required" | "optional" | "variadic" };

export type Option = { kind: "text" | "flag" | "list" | "integer" | "count"; flags: string; about: string };

type ValueOf<O extends Option> = O["kind"] extends "flag"
  ? boolean
  : O["kind"] extends "list"
    ? string[]
    : O["kind"] extends "integer" | "count"
      ? number | undefined
      : string | undefined;

type Definition<O extends Record<string, Option>> = {
  name: string;
  summary: string;
  about?: string;
  args?: readonly Argument[];
  options?: O;
  examples?: readonly string[];
  callsService?: boolean;
  waitsForLimits?: boolean;
  /** Returns the exit code's name. Nothing means `ok`. */
  run: (cli: Cli, input: Input<O>) => Promise<ExitName | undefined> | Promise<void>;
};

type Input<O extends Record<string, Option>> = {
  /** By position. Missing ones are undefined. */
  args: string[];
  options: { [K in keyof O]: ValueOf<O[K]> };
};

export function command<O extends Record<string, Option>>(definition: Definition<O>): Command {
  const { run } = definition;
  return {
    args: [],
    examples: [],
    callsService: true,
    waitsForLimits: false,
    ...definition,
    options: definition.options ?? {},
    run: async (cli, input) => (await run(cli, input as Input<O>)) || undefined,
  };
}

export const required = (name: string, about: string): Argument => ({ name, about, kind: "required" });
export const optional = (name: string, about: string): Argument => ({ name, about, kind: "optional" });
export const variadic = (name: string, about: string): Argument => ({ name, about, kind: "variadic" });

export const text = (flags: string, about: string) => ({ kind: "text", flags, about }) as const;
export const flag = (flags: string, about: string) => ({ kind: "flag", flags, about }) as const;
export const list = (flags: string, about: string) => ({ kind: "list", flags, about }) as const;
/** A whole number, 0 or more. */
export const integer = (flags: string, about: string) => ({ kind: "integer", flags, about }) as const;
/** A whole number, 1 or more. */
export const count = (flags: string, about: string) => ({ kind: "count", flags, about }) as const;

/** Options of every command. */
export const OUTPUT_OPTIONS = {
  json: flag("--json", "print one JSON document to stdout"),
  ndjson: flag("--ndjson", "print one JSON object per line to stdout"),
  template: text("--template <text>", "format each object with this template, such as '{{id}} {{error.code}}'"),
  quiet: flag("--quiet", "print no messages to stderr except errors"),
  input: flag("--no-input", "never ask; fail where an answer is needed"),
  color: flag("--no-color", "disable colors (as NO_COLOR does)"),
};

/** Options of every command that calls the service. */
export const SERVICE_OPTIONS = {
  baseUrl: text("--base-url <url>", "URL of the service (default: MILLRACE_BASE_URL, or http://localhost:8787)"),
  apiKey: text("--api-key <key>", "API key; visible to other users of this machine, so prefer MILLRACE_API_KEY"),
  profile: text(
    "--profile <name>",
    "profile saved by `millrace login` (default: MILLRACE_PROFILE, or that of `profile use`)",
  ),
};

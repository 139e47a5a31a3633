import { Command as Program, Option as ProgramOption } from "commander";
import { type Argument, type Command, type Option, OUTPUT_OPTIONS, SERVICE_OPTIONS } from "./command.ts";
import { VERSION } from "./version.ts";

export type Chosen = { command: Command; args: string[]; options: Record<string, unknown> };

type Writers = { out: (text: string) => void; err: (text: string) => void };

/** The command line that the table describes. It only finds out what was asked; `choose` is told. */
export function buildProgram(commands: readonly Command[], choose: (chosen: Chosen) => void, write: Writers): Program {
  const program = new Program("millrace")
    .description("Durable jobs and workflows: run the service, and work with one.")
    .version(VERSION, "-v, --version", "print the version")
    .helpCommand(false);
  settle(program, write);
  const groups = new Map<string, Program>();
  for (const row of commands) {
    const [first = "", verb] = row.name.split(" ");
    if (verb === undefined) addCommand(program, first, row, { choose, write });
    else addCommand(groupOf(program, groups, first, write), verb, row, { choose, write });
  }
  return program;
}

function groupOf(program: Program, groups: Map<string, Program>, noun: string, write: Writers): Program {
  const known = groups.get(noun);
  if (known) return known;
  const group = settle(
    program
      .command(noun)
      .description(NOUNS[noun] ?? noun)
      .helpCommand(false),
    write,
  );
  groups.set(noun, group);
  return group;
}

export const NOUNS: Record<string, string> = {
  runs: "find, follow, explain, cancel and replay runs",
  events: "send events, and list waits for them",
  "workflow-runs": "find, watch and explain workflow runs",
  jobs: "list, show, pause and resume jobs",
  migrate: "migrate the database schema",
};

type Way = { choose: (chosen: Chosen) => void; write: Writers };

function addCommand(parent: Program, word: string, row: Command, { choose, write }: Way): void {
  const program = settle(
    parent
      .command(word)
      .description(row.about ?? row.summary)
      .summary(row.summary),
    write,
  );
  for (const argument of row.args) program.argument(shapeOf(argument), argument.about);
  for (const option of optionsOf(row)) program.addOption(programOption(option));
  if (row.examples.length > 0)
    program.addHelpText("after", `\nExamples:\n${row.examples.map((line) => `  $ ${line}\n`).join("")}`);
  program.action(() =>
    choose({ command: row, args: program.processedArgs.flat(), options: withDefaults(row, program.opts()) }),
  );
}

export function optionsOf(row: Command): Option[] {
  return [row.options, row.asksService ? SERVICE_OPTIONS : {}, OUTPUT_OPTIONS].flatMap((group) => Object.values(group));
}

export function shapeOf({ name, kind }: Argument): string {
  if (kind === "many") return `[${name}...]`;
  return kind === "one" ? `<${name}>` : `[${name}]`;
}

function programOption({ kind, flags, about }: Option): ProgramOption {
  const option = new ProgramOption(flags, about);
  if (kind === "list") option.argParser((value: string, before: string[] | undefined) => [...(before ?? []), value]);
  if (kind === "whole") option.argParser(readWhole);
  if (kind === "count") option.argParser(readCount);
  return option;
}

function readWhole(value: string): number {
  if (/^\d{1,9}$/.test(value)) return Number(value);
  throw invalidArgument(`"${value}" is not a whole number.`);
}

function readCount(value: string): number {
  const number = readWhole(value);
  if (number > 0) return number;
  throw invalidArgument(`"${value}" is not 1 or more.`);
}

function invalidArgument(message: string): Error {
  return Object.assign(new Error(message), { code: "commander.invalidArgument" });
}

/** Flags that were not given are false, lists are empty: a command need not ask twice. */
function withDefaults(row: Command, given: Record<string, unknown>): Record<string, unknown> {
  const missing = Object.entries(row.options).flatMap(([name, { kind }]): [string, unknown][] => {
    if (kind === "flag") return [[name, false]];
    return kind === "list" ? [[name, []]] : [];
  });
  return { ...Object.fromEntries(missing), ...given };
}

/** Errors are thrown, not printed and exited from: main tells them as it tells all others. */
function settle(program: Program, { out, err }: Writers): Program {
  return program
    .exitOverride()
    .showSuggestionAfterError(true)
    .configureOutput({ writeOut: out, writeErr: err, outputError: () => {} })
    .configureHelp({ sortSubcommands: false, showGlobalOptions: false });
}

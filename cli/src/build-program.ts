import { Command as Program, Option as ProgramOption } from "commander";
import { type Argument, type Command, type Option, OUTPUT_OPTIONS, SERVICE_OPTIONS } from "./command.ts";
import { VERSION } from "./version.ts";

export type Chosen = { command: Command; args: string[]; options: Record<string, unknown> };

type Writers = { out: (text: string) => void; err: (text: string) => void };

/** Builds the commander program from the command table. It only parses; `choose` receives the result. */
export function buildProgram(commands: readonly Command[], choose: (chosen: Chosen) => void, write: Writers): Program {
  const program = new Program("millrace")
    .description("Durable jobs and workflows: run the Millrace service and work with it.")
    .version(VERSION, "-v, --version", "print the version")
    .addHelpText("after", "\nDocumentation: /docs of your service, by default http://localhost:8787/docs")
    .helpCommand(false);
  configure(program, write);
  const groups = new Map<string, Program>();
  for (const command of commands) {
    const words = command.name.split(" ");
    const verb = words.pop() ?? "";
    addCommand(groupOf(program, groups, words, write), verb, command, { choose, write });
  }
  return program;
}

/** The group of these words, below those of the words before: `workflows canary`. */
function groupOf(program: Program, groups: Map<string, Program>, words: readonly string[], write: Writers): Program {
  const name = words.join(" ");
  const word = words.at(-1);
  if (word === undefined) return program;
  const known = groups.get(name);
  if (known) return known;
  const about = NOUNS[name] ?? name;
  const parent = groupOf(program, groups, words.slice(0, -1), write);
  const group = configure(parent.command(word).description(sentence(about)).summary(about).helpCommand(false), write);
  groups.set(name, group);
  return group;
}

export const NOUNS: Record<string, string> = {
  runs: "list, follow, explain, compare, cancel and replay runs",
  events: "send events; list, follow, count, cancel and purge waits",
  workflows: "list, show, trigger, plan, simulate and change workflows",
  "workflows canary": "try a version of a workflow on a share of its new runs",
  "workflow-runs": "list, follow, explain, stop and continue workflow runs",
  jobs: "list, show, create, change, pause, resume, compare and delete jobs",
  endpoints: "list the hosts that jobs are dispatched to",
  queues: "list, show, create, change, pause, resume and delete queues",
  workers: "list live workers",
  schedules: "list, pause, resume, fire and backfill schedules",
  env: "list, set, compare and copy the variables of environments",
  keys: "list, create, rotate and revoke API keys",
  webhooks: "list, create, test and delete webhook subscriptions, and retry deliveries",
  sources: "list and test event sources, and show what they received",
  drains: "list and test log drains",
  outbox: "enqueue jobs in the transactions of your own database",
  "outbox sources": "list, connect, change and delete the databases that the service drains",
  alerts: "list, create, preview, test, silence and delete alert rules",
  "alerts channels": "list, create, test and delete the channels that alerts are sent to",
  errors: "list, show, resolve, ignore, assign and replay error issues",
  members: "list, add and remove members",
  roles: "list, show, create, change and delete roles",
  audit: "show and verify the changes to the project",
  budget: "show and set the monthly budget",
  profile: "list, select and remove saved profiles",
  backup: "create, restore and verify backups of the database",
  generate: "write code from the project",
  migrate: "show and apply database migrations",
};

type Hooks = { choose: (chosen: Chosen) => void; write: Writers };

function addCommand(parent: Program, word: string, command: Command, { choose, write }: Hooks): void {
  const program = configure(
    parent
      .command(word)
      .description(command.about ?? sentence(command.summary))
      .summary(command.summary),
    write,
  );
  for (const argument of command.args) program.argument(shapeOf(argument), argument.about);
  for (const option of optionsOf(command)) program.addOption(programOption(option));
  if (command.examples.length > 0)
    program.addHelpText("after", `\nExamples:\n${command.examples.map((line) => `  $ ${line}\n`).join("")}`);
  program.action(() =>
    choose({ command, args: program.processedArgs.flat(), options: withDefaults(command, program.opts()) }),
  );
}

export function optionsOf(command: Command): Option[] {
  return [command.options, command.callsService ? SERVICE_OPTIONS : {}, OUTPUT_OPTIONS].flatMap((group) =>
    Object.values(group),
  );
}

export function shapeOf({ name, kind }: Argument): string {
  if (kind === "variadic") return `[${name}...]`;
  return kind === "required" ? `<${name}>` : `[${name}]`;
}

function programOption({ kind, flags, about }: Option): ProgramOption {
  const option = new ProgramOption(flags, about);
  if (kind === "list") option.argParser((value: string, before: string[] | undefined) => [...(before ?? []), value]);
  if (kind === "integer") option.argParser(readInteger);
  if (kind === "count") option.argParser(readCount);
  return option;
}

function readInteger(value: string): number {
  if (/^\d{1,9}$/.test(value)) return Number(value);
  throw invalidArgument(`"${value}" is not a whole number.`);
}

function readCount(value: string): number {
  const number = readInteger(value);
  if (number > 0) return number;
  throw invalidArgument(`"${value}" is less than 1.`);
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function invalidArgument(message: string): Error {
  return Object.assign(new Error(message), { code: "commander.invalidArgument" });
}

/** Missing flags become false and missing lists empty, so that commands need no checks. */
function withDefaults(command: Command, given: Record<string, unknown>): Record<string, unknown> {
  const missing = Object.entries(command.options).flatMap(([name, { kind }]): [string, unknown][] => {
    if (kind === "flag") return [[name, false]];
    return kind === "list" ? [[name, []]] : [];
  });
  return { ...Object.fromEntries(missing), ...given };
}

/** Makes commander throw instead of printing and exiting, so that main handles all errors alike. */
function configure(program: Program, { out, err }: Writers): Program {
  return program
    .exitOverride()
    .showSuggestionAfterError(true)
    .configureOutput({ writeOut: out, writeErr: err, outputError: () => {} })
    .configureHelp({ sortSubcommands: false, showGlobalOptions: false });
}

import { createClient } from "@millrace/sdk";
import { CommanderError } from "commander";
import { allCommands } from "./all-commands.ts";
import { buildProgram, type Chosen } from "./build-program.ts";
import type { Cli, Format } from "./cli.ts";
import { CommandError } from "./command-error.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import { explainError } from "./explain-error.ts";
import { openTerminal, type Streams } from "./open-terminal.ts";
import { printTemplate } from "./output/print-template.ts";
import type { ServerLoader } from "./service/server-loader.ts";
import { misspellingWarnings, readSettings, type Settings } from "./settings/read-settings.ts";

type Invocation = {
  argv: readonly string[];
  env: Record<string, string | undefined>;
  cwd: string;
  streams: Streams;
  server: ServerLoader;
};

/** For `npx millrace` without a command, so that a new user sees the dashboard. */
const DEFAULT_COMMAND = ["dev"];

/** Runs a command line and returns its exit code, or undefined if the process keeps running as the service. */
export async function runCommandLine(given: Invocation): Promise<number | undefined> {
  const invocation = given.argv.length === 0 ? { ...given, argv: DEFAULT_COMMAND } : given;
  const stop = new AbortController();
  const interrupt = () => stop.abort(new CommandError("interrupted", "Interrupted."));
  const early = contextWithoutSettings(invocation, stop.signal);
  let cli = early;
  try {
    const chosen = choose(invocation);
    if (!chosen) return EXIT_CODES.ok.code;
    cli = { ...early, ...(await contextOf(invocation, chosen, early)), ...printTemplate(early, chosen.options) };
    // The service handles signals itself.
    if (!STARTS_SERVICE.has(chosen.command.name)) process.on("SIGINT", interrupt).on("SIGTERM", interrupt);
    const exit = await chosen.command.run(cli, chosen);
    if (exit === undefined && STARTS_SERVICE.has(chosen.command.name)) return undefined;
    return EXIT_CODES[exit ?? "ok"].code;
  } catch (error) {
    const { text, exit } = explainError(
      { ...cli, format: early.format },
      stop.signal.aborted ? stop.signal.reason : error,
    );
    if (exit !== "interrupted") invocation.streams.err.write(text);
    return EXIT_CODES[exit].code;
  } finally {
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
  }
}

const STARTS_SERVICE: ReadonlySet<string> = new Set(["dev", "serve"]);
const NO_SETTINGS: Settings = {
  baseUrl: { value: "", source: "default" },
  apiKey: undefined,
  signingSecret: undefined,
};

/** The context for reporting errors of the command line itself. */
function contextWithoutSettings({ argv, env, cwd, streams, server }: Invocation, signal: AbortSignal): Cli {
  const format: Format = argv.includes("--ndjson") ? "ndjson" : argv.includes("--json") ? "json" : "human";
  const isQuiet = argv.includes("--quiet");
  const opened = openTerminal(streams, env, {
    mayColor: !argv.includes("--no-color"),
    mayAsk: !argv.includes("--no-input"),
    mayReport: !isQuiet,
  });
  return {
    ...opened,
    env,
    cwd,
    format,
    server,
    signal,
    settings: NO_SETTINGS,
    write: (text) => void streams.out.write(text),
    say: (line) => void (isQuiet || streams.err.write(`${line}\n`)),
    client: () => {
      throw new Error("settings have not been read yet");
    },
  };
}

function choose({ argv, streams }: Invocation): Chosen | undefined {
  let chosen: Chosen | undefined;
  const write = {
    out: (text: string) => void streams.out.write(text),
    err: (text: string) => void streams.err.write(text),
  };
  const program = buildProgram(allCommands, (found) => (chosen = found), write);
  try {
    program.parse(argv, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return afterParsing(error);
  }
  return chosen;
}

/** Help and version have been printed; all other errors are usage errors. */
function afterParsing(error: CommanderError): undefined {
  if (error.exitCode === 0) return undefined;
  if (error.code === "commander.help") throw new CommandError("usage", "No subcommand given.");
  const [message = "", ...hints] = error.message.replace(/^error: /, "").split("\n");
  throw new CommandError("usage", `${message[0]?.toUpperCase()}${message.slice(1)}.`.replace("..", "."), [
    ...fullNames(message),
    ...hints.map((hint) => hint.replace(/^\((.*)\)$/, "$1")),
    "Use `--help` for usage.",
  ]);
}

/** For a word that is a part of other commands, as in `millrace replay`. */
function fullNames(message: string): string[] {
  const [, word = ""] = /^unknown command '(.+)'$/.exec(message) ?? [];
  const names = allCommands.map(({ name }) => name).filter((name) => name.split(" ").includes(word));
  return names.length === 0 ? [] : [`Did you mean ${names.slice(0, 5).join(", ")}?`];
}

async function contextOf({ env, cwd }: Invocation, { command, options }: Chosen, cli: Cli): Promise<Partial<Cli>> {
  if (!command.callsService) return {};
  for (const warning of misspellingWarnings({ env, cwd })) cli.say(warning);
  const settings = readSettings(options, { env, cwd });
  let client: ReturnType<Cli["client"]> | undefined;
  return {
    settings,
    client: () =>
      (client ??= createClient({
        baseUrl: settings.baseUrl.value,
        ...keyOf(settings),
        headers: AGENT,
        ...(command.waitsForLimits ? PATIENT : { maxRetryAfterSecs: MAX_SILENT_WAIT_SECS }),
        ...fetchOf(cli),
      })),
  };
}

const AGENT = { "user-agent": "millrace-cli" };
const PATIENT = { maxRetryAfterSecs: 70, retries: 20 };
const MAX_SILENT_WAIT_SECS = 2; // a longer rate-limit wait is reported to the user

function keyOf({ apiKey }: Settings): { apiKey?: string } {
  return apiKey ? { apiKey: apiKey.value } : {};
}

/** Aborts requests in flight on Ctrl-C. */
function fetchOf({ signal }: Cli): { fetch: typeof fetch } {
  return {
    fetch: (input, init) =>
      fetch(input, { ...init, signal: init?.signal ? AbortSignal.any([init.signal, signal]) : signal }),
  };
}

/** The main program. The reader of its output may exit early, as in `millrace runs list | head`. */
export async function runAsProgram(server: ServerLoader): Promise<void> {
  const leave = (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(EXIT_CODES.ok.code);
    throw error;
  };
  const argv = process.argv.slice(2);
  const isService = argv[0] === undefined || STARTS_SERVICE.has(argv[0]);
  if (!isService) process.stdout.on("error", leave);
  const streams = { in: process.stdin, out: process.stdout, err: process.stderr };
  const code = await runCommandLine({ argv, env: process.env, cwd: process.cwd(), streams, server });
  if (code === undefined) return;
  process.exitCode = code;
  // An opened stdin or a keep-alive connection must not keep the process running.
  process.stdout.write("", () => process.stderr.write("", () => process.exit(code)));
}

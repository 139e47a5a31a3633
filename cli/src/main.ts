import { createClient } from "@millrace/sdk";
import { CommanderError } from "commander";
import { allCommands } from "./all-commands.ts";
import { buildProgram, type Chosen } from "./build-program.ts";
import type { Cli, Format } from "./cli.ts";
import { CommandError } from "./command-error.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import { explainError } from "./explain-error.ts";
import { openTerminal, type Streams } from "./open-terminal.ts";
import type { ServerDoor } from "./service/server-door.ts";
import { readSettings, type Settings, warnOfMisspelled } from "./settings/read-settings.ts";

type World = {
  argv: readonly string[];
  env: Record<string, string | undefined>;
  cwd: string;
  streams: Streams;
  server: ServerDoor;
};

/** One command line, from its words to the code it exits with. Undefined: the process goes on, as a service. */
export async function runCommandLine(world: World): Promise<number | undefined> {
  const stop = new AbortController();
  const interrupt = () => stop.abort(new CommandError("interrupted", "Interrupted."));
  const early = beforeSettings(world, stop.signal);
  let cli = early;
  try {
    const chosen = choose(world);
    if (!chosen) return EXIT_CODES.ok.code;
    cli = { ...early, ...(await contextOf(world, chosen, early)) };
    // The service has its own way to stop.
    if (!STARTS_SERVICE.has(chosen.command.name)) process.on("SIGINT", interrupt).on("SIGTERM", interrupt);
    const exit = await chosen.command.run(cli, chosen);
    if (exit === undefined && STARTS_SERVICE.has(chosen.command.name)) return undefined;
    return EXIT_CODES[exit ?? "ok"].code;
  } catch (error) {
    const { text, exit } = explainError(cli, stop.signal.aborted ? stop.signal.reason : error);
    if (exit !== "interrupted") world.streams.err.write(text);
    return EXIT_CODES[exit].code;
  } finally {
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
  }
}

const STARTS_SERVICE: ReadonlySet<string> = new Set(["dev", "serve"]);
const NOWHERE: Settings = { baseUrl: { value: "", source: "default" }, apiKey: undefined, signingSecret: undefined };

/** Enough to tell what is wrong with the command line itself. */
function beforeSettings({ argv, env, cwd, streams, server }: World, signal: AbortSignal): Cli {
  const format: Format = argv.includes("--ndjson") ? "ndjson" : argv.includes("--json") ? "json" : "human";
  const isQuiet = argv.includes("--quiet");
  const opened = openTerminal(streams, env, !argv.includes("--no-color"));
  return {
    ...opened,
    env,
    cwd,
    format,
    server,
    signal,
    settings: NOWHERE,
    write: (text) => void streams.out.write(text),
    say: (line) => void (isQuiet || streams.err.write(`${line}\n`)),
    client: () => {
      throw new Error("there are no settings yet");
    },
  };
}

function choose({ argv, streams }: World): Chosen | undefined {
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
    return afterParsing(error, argv);
  }
  return chosen;
}

/** Help and version were printed; everything else is a fault of the command line. */
function afterParsing(error: CommanderError, argv: readonly string[]): undefined {
  if (error.exitCode === 0) return undefined;
  if (error.code === "commander.help") {
    throw new CommandError("usage", argv.length === 0 ? "Say what to do." : "Say what to do with them.");
  }
  const [message = "", ...hints] = error.message.replace(/^error: /, "").split("\n");
  throw new CommandError("usage", `${message[0]?.toUpperCase()}${message.slice(1)}.`.replace("..", "."), [
    ...hints.map((hint) => hint.replace(/^\((.*)\)$/, "$1")),
    "`--help` shows what there is.",
  ]);
}

async function contextOf({ env, cwd }: World, { command, options }: Chosen, cli: Cli): Promise<Partial<Cli>> {
  if (!command.asksService) return {};
  for (const warning of warnOfMisspelled({ env, cwd })) cli.say(warning);
  const settings = readSettings(options, { env, cwd });
  let client: ReturnType<Cli["client"]> | undefined;
  return {
    settings,
    client: () =>
      (client ??= createClient({
        baseUrl: settings.baseUrl.value,
        ...keyOf(settings),
        headers: AGENT,
        maxRetryAfter: LONGEST_SILENCE_SECS,
        ...fetchOf(cli),
      })),
  };
}

const AGENT = { "user-agent": "millrace-cli" };
const LONGEST_SILENCE_SECS = 2; // who is to wait longer for a rate limit is told so

function keyOf({ apiKey }: Settings): { apiKey?: string } {
  return apiKey ? { apiKey: apiKey.value } : {};
}

/** A Ctrl-C ends whatever is under way. */
function fetchOf({ signal }: Cli): { fetch: typeof fetch } {
  return {
    fetch: (input, init) =>
      fetch(input, { ...init, signal: init?.signal ? AbortSignal.any([init.signal, signal]) : signal }),
  };
}

/** The whole program. Whoever read our output may go, as in `millrace runs list | head`. */
export async function runAsProgram(server: ServerDoor): Promise<void> {
  const leave = (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(EXIT_CODES.ok.code);
    throw error;
  };
  const argv = process.argv.slice(2);
  const isService = STARTS_SERVICE.has(argv[0] ?? "");
  if (!isService) process.stdout.on("error", leave);
  const streams = { in: process.stdin, out: process.stdout, err: process.stderr };
  const code = await runCommandLine({ argv, env: process.env, cwd: process.cwd(), streams, server });
  if (code === undefined) return;
  process.exitCode = code;
  // A stdin that was opened, or a connection that is kept alive, must not hold a command that is done.
  process.stdout.write("", () => process.stderr.write("", () => process.exit(code)));
}

import { NOUNS, optionsOf, shapeOf } from "../src/build-program.ts";
import { type Command, type Option, OUTPUT_OPTIONS, SERVICE_OPTIONS } from "../src/command.ts";
import { EXIT_CODES } from "../src/exit-codes.ts";

/** docs/cli.md, from the table of commands. */
export function printDocs(commands: readonly Command[]): string {
  const sections = commands.map((command, nth) => {
    const noun = nounOf(command);
    const isFirst = nounOf(commands[nth - 1]) !== noun;
    const heading = noun !== undefined && isFirst ? `## ${noun}\n\n${NOUNS[noun]?.replace(/^./, upper)}.\n\n` : "";
    return heading + printCommand(command);
  });
  return `${HEAD}\n${printExitCodes()}\n${printShared()}\n${sections.join("\n")}`;
}

const HEAD = `# The command line

\`millrace <command>\`: in a checkout \`npx millrace …\`. This page is made from the table of commands
(\`cli/src/all-commands.ts\`), and a test compares them.

## Output

Data goes to stdout, messages to stderr. On a terminal lists are tables; in a pipe they are lines with tabs between the
columns, without a header and with nothing cut, so \`cut -f1\` gives the ids. \`--json\` prints one document (a list is
\`{"data": […], "has_more": …}\`), \`--ndjson\` one object a line; both are the objects of the API as they came. With
either of them an error is one line of JSON on stderr: \`{"error": {"code", "message", "status", "request_id", "hints",
"exit_code"}}\`. There are colours on a terminal only, and none with \`NO_COLOR\` or \`--no-color\`; bars and trees are
drawn on a terminal only. What runs and others wrote is printed without control characters.

Where a run or workflow run is named, its id will do, the first eight digits or more of it, or \`@last\`: what was named
or made last on this machine.

## Settings

| what | flag | environment, or \`./.env.local\` |
|---|---|---|
| the service | \`--base-url\` | \`MILLRACE_BASE_URL\`, else \`http://localhost:8787\` |
| the API key | \`--api-key\` | \`MILLRACE_API_KEY\` |
| a profile | \`--profile\` | \`MILLRACE_PROFILE\`, else \`default\` |
| the signing secret, for \`doctor\` | | \`MILLRACE_SIGNING_SECRET\` |

A flag wins over the environment, that over \`.env.local\` of this folder, that over the profile; a profile that is named
by flag counts as a flag. Profiles are in \`~/.config/millrace/config.json\`, for their owner alone; \`millrace login\`
writes them. \`millrace dev\` writes \`.env.local\` in the folder of a project (one with a package.json, .git or the like),
and never over settings that name a service elsewhere. \`millrace whoami\` tells what was found where.
`;

function printExitCodes(): string {
  const rows = Object.values(EXIT_CODES).map(({ code, meaning }) => `| ${code} | ${meaning} |`);
  return `## Exit codes\n\n| code | meaning |\n|---|---|\n${rows.join("\n")}\n`;
}

function printShared(): string {
  return [
    "## Options of all commands\n",
    printOptions(Object.values(OUTPUT_OPTIONS)),
    "Commands that speak with a service also take:\n",
    printOptions(Object.values(SERVICE_OPTIONS)),
  ].join("\n");
}

function printCommand(command: Command): string {
  const own = optionsOf(command).filter((option) => Object.values(command.options).includes(option));
  const usage = ["millrace", command.name, ...command.args.map(shapeOf)].join(" ");
  const args = command.args.map(({ name, about }) => `- \`${name}\`: ${about}`);
  return [
    `### ${command.name}\n`,
    `${(command.about ?? command.summary).replace(/^./, upper).replace(/\.?$/, ".")}\n`,
    `\`\`\`\n${usage}${own.length > 0 ? " [options]" : ""}\n\`\`\`\n`,
    ...(args.length > 0 ? [`${args.join("\n")}\n`] : []),
    ...(own.length > 0 ? [printOptions(own)] : []),
    ...(command.examples.length > 0 ? [`\`\`\`sh\n${command.examples.join("\n")}\n\`\`\`\n`] : []),
  ].join("\n");
}

function printOptions(options: readonly Option[]): string {
  const rows = options.map(({ flags, about }) => `| \`${flags}\` | ${about} |`);
  return `| option | |\n|---|---|\n${rows.join("\n")}\n`;
}

function nounOf(command: Command | undefined): string | undefined {
  const [noun, verb] = command?.name.split(" ") ?? [];
  return verb === undefined ? undefined : noun;
}

function upper(letter: string): string {
  return letter.toUpperCase();
}

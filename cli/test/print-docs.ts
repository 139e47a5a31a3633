import { NOUNS, optionsOf, shapeOf } from "../src/build-program.ts";
import { type Command, type Option, OUTPUT_OPTIONS, SERVICE_OPTIONS } from "../src/command.ts";
import { EXIT_CODES } from "../src/exit-codes.ts";

/** Prints docs/reference/cli.md from the command table. */
export function printDocs(commands: readonly Command[]): string {
  const sections = commands.map((command, nth) => {
    const noun = nounOf(command);
    const isFirst = nounOf(commands[nth - 1]) !== noun;
    const heading = noun !== undefined && isFirst ? `## ${noun}\n\n${NOUNS[noun]?.replace(/^./, upper)}.\n\n` : "";
    return heading + printCommand(command);
  });
  return `${HEAD}\n${printExitCodes()}\n${printShared()}\n${sections.join("\n")}`;
}

const HEAD = `# Command-line reference

Run \`npx millrace <command>\`, or \`millrace <command>\` once it is installed. This page is generated from the command table
(\`cli/src/all-commands.ts\`), and a test keeps it up to date.

## Output

Data goes to stdout, messages to stderr. On a terminal, lists are tables that fit its width: long cells are cut, then
less important columns left out. In a pipe, they are tab-separated lines without a
header or truncation, so \`cut -f1\` gives what other commands take: the name of an object, or the id of one without a
name. \`--json\` prints one document (for a list, \`{"data": […], "has_more": …}\`), \`--ndjson\` one object per line; both
print the objects exactly as the API returns them. With either option, an error is one line of JSON on stderr: \`{"error":
{"code", "message", "status", "request_id", "hints", "exit_code"}}\`. \`--template '{{id}} {{error.code}}'\` prints a line of
text for each object; \`\\t\` and \`\\n\` in it are a tab and a new line, and a field that is missing is empty.

Colors, progress bars and trees are only used on a terminal; \`NO_COLOR\` or \`--no-color\` disables colors. Commands that
delete or change a lot ask for confirmation on a terminal, and need \`--yes\` elsewhere; with \`--no-input\` they never ask.
Control characters in text from runs and other users are escaped.

To name a run or workflow run, use its id, at least the first eight digits of it, or \`@last\`: the one that you last
used or created with the same API key on this machine.

## Settings

| setting | flag | environment, or \`./.env.local\` |
|---|---|---|
| service URL | \`--base-url\` | \`MILLRACE_BASE_URL\` (default: \`http://localhost:8787\`) |
| API key | \`--api-key\` | \`MILLRACE_API_KEY\` |
| profile | \`--profile\` | \`MILLRACE_PROFILE\` (default: that of \`profile use\`, or \`default\`) |
| signing secret, for \`doctor\` | | \`MILLRACE_SIGNING_SECRET\` |

Flags override the environment, which overrides \`.env.local\` in the current folder, which overrides the profile. A
profile selected with \`--profile\` counts as a flag. \`millrace login\` saves profiles in
\`~/.config/millrace/config.json\`, readable only by you; \`millrace profile use\` selects the one that commands use
otherwise. \`millrace dev\` writes \`.env.local\` in a project folder (one
with a package.json, .git or similar), but never over settings for another service. \`millrace whoami\` shows the current
settings and where they come from.

`;

function printExitCodes(): string {
  const rows = Object.values(EXIT_CODES).map(({ code, meaning }) => `| ${code} | ${meaning} |`);
  return `## Exit codes\n\n| code | meaning |\n|---|---|\n${rows.join("\n")}\n`;
}

function printShared(): string {
  return [
    "## Options of all commands\n",
    printOptions(Object.values(OUTPUT_OPTIONS)),
    "Commands that call the service also take:\n",
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

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

Run \`millrace <command>\`; in a checkout, \`npx millrace …\`. \`millrace <command> --help\` prints the help of a command. This page is
generated from the table of commands (\`cli/src/all-commands.ts\`).

\`\`\`sh
millrace dev                                     # run the service on this machine
millrace trigger send-mail -d '{"to": "ada@example.com"}' --wait
millrace runs list -q 'status:failed since:24h'
millrace runs replay @last
\`\`\`

Name a run or workflow run by its id, at least the first eight digits of it, or \`@last\`: the one that was named or created last on
this machine.

## Output

Data goes to stdout, messages go to stderr. Lists are tables on a terminal. In a pipe they are tab-separated lines without a
header and without truncation, so \`cut -f1\` gives the ids. \`--json\` prints one document (a list is
\`{"data": […], "has_more": …}\`), \`--ndjson\` one object per line; both print the objects of the API unchanged. With either of them
an error is one line of JSON on stderr: \`{"error": {"code", "message", "status", "request_id", "hints", "exit_code"}}\`. Colors,
bars and trees are used only on a terminal, and colors not with \`NO_COLOR\` or \`--no-color\`. Control characters in text from runs
and other people are removed.

## Settings

| setting | flag | environment, or \`./.env.local\` |
|---|---|---|
| the service | \`--base-url\` | \`MILLRACE_BASE_URL\`; default \`http://localhost:8787\` |
| the API key | \`--api-key\` | \`MILLRACE_API_KEY\` |
| a profile | \`--profile\` | \`MILLRACE_PROFILE\`; default \`default\` |
| the signing secret, for \`doctor\` | | \`MILLRACE_SIGNING_SECRET\` |

A flag takes precedence over the environment, the environment over \`.env.local\` in the current folder, and that over the profile;
a profile named by a flag counts as a flag. Profiles are in \`~/.config/millrace/config.json\`, readable only by their owner;
\`millrace login\` writes them. \`millrace dev\` writes \`.env.local\` in a project folder (one with a package.json, .git or the like),
and never overwrites settings for another service. \`millrace whoami\` shows which settings are used and where they come from.
`;

function printExitCodes(): string {
  const rows = Object.values(EXIT_CODES).map(({ code, meaning }) => `| ${code} | ${meaning} |`);
  return `## Exit codes\n\n| code | meaning |\n|---|---|\n${rows.join("\n")}\n`;
}

function printShared(): string {
  return [
    "## Common options\n",
    printOptions(Object.values(OUTPUT_OPTIONS)),
    "Commands that call a service also take:\n",
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

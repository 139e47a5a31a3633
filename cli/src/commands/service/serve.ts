import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseEnv } from "node:util";
import { command, integer, text } from "../../command.ts";
import { CommandError } from "../../command-error.ts";

export const serve = command({
  name: "serve",
  summary: "run the service in production",
  about:
    "Run the service in production. Configure it with environment variables: `/docs/operate/settings` of the service lists them.",
  callsService: false,
  options: {
    port: integer("--port <n>", "port to listen on (default: PORT, or 8787)"),
    // Not named --env-file: Node itself takes that option wherever it stands, and exits before any of our code runs.
    settings: text("--settings <file>", "file with settings, such as the one that `millrace init --production` writes"),
  },
  examples: ["millrace serve --settings .env"],
  run: async (cli, { options }) => {
    if (options.settings !== undefined) loadSettings(resolve(cli.cwd, options.settings));
    if (options.port !== undefined) process.env.PORT = String(options.port);
    await cli.server.start("serve");
  },
});

/** The environment takes precedence over the file. */
function loadSettings(path: string): void {
  for (const [name, value] of Object.entries(parseEnv(readSettingsFile(path)))) process.env[name] ??= value;
}

function readSettingsFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = REASONS[code ?? ""] ?? message;
    throw new CommandError("usage", `The settings file ${path} could not be read: ${reason}.`, [
      "Check the path. `millrace init --production` writes such a file.",
    ]);
  }
}

const REASONS: Record<string, string> = {
  ENOENT: "it does not exist",
  EISDIR: "it is a folder",
  EACCES: "permission denied",
};

import { resolve } from "node:path";
import { command, integer, text } from "../command.ts";
import { CommandError } from "../command-error.ts";

export const serve = command({
  name: "serve",
  summary: "run the service in production",
  about: "Run the service in production. Configure it with environment variables: see docs/settings.md.",
  callsService: false,
  options: {
    port: integer("--port <n>", "port to listen on (default: PORT, or 8787)"),
    envFile: text("--env-file <file>", "file with settings, such as the one that `millrace init --production` writes"),
  },
  examples: ["millrace serve --env-file .env"],
  run: async (cli, { options }) => {
    if (options.envFile !== undefined) loadEnvFile(resolve(cli.cwd, options.envFile));
    if (options.port !== undefined) process.env.PORT = String(options.port);
    await cli.server.start("serve");
  },
});

/** The environment takes precedence over the file. */
function loadEnvFile(path: string): void {
  try {
    process.loadEnvFile(path);
  } catch (error) {
    throw new CommandError("usage", `${path} could not be read: ${(error as Error).message}`, [
      "`millrace init --production` writes such a file.",
    ]);
  }
}

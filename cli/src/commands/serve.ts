import { command, whole } from "../command.ts";

export const serve = command({
  name: "serve",
  summary: "run the service in production",
  about: "Run the service in production. Its settings are environment variables: docs/settings.md.",
  asksService: false,
  options: { port: whole("--port <n>", "where it listens, in place of PORT; 8787 unless said") },
  run: async (cli, { options }) => {
    if (options.port !== undefined) process.env.PORT = String(options.port);
    await cli.server.start("serve");
  },
});

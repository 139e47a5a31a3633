import { command, whole } from "../command.ts";

export const serve = command({
  name: "serve",
  summary: "run the service in production",
  about: "Run the service in production. It is configured by environment variables: docs/settings.md.",
  asksService: false,
  options: { port: whole("--port <n>", "the port to listen on; default: PORT, or 8787") },
  run: async (cli, { options }) => {
    if (options.port !== undefined) process.env.PORT = String(options.port);
    await cli.server.start("serve");
  },
});

import { command, integer } from "../command.ts";

export const serve = command({
  name: "serve",
  summary: "run the service in production",
  about: "Run the service in production. Configure it with environment variables: see docs/settings.md.",
  callsService: false,
  options: { port: integer("--port <n>", "port to listen on (default: PORT, or 8787)") },
  run: async (cli, { options }) => {
    if (options.port !== undefined) process.env.PORT = String(options.port);
    await cli.server.start("serve");
  },
});

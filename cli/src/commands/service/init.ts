import { command, flag, optional, text } from "../../command.ts";
import { initProduction } from "../../production/init-production.ts";
import { initApplication } from "../../starter/init-application.ts";

export const init = command({
  name: "init",
  summary: "add a first job to your application, or write the files for a production service",
  about:
    "Add a first job to the application in this folder: detects Next.js, NestJS, Fastify, Hono, Express or plain Node from its package.json, writes the job and what serves it, and prints what to add to your server. With --production, write the files for a production service instead: secrets, a first API key, and a compose file or a systemd unit; the first start of the service creates the project `main` with that key. Never overwrites a file.",
  callsService: false,
  args: [
    optional(
      "target",
      "the framework, if it should not be detected: next, nest, fastify, hono, express or node. With --production: `env` (only the settings, the default), `compose` or `systemd`",
    ),
  ],
  options: {
    production: flag("--production", "write the files for a production service (`millrace dev` needs none)"),
    folder: text("--folder <path>", "where to write them (default: the current folder)"),
  },
  examples: [
    "millrace init",
    "millrace init --production",
    "millrace init --production compose --folder /srv/millrace",
  ],
  run: async (cli, { args: [target], options: { folder = ".", production } }) => {
    if (production) await initProduction(cli, target ?? "env", folder);
    else initApplication(cli, target, folder);
  },
});

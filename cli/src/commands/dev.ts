import { command, flag, text, whole } from "../command.ts";
import { followEndpoint } from "../service/follow-endpoint.ts";
import { openInBrowser } from "../service/open-in-browser.ts";
import { keepEnvFile } from "../settings/keep-env-file.ts";

export const dev = command({
  name: "dev",
  summary: "run the service on this machine, with everything set up for you",
  about:
    "Run the service on this machine, with everything set up for you: database, secrets, a demo project and its API key, which is written to .env.local in a project folder. docs/settings.md lists the environment variables that configure it.",
  asksService: false,
  options: {
    port: whole("--port <n>", "the port to listen on; default: PORT, or 8787"),
    url: text(
      "--url <url>",
      "a serve() endpoint whose jobs and workflows are registered, and updated when they change",
    ),
    open: flag("--open", "open the sign-in link in the browser"),
  },
  examples: ["millrace dev", "millrace dev --url http://localhost:3000/millrace --open"],
  run: async (cli, { options }) => {
    if (options.port !== undefined) process.env.PORT = String(options.port);
    const service = await cli.server.start("dev");
    const signingSecret = await service.readSigningSecret();
    keepEnvFile(cli, service, signingSecret);
    if (options.open) openInBrowser(cli, service.signInUrl ?? service.url);
    if (options.url !== undefined) followEndpoint(cli, { service, signingSecret, url: options.url });
  },
});

import { command, flag, integer, text } from "../../command.ts";
import { openInBrowser } from "../../service/open-in-browser.ts";
import { watchEndpoint } from "../../service/watch-endpoint.ts";
import { saveEnvFile } from "../../settings/save-env-file.ts";

export const dev = command({
  name: "dev",
  summary: "run the service locally, with everything set up for you",
  about:
    "Run the service locally, with everything set up for you: a database, secrets and a demo project. Inside a project folder, the API key is written to .env.local. `millrace` without a command does the same. Configure the service with environment variables: `/docs/operate/settings` of the service lists them.",
  callsService: false,
  options: {
    port: integer("--port <n>", "port to listen on (default: PORT, or 8787)"),
    url: text(
      "--url <url>",
      "register the jobs and workflows of this serve() endpoint, and again whenever they change",
    ),
    open: flag("--open", "open the sign-in link in the browser"),
  },
  examples: ["millrace dev", "millrace dev --url http://localhost:3000/millrace --open"],
  run: async (cli, { options }) => {
    if (options.port !== undefined) process.env.PORT = String(options.port);
    const service = await cli.server.start("dev");
    const signingSecret = await service.readSigningSecret();
    saveEnvFile(cli, service, signingSecret);
    if (options.open) openInBrowser(cli, service.signInUrl ?? service.url);
    if (options.url !== undefined) watchEndpoint(cli, { service, signingSecret, url: options.url });
  },
});

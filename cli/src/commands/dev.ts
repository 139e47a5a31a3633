import { command, flag, text, whole } from "../command.ts";
import { followEndpoint } from "../service/follow-endpoint.ts";
import { openInBrowser } from "../service/open-in-browser.ts";
import { keepEnvFile } from "../settings/keep-env-file.ts";

export const dev = command({
  name: "dev",
  summary: "run the service on this machine, with everything made for you",
  about:
    "Run the service on this machine, with everything made for you: database, secrets, a demo project and its key, which is written to .env.local of a project's folder. docs/settings.md has the settings, which are environment variables.",
  asksService: false,
  options: {
    port: whole("--port <n>", "where it listens, in place of PORT; 8787 unless said"),
    url: text("--url <url>", "a serve() endpoint: its jobs and workflows are registered, again whenever they change"),
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

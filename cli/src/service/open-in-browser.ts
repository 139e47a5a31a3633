import { spawn } from "node:child_process";
import type { Cli } from "../cli.ts";

/** Opens a URL in the system's browser, or prints it if that fails. */
export function openInBrowser(cli: Cli, url: string): void {
  const [program, ...args] = OPENERS[process.platform] ?? ["xdg-open"];
  const child = spawn(cli.env.BROWSER || program || "xdg-open", [...args, url], { stdio: "ignore", detached: true });
  child.once("error", () => cli.say(`  Could not open a browser: ${url}`));
  child.unref();
}

const OPENERS: Partial<Record<NodeJS.Platform, string[]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

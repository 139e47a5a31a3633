import { spawn } from "node:child_process";
import type { Cli } from "../cli.ts";

/** With what the system opens addresses with; where there is nothing, it is said. */
export function openInBrowser(cli: Cli, url: string): void {
  const [program, ...args] = OPENERS[process.platform] ?? ["xdg-open"];
  const child = spawn(cli.env.BROWSER || program || "xdg-open", [...args, url], { stdio: "ignore", detached: true });
  child.once("error", () => cli.say(`  No browser could be opened: ${url}`));
  child.unref();
}

const OPENERS: Partial<Record<NodeJS.Platform, string[]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

import { writeFileSync } from "node:fs";
import { arch, platform, release } from "node:os";
import { resolve } from "node:path";
import { ApiError } from "@millrace/sdk";
import type { Cli } from "../../cli.ts";
import { command, text } from "../../command.ts";
import { CommandError } from "../../command-error.ts";
import { printJson } from "../../output/print-object.ts";
import { progressBar } from "../../output/progress-bar.ts";
import { VERSION } from "../../version.ts";

/** What describes the state of a service, without payloads, variables, headers or URLs of endpoints. */
const PARTS: Readonly<Record<string, string>> = {
  ...{ health: "/health/ready", system: "/v1/system", me: "/v1/me" },
  ...{ queues: "/v1/queues?limit=100", workers: "/v1/workers?limit=100" },
  ...{ performance: "/v1/analytics/performance", alerts: "/v1/alerts?status=firing&limit=100" },
};

export const supportBundle = command({
  name: "support-bundle",
  summary: "write the state of the service to a file, for a bug report",
  about:
    "Write versions, health, the state of the service, queues, workers, figures of the last day and firing alerts to a JSON file. It has no payloads, variables, headers, logs or keys; read it before you send it. What the key may not read is left out, and listed.",
  options: { out: text("-o, --out <file>", "file to write (default: millrace-support.json)") },
  examples: ["millrace support-bundle"],
  run: async (cli, { options }) => {
    const file = options.out ?? "millrace-support.json";
    const bundle = { ...describeMachine(), ...(await readParts(cli)) };
    try {
      writeFileSync(resolve(cli.cwd, file), `${JSON.stringify(bundle, null, 2)}\n`, { flag: "wx" });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      throw new CommandError("conflict", `${file} exists. Choose another name with --out.`);
    }
    if (cli.format !== "human") printJson(cli, { file });
    cli.say(`${file} is written. Read it before you send it.`);
  },
});

function describeMachine() {
  const { node } = process.versions;
  return { millrace: VERSION, node, platform: platform(), release: release(), arch: arch(), at: new Date() };
}

async function readParts(cli: Cli): Promise<Record<string, unknown>> {
  const bar = progressBar(cli, "reading");
  const parts: Record<string, unknown> = {};
  for (const [name, path] of Object.entries(PARTS)) {
    bar.at(Object.keys(parts).length, Object.keys(PARTS).length);
    parts[name] = await cli
      .client()
      .request("GET", path)
      .catch((error: unknown) => {
        if (!(error instanceof ApiError)) throw error;
        return { left_out: `${error.status} ${error.code}` };
      });
  }
  bar.end();
  return parts;
}

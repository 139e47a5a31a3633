import type { Job } from "@millrace/contract/jobs";
import type { Cli } from "../cli.ts";
import { readManifest } from "../service/read-manifest.ts";
import { takeRows } from "../take-rows.ts";
import { type Check, type Finding, failed, ok, skipped, warning } from "./check.ts";

const MOST_ENDPOINTS = 20;
const TIMEOUT_MS = 5_000;

/** Whether endpoints answer: the one that was named, else those of the project's jobs. Nothing is dispatched. */
export const checkEndpoints: Check = async (cli, endpoint) => {
  const urls = endpoint === undefined ? await endpointsOf(cli) : [endpoint];
  if (urls.length === 0)
    return [skipped("endpoint", "none is known", "Name one: millrace doctor http://localhost:3000/millrace")];
  const reached = await Promise.all(urls.map(reach));
  return [...reached, await signature(cli, endpoint)];
};

async function endpointsOf(cli: Cli): Promise<string[]> {
  if (!cli.settings.apiKey) return [];
  const { rows } = await takeRows<Job>(cli, "/v1/jobs", {}, 100).catch(() => ({ rows: [] as Job[] }));
  return [...new Set(rows.map(({ endpoint_url }) => endpoint_url))].slice(0, MOST_ENDPOINTS);
}

/** Any answer will do: an endpoint of jobs need not take a GET. */
async function reach(url: string): Promise<Finding> {
  if (!URL.canParse(url))
    return failed("endpoint", `"${url}" is not an address`, "It looks like http://localhost:3000/millrace.");
  try {
    const { status } = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (status < 500) return ok("endpoint", `${url} answers (${status})`);
    return warning("endpoint", `${url} answers ${status}`, "Look at the log of the endpoint.");
  } catch (error) {
    const { cause, message } = error as { cause?: { code?: string }; message: string };
    return failed(
      "endpoint",
      `${url} cannot be reached (${cause?.code ?? message})`,
      "Start it, and check that this address leads to it.",
    );
  }
}

/** A signed request must be taken and a wrongly signed one refused. */
async function signature({ settings }: Cli, endpoint: string | undefined): Promise<Finding> {
  const { signingSecret } = settings;
  if (endpoint === undefined)
    return skipped("signature", "no endpoint was named", "Name one: millrace doctor http://localhost:3000/millrace");
  if (!signingSecret)
    return skipped(
      "signature",
      "the signing secret is not known",
      "Set MILLRACE_SIGNING_SECRET; `millrace dev` writes it to .env.local.",
    );
  const [right, wrong] = await Promise.all([
    readManifest(endpoint, signingSecret),
    readManifest(endpoint, WRONG_SECRET),
  ]);
  if (right.kind === "refused")
    return failed(
      "signature",
      "the endpoint refuses our signature",
      "Give it the same MILLRACE_SIGNING_SECRET as here.",
    );
  if (right.kind !== "manifest")
    return skipped("signature", "the endpoint answers no manifest, so its check cannot be tried");
  if (wrong.kind !== "refused")
    return failed(
      "signature",
      "the endpoint takes a wrong signature",
      "Let it verify X-Svc-Signature, as serve() does.",
    );
  return ok("signature", `taken when right, refused when wrong; ${right.manifest.jobs.length} jobs`);
}

const WRONG_SECRET = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;

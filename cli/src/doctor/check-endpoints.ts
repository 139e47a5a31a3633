import type { Job } from "@millrace/contract/jobs/jobs";
import { takeRows } from "../api/take-rows.ts";
import type { Cli } from "../cli.ts";
import { plural } from "../output/plural.ts";
import { readManifest } from "../service/read-manifest.ts";
import { type Check, type Finding, failed, ok, skipped, warning } from "./check.ts";

const MAX_ENDPOINTS = 20;
const TIMEOUT_MS = 5_000;

/** Checks whether endpoints respond: the given one, or those of the project's jobs. Nothing is dispatched. */
export const checkEndpoints: Check = async (cli, endpoint) => {
  const urls = endpoint === undefined ? await endpointsOf(cli) : [endpoint];
  if (urls.length === 0)
    return [skipped("endpoint", "no endpoint to check", "Pass one: millrace doctor http://localhost:3000/millrace")];
  const reached = await Promise.all(urls.map(reach));
  return [...reached, await signature(cli, endpoint)];
};

async function endpointsOf(cli: Cli): Promise<string[]> {
  if (!cli.settings.apiKey) return [];
  const { rows } = await takeRows<Job>(cli, "/v1/jobs", {}, 100).catch(() => ({ rows: [] as Job[] }));
  return [...new Set(rows.flatMap(({ endpoint_url }) => endpoint_url ?? []))].slice(0, MAX_ENDPOINTS);
}

/** Any response will do: job endpoints need not support GET. */
async function reach(url: string): Promise<Finding> {
  if (!URL.canParse(url))
    return failed("endpoint", `"${url}" is not a URL`, "Use a URL such as http://localhost:3000/millrace.");
  try {
    const { status } = await fetch(url, { redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (status < 500) return ok("endpoint", `${url} responds (${status})`);
    return warning("endpoint", `${url} responds with ${status}`, "Check the endpoint's log.");
  } catch (error) {
    const { cause, message } = error as { cause?: { code?: string }; message: string };
    return failed(
      "endpoint",
      `${url} cannot be reached (${cause?.code ?? message})`,
      "Start the endpoint, and check its URL.",
    );
  }
}

/** The endpoint must accept a signed request and reject one with a wrong signature. */
async function signature({ settings }: Cli, endpoint: string | undefined): Promise<Finding> {
  const { signingSecret } = settings;
  if (endpoint === undefined)
    return skipped("signature", "no endpoint was given", "Pass one: millrace doctor http://localhost:3000/millrace");
  if (!signingSecret)
    return skipped(
      "signature",
      "the signing secret is unknown",
      "Set MILLRACE_SIGNING_SECRET; `millrace dev` writes it to .env.local.",
    );
  const [right, wrong] = await Promise.all([
    readManifest(endpoint, signingSecret),
    readManifest(endpoint, WRONG_SECRET),
  ]);
  if (right.kind === "refused")
    return failed(
      "signature",
      "the endpoint rejects our signature",
      "Set MILLRACE_SIGNING_SECRET to the same value here and for the endpoint.",
    );
  if (right.kind !== "manifest")
    return skipped("signature", "the endpoint returns no manifest, so signatures cannot be checked");
  if (wrong.kind !== "refused")
    return failed("signature", "the endpoint accepts an invalid signature", "Verify X-Svc-Signature, as serve() does.");
  return ok(
    "signature",
    `valid signatures are accepted, invalid ones rejected; ${plural(right.manifest.jobs.length, "job")}`,
  );
}

const WRONG_SECRET = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;

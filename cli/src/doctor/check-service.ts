import type { Me } from "@millrace/contract/access/me";
import { ApiError, NetworkError } from "@millrace/sdk";
import type { Cli } from "../cli.ts";
import { lengthOf } from "../output/times.ts";
import { type Check, type Finding, failed, ok, skipped, warning } from "./check.ts";

const NOTICEABLE_SKEW_MS = 5_000;
const MAX_SKEW_MS = 60_000; // signatures are valid for five minutes

/** Checks whether the configured service responds, is ready, accepts our key, and has the same time. */
export const checkService: Check = async (cli) => {
  const { value: url, source } = cli.settings.baseUrl;
  try {
    const requestedAt = Date.now();
    const { headers } = await cli.client().requestRaw("GET", "/health", { retries: 0, timeoutMs: 5_000 });
    return [await readiness(cli, url), clock(headers.get("date"), requestedAt), await key(cli)];
  } catch (error) {
    const reason = error instanceof NetworkError ? "cannot be reached" : (error as Error).message;
    const isExpected = source === "default";
    const remedy = "Start one with `millrace dev`, or select one with --base-url or MILLRACE_BASE_URL.";
    const finding = isExpected
      ? skipped("service", `not reachable at ${url}`, remedy)
      : failed("service", `${url}: ${reason}`, remedy);
    return [finding, skipped("clock", "requires a service"), skipped("key", "requires a service")];
  }
};

async function readiness(cli: Cli, url: string): Promise<Finding> {
  try {
    await cli.client().request("GET", "/health/ready", { retries: 0, timeoutMs: 5_000 });
    return ok("service", `${url} is ready`);
  } catch (error) {
    const { checks = {} } = ((error as ApiError).body ?? {}) as { checks?: Record<string, string> };
    const wrong = Object.entries(checks).filter(([, state]) => state !== "ok");
    const message = wrong.map(([name, state]) => `${name}: ${state}`).join(", ") || (error as Error).message;
    return failed(
      "service",
      `${url} is not ready (${message})`,
      "See its log. Without its database it responds with 503.",
    );
  }
}

/** `Date` has whole seconds, so differences below half a second are not visible. */
function clock(date: string | null, requestedAt: number): Finding {
  if (date === null) return skipped("clock", "the service sends no Date header");
  const skew = Date.parse(date) + 500 - (requestedAt + Date.now()) / 2;
  const message = `the service is ${lengthOf(Math.abs(skew))} ${skew > 0 ? "ahead" : "behind"}`;
  if (Math.abs(skew) < NOTICEABLE_SKEW_MS) return ok("clock", "this machine and the service agree");
  const remedy = "Synchronize both clocks with NTP. Signatures are rejected if they differ by five minutes.";
  return Math.abs(skew) < MAX_SKEW_MS ? warning("clock", message, remedy) : failed("clock", message, remedy);
}

async function key(cli: Cli): Promise<Finding> {
  const { apiKey } = cli.settings;
  if (!apiKey) return skipped("key", "no API key is set", "Set MILLRACE_API_KEY, or run `millrace login`.");
  try {
    const me = await cli.client().request<Me>("GET", "/v1/me");
    return ok("key", `${me.name ?? me.kind} (from: ${apiKey.source})`);
  } catch (error) {
    const message =
      error instanceof ApiError ? `${error.message} (request ${error.requestId})` : (error as Error).message;
    return failed(
      "key",
      `rejected (from ${apiKey.source}): ${message}`,
      "Create another key and save it with `millrace login`.",
    );
  }
}

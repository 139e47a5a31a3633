import type { Me } from "@millrace/contract/me";
import { ApiError, NetworkError } from "@millrace/sdk";
import type { Cli } from "../cli.ts";
import { lengthOf } from "../output/times.ts";
import { type Check, type Finding, failed, ok, skipped, warning } from "./check.ts";

const NOTICEABLE_SKEW_MS = 5_000;
const WORST_SKEW_MS = 60_000; // signatures are good for five minutes

/** The service of the settings: whether it answers, is ready, knows us, and has our time. */
export const checkService: Check = async (cli) => {
  const { value: url, source } = cli.settings.baseUrl;
  try {
    const askedAt = Date.now();
    const { headers } = await cli.client().requestRaw("GET", "/health", { retries: 0, timeout: 5_000 });
    return [await readiness(cli, url), clock(headers.get("date"), askedAt), await key(cli)];
  } catch (error) {
    const reason = error instanceof NetworkError ? "it cannot be reached" : (error as Error).message;
    const isExpected = source === "default";
    const remedy = "Start one with `millrace dev`, or name one with --base-url or MILLRACE_BASE_URL.";
    const finding = isExpected
      ? skipped("service", `none at ${url}`, remedy)
      : failed("service", `${url}: ${reason}`, remedy);
    return [finding, skipped("clock", "needs a service"), skipped("key", "needs a service")];
  }
};

async function readiness(cli: Cli, url: string): Promise<Finding> {
  try {
    await cli.client().request("GET", "/health/ready", { retries: 0, timeout: 5_000 });
    return ok("service", `${url} is ready`);
  } catch (error) {
    const { checks = {} } = ((error as ApiError).body ?? {}) as { checks?: Record<string, string> };
    const wrong = Object.entries(checks).filter(([, state]) => state !== "ok");
    const message = wrong.map(([name, state]) => `${name}: ${state}`).join(", ") || (error as Error).message;
    return failed(
      "service",
      `${url} is not ready (${message})`,
      "Its log says why. Without its database it answers 503.",
    );
  }
}

/** `Date` has whole seconds, so half of one is never noticed. */
function clock(date: string | null, askedAt: number): Finding {
  if (date === null) return skipped("clock", "the service tells no time");
  const skew = Date.parse(date) + 500 - (askedAt + Date.now()) / 2;
  const message = `the service is ${lengthOf(Math.abs(skew))} ${skew > 0 ? "ahead" : "behind"}`;
  if (Math.abs(skew) < NOTICEABLE_SKEW_MS) return ok("clock", "this machine and the service agree");
  const remedy = "Let both set their clocks by NTP: signatures are refused when they are five minutes apart.";
  return Math.abs(skew) < WORST_SKEW_MS ? warning("clock", message, remedy) : failed("clock", message, remedy);
}

async function key(cli: Cli): Promise<Finding> {
  const { apiKey } = cli.settings;
  if (!apiKey) return skipped("key", "no key is set", "Set MILLRACE_API_KEY, or run `millrace login`.");
  try {
    const me = await cli.client().request<Me>("GET", "/v1/me");
    return ok("key", `${me.name ?? me.kind} (from: ${apiKey.source})`);
  } catch (error) {
    const message =
      error instanceof ApiError ? `${error.message} (request ${error.requestId})` : (error as Error).message;
    return failed(
      "key",
      `refused, from ${apiKey.source}: ${message}`,
      "Make another key, and keep it with `millrace login`.",
    );
  }
}

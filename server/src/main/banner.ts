import type { Config } from "../platform/settings/config.ts";
import { VERSION } from "../platform/version.ts";

type Banner = {
  url: string;
  database: string;
  readyMs: number;
  signInCode: string;
  apiKey: string | undefined;
  signingSecret: string | undefined;
  hasDemo: boolean;
};

/** What a new user needs on the first screen: the address, how to sign in, what to try, how to stop. */
export function devBanner(config: Config, banner: Banner): string {
  const { url, apiKey } = banner;
  const key = apiKey ?? "(create one: POST /v1/api-keys)";
  const lines = [
    "",
    `  millrace dev  v${VERSION}   ready in ${banner.readyMs} ms`,
    "",
    `  Sign in    ${url}/?code=${banner.signInCode}   (works once, for an hour${banner.hasDemo ? "; opens the demo" : ""})`,
    `  API        ${url}/v1`,
    `  API key    ${key}${apiKey ? "   (of the project Main)" : ""}`,
    ...(banner.signingSecret ? [`  Secret     ${banner.signingSecret}   (signs the requests to your endpoint)`] : []),
    `  Docs       ${url}/docs`,
    `  Database   ${banner.database}`,
    `  Limits     ${limitsLine(config)}`,
    "",
    ...(banner.hasDemo ? demoLines(url) : []),
    `  Try        ${tryCommand(url, apiKey)}`,
    "  Stop       Ctrl-C",
    "",
  ];
  return `${lines.join("\n")}\n`;
}

function demoLines(url: string): string[] {
  return [
    `  Demo       approve an order:        curl -s -X POST ${url}/demo/resume`,
    `             remove the demo:         curl -s -X DELETE ${url}/demo`,
    "",
  ];
}

function tryCommand(url: string, apiKey: string | undefined): string {
  return apiKey ? `curl -s ${url}/v1/me -H "Authorization: Bearer ${apiKey}"` : `curl -s ${url}/health/ready`;
}

function limitsLine({ rate_limits }: Config): string {
  const { api, trigger, bulk_trigger } = rate_limits;
  if (api === 0 && trigger === 0 && bulk_trigger === 0) {
    return "off in dev; to turn on: RATE_LIMIT_API_PER_MINUTE=100 RATE_LIMIT_TRIGGER_PER_MINUTE=10 RATE_LIMIT_BULK_TRIGGER_PER_MINUTE=30";
  }
  return `${api} requests, ${trigger} triggers, ${bulk_trigger} bulk triggers a minute per address (0: off)`;
}

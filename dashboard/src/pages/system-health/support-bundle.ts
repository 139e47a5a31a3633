import type { Readiness } from "@millrace/contract/service/health";
import type { System } from "@millrace/contract/service/system";
import { redact } from "./redact.ts";

type Seen = { readiness: Readiness | undefined; system: System | undefined; metrics: string | undefined };

/** Diagnostics for support in one file, without user data. */
export function supportBundle({ readiness, system, metrics }: Seen): string {
  const bundle = {
    made_at: new Date().toISOString(),
    about:
      "Millrace support bundle. Ids, slugs, hosts, addresses and secrets are redacted; equal values have equal names.",
    browser: navigator.userAgent,
    readiness,
    system: system && { ...system, $schema: undefined },
    metrics: metrics?.split("\n").filter((line) => line !== "" && !line.startsWith("#")),
  };
  // Including the port, so that very short host names do not match everywhere.
  const addresses = system?.instances.map(({ address }) => address) ?? [];
  return redact(JSON.stringify(bundle, null, 2), [location.host, ...addresses]);
}

import type { AlertChannelKind } from "@millrace/contract/alert-channels";
import type { ProblemError } from "@millrace/contract/problem";
import { checkOutgoingUrl } from "../../platform/outgoing/check-url.ts";
import type { Config } from "../../platform/settings/config.ts";
import type { ChannelSettings } from "../../platform/webhooks/channel-settings.ts";

/** The fields of each kind. A URL with a default may be omitted. */
const FIELDS: Record<AlertChannelKind, { needs: (keyof ChannelSettings)[]; url?: string }> = {
  webhook: { needs: ["url"] },
  slack: { needs: ["url"] },
  discord: { needs: ["url"] },
  teams: { needs: ["url"] },
  pagerduty: { needs: ["key"], url: "https://events.pagerduty.com/v2/enqueue" },
  opsgenie: { needs: ["key"], url: "https://api.opsgenie.com/v2/alerts" },
  email: { needs: ["email"] },
};

/** Validates what a channel of this kind needs, and that it has nothing else. */
export function channelIssues(
  { kind, ...given }: ChannelSettings & { kind?: AlertChannelKind },
  { config }: { config: Config },
): ProblemError[] {
  if (kind === undefined) return [];
  const { needs, url } = FIELDS[kind];
  const issues: ProblemError[] = [];
  for (const name of ["url", "key", "email"] as const) {
    const isGiven = given[name] !== undefined;
    if (!isGiven && needs.includes(name))
      issues.push({ location: `body.${name}`, message: `is required for a channel of kind ${kind}`, value: null });
    if (isGiven && !needs.includes(name) && !(name === "url" && url !== undefined))
      issues.push({ location: `body.${name}`, message: `is not used by a channel of kind ${kind}`, value: null });
  }
  const checked =
    given.url === undefined ? { ok: true as const } : checkOutgoingUrl(given.url, config.private_endpoints);
  if (!checked.ok) issues.push({ location: "body.url", message: checked.reason, value: null });
  return issues;
}

export function withDefaults(kind: AlertChannelKind, settings: ChannelSettings): ChannelSettings {
  const { url } = FIELDS[kind];
  return { ...(url !== undefined && { url }), ...settings };
}

/** URLs of chats contain their secret: only the origin is shown. */
export function targetOf({ url, email }: ChannelSettings): string {
  return email === undefined ? `${new URL(url ?? "").origin}/` : `mailto:${email}`;
}

import { ALERT_CHANNEL_URLS, type AlertChannelKind } from "@millrace/contract/alerts/alert-channels";
import type { ProblemError } from "@millrace/contract/schema/problem";
import { checkOutgoingUrl } from "../../platform/outgoing/check-url.ts";
import type { Config } from "../../platform/settings/config.ts";
import type { ChannelSettings } from "../../platform/webhooks/channel-settings.ts";

/** The field that each kind needs. */
const NEEDS: Record<AlertChannelKind, keyof ChannelSettings> = {
  ...{ webhook: "url", slack: "url", discord: "url", teams: "url" },
  ...{ pagerduty: "key", opsgenie: "key", email: "email" },
};

/** Validates what a channel of this kind needs, and that it has nothing else. */
export function channelIssues(
  { kind, ...given }: ChannelSettings & { kind?: AlertChannelKind },
  { config }: { config: Config },
): ProblemError[] {
  if (kind === undefined) return [];
  const issues: ProblemError[] = [];
  for (const name of ["url", "key", "email"] as const) {
    const isGiven = given[name] !== undefined;
    if (!isGiven && NEEDS[kind] === name)
      issues.push({ location: `body.${name}`, message: `is required for a channel of kind ${kind}`, value: null });
    if (isGiven && NEEDS[kind] !== name && !(name === "url" && kind in ALERT_CHANNEL_URLS))
      issues.push({ location: `body.${name}`, message: `is not used by a channel of kind ${kind}`, value: null });
  }
  const checked =
    given.url === undefined ? { ok: true as const } : checkOutgoingUrl(given.url, config.private_endpoints);
  if (!checked.ok) issues.push({ location: "body.url", message: checked.reason, value: null });
  return issues;
}

export function withDefaults(kind: AlertChannelKind, settings: ChannelSettings): ChannelSettings {
  const url = ALERT_CHANNEL_URLS[kind];
  return { ...(url !== undefined && { url }), ...settings };
}

/** URLs of chats contain their secret: only the origin is shown. */
export function targetOf({ url, email }: ChannelSettings): string {
  return email === undefined ? `${new URL(url ?? "").origin}/` : `mailto:${email}`;
}

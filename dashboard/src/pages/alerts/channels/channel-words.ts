import type { AlertChannelKind } from "@millrace/contract/alerts/alert-channels";

type Words = {
  label: string;
  /** The required field. */
  needs: "url" | "key" | "email";
  field: string;
  hint: string;
};

const STORED = "Stored encrypted and never shown again.";

export const CHANNEL_WORDS: Record<AlertChannelKind, Words> = {
  slack: { label: "Slack", needs: "url", field: "Webhook URL", hint: `URL of an incoming webhook. ${STORED}` },
  discord: { label: "Discord", needs: "url", field: "Webhook URL", hint: `From the channel's integrations. ${STORED}` },
  teams: {
    ...{ label: "Microsoft Teams", needs: "url", field: "Workflow URL" },
    hint: `URL of a workflow that posts webhook requests to a channel. ${STORED}`,
  },
  pagerduty: {
    ...{ label: "PagerDuty", needs: "key", field: "Routing key" },
    hint: `Key of an Events API v2 integration. ${STORED}`,
  },
  opsgenie: { label: "Opsgenie", needs: "key", field: "API key", hint: STORED },
  email: {
    label: "E-mail",
    needs: "email",
    field: "E-mail address",
    hint: "Requires a mail server in the settings of the service.",
  },
  webhook: {
    ...{ label: "Webhook", needs: "url", field: "URL" },
    hint: `Requests are signed with the project's webhook secret. ${STORED}`,
  },
};

import type { AlertChannelKind } from "@millrace/contract/alerts/alert-channels";
import type { Alert } from "@millrace/contract/alerts/alerts";
import type { ALERT_EVENTS } from "@millrace/contract/deliveries/webhook-subscriptions";

export type AlertEvent = (typeof ALERT_EVENTS)[number] | "alert.test";

export type Notice = {
  id: string;
  event: AlertEvent;
  created_at: string;
  project_name: string;
  alert: Alert;
  /** What to do. */
  action: string;
  link: string | null;
};

const TITLES: Record<AlertEvent, string> = {
  "alert.fired": "Alert",
  "alert.repeated": "Still firing",
  "alert.resolved": "Resolved",
  "alert.test": "Test",
};

/** The limits of the receivers, in characters. */
const MAX = { pagerduty_summary: 1_024, opsgenie_message: 130, opsgenie_description: 15_000, discord: 2_000 };

/** The body of a request in the format of its receiver. Keys are added when it is sent, and are not stored with it. */
export function channelBody(kind: AlertChannelKind, notice: Notice): string {
  return JSON.stringify(FORMATS[kind](notice));
}

const FORMATS: Record<AlertChannelKind, (notice: Notice) => object> = {
  webhook: ({ id, event, created_at, alert, action, link }) => ({
    ...{ type: event, id, created_at, data: { ...alert, action, link } },
  }),
  // https://api.slack.com/reference/surfaces/formatting#escaping
  slack: (notice) => ({
    text: linesOf(notice).join("\n").replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
  }),
  // Names in an alert must not mention anyone.
  discord: (notice) => ({
    content: cut(linesOf(notice).join("\n"), MAX.discord),
    allowed_mentions: { parse: [] },
  }),
  // https://learn.microsoft.com/en-us/connectors/teams: an adaptive card in a message
  teams: (notice) => ({
    type: "message",
    attachments: [
      {
        contentType: "application/vnd.microsoft.card.adaptive",
        content: {
          ...{ type: "AdaptiveCard", version: "1.4", $schema: "http://adaptivecards.io/schemas/adaptive-card.json" },
          body: linesOf(notice).map((text, nth) => ({
            ...{ type: "TextBlock", text, wrap: true },
            ...(nth === 0 && { weight: "bolder" }),
          })),
        },
      },
    ],
  }),
  // https://developer.pagerduty.com/docs/events-api-v2: the dedup key makes repetitions one incident
  pagerduty: ({ event, alert, action, link, project_name, created_at }) => ({
    event_action: event === "alert.resolved" ? "resolve" : "trigger",
    dedup_key: alert.id,
    payload: {
      summary: cut(`${titleOf(event, alert)}: ${alert.summary}`, MAX.pagerduty_summary),
      ...{ source: project_name, severity: event === "alert.test" ? "info" : "error", timestamp: created_at },
      custom_details: { ...alert.detail, value: alert.value, threshold: alert.threshold, action },
    },
    ...(link !== null && { links: [{ href: link, text: "Alerts" }] }),
  }),
  // https://docs.opsgenie.com/docs/alert-api: closing takes the alias in the path
  opsgenie: ({ event, alert, action, link }) =>
    event === "alert.resolved"
      ? { source: "millrace", note: alert.summary }
      : {
          message: cut(titleOf(event, alert), MAX.opsgenie_message),
          alias: alert.id,
          description: cut([alert.summary, action, link].filter(Boolean).join("\n\n"), MAX.opsgenie_description),
          source: "millrace",
        },
  email: (notice) => ({
    subject: `[${notice.project_name}] ${titleOf(notice.event, notice.alert)}`.replaceAll(/\s+/g, " "),
    text: `${linesOf(notice).join("\n\n")}\n`,
  }),
};

function titleOf(event: AlertEvent, { rule_name }: Alert): string {
  return `${TITLES[event]}: ${rule_name}`;
}

function linesOf({ event, alert, action, link, project_name }: Notice): string[] {
  const isOver = event === "alert.resolved";
  const lines = [`${titleOf(event, alert)} (${project_name})`, isOver ? `It was: ${alert.summary}` : alert.summary];
  return [...lines, ...(isOver ? [] : [`What to do: ${action}`]), ...(link === null ? [] : [link])];
}

function cut(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`;
}

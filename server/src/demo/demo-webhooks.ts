import type { CreateWebhookSubscription } from "@millrace/contract/deliveries/webhook-subscriptions";

type DemoSubscription = Omit<CreateWebhookSubscription, "url"> & { receiver: string };

/** The webhook subscriptions of the demo. Each has the receiver of its name below. */
export const DEMO_SUBSCRIPTIONS: readonly DemoSubscription[] = [
  {
    receiver: "bookkeeping",
    events: ["workflow_run.completed", "budget.*"],
    description: "Accepts every event. Part of the demo.",
  },
  {
    receiver: "warehouse",
    events: ["event_trigger.created", "event_trigger.received", "workflow_run.started"],
    description: "Responds with 503 to the first attempt: watch the retry. Part of the demo.",
  },
  {
    receiver: "old-crm",
    events: ["run.dead_lettered"],
    description: "Always responds with 410: see its events in the list of failed deliveries. Part of the demo.",
  },
];

export type DemoResponse = { status: number; says: string };

/** A retry comes five seconds later. */
const AWAKE_AFTER_MS = 4_000;

/** The responses of the demo's receivers to an event of this age. */
export const DEMO_RECEIVERS: Readonly<Record<string, (ageMs: number) => DemoResponse>> = {
  bookkeeping: () => ({ status: 200, says: "Noted." }),
  warehouse: (ageMs) =>
    ageMs < AWAKE_AFTER_MS
      ? { status: 503, says: "The demo warehouse is unavailable. The next attempt succeeds." }
      : { status: 200, says: "Good morning." },
  "old-crm": () => ({ status: 410, says: "This CRM was switched off. Give the subscription another url, and retry." }),
};

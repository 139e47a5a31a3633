import { Radio, SendToBack, Webhook } from "lucide-react";
import type { PageRoute } from "./page-route.ts";
import { DeadLetterBadge } from "./shared-webhooks/dead-letter-badge.tsx";

/** Pages about outgoing data: webhooks and log drains. */
export const webhookPages: readonly PageRoute[] = [
  {
    path: "webhook-deliveries",
    title: "Webhook deliveries",
    docs: "reference/webhooks",
    group: "deliver",
    icon: Webhook,
    keys: "g d",
    scope: "webhooks:read",
    Mark: DeadLetterBadge,
    load: () => import("./webhook-deliveries/webhook-deliveries-page.tsx"),
  },
  {
    path: "webhook-deliveries/$deliveryId",
    title: "Webhook delivery",
    docs: "reference/webhooks",
    scope: "webhooks:read",
    opensId: "webhook delivery",
    load: () => import("./webhook-deliveries/webhook-delivery-page.tsx"),
  },
  {
    path: "webhook-subscriptions",
    title: "Webhook subscriptions",
    docs: "reference/webhooks",
    group: "deliver",
    icon: Radio,
    scope: "webhooks:read",
    load: () => import("./webhook-subscriptions/webhook-subscriptions-page.tsx"),
  },
  {
    path: "log-drains",
    title: "Log drains",
    docs: "reference/log-drains",
    group: "deliver",
    icon: SendToBack,
    scope: "drains:read",
    load: () => import("./log-drains/log-drains-page.tsx"),
  },
];

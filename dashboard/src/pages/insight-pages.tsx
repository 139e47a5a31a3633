import { Bell, Bug, ChartNoAxesColumn, ChartSpline, CircleDollarSign, Server } from "lucide-react";
import type { PageRoute } from "./page-route.ts";
import { AlertsBadge } from "./shared-alerts/alerts-badge.tsx";

/** Pages derived from runs: alerts, errors, endpoints, analytics and costs. */
export const insightPages: readonly PageRoute[] = [
  {
    path: "alerts",
    title: "Alerts",
    docs: "guides/alerts",
    group: "insight",
    icon: Bell,
    scope: "alerts:read",
    Mark: AlertsBadge,
    load: () => import("./alerts/alerts-page.tsx"),
  },
  {
    path: "error-issues",
    title: "Errors",
    docs: "reference/alerts",
    group: "insight",
    icon: Bug,
    keys: "g x",
    scope: "analytics:read",
    load: () => import("./error-issues/error-issues-page.tsx"),
  },
  {
    path: "error-issues/$issueId",
    title: "Error issue",
    docs: "reference/alerts",
    scope: "analytics:read",
    opensId: "error issue",
    load: () => import("./error-issues/error-issue-page.tsx"),
  },
  {
    path: "endpoints",
    title: "Endpoints",
    docs: "reference/endpoints",
    group: "insight",
    icon: Server,
    scope: "jobs:read",
    load: () => import("./endpoints/endpoints-page.tsx"),
  },
  {
    path: "analytics",
    title: "Analytics",
    docs: "reference/analytics",
    group: "insight",
    icon: ChartNoAxesColumn,
    keys: "g a",
    scope: "analytics:read",
    load: () => import("./analytics/analytics-page.tsx"),
  },
  {
    path: "explore",
    title: "Explore",
    docs: "reference/analytics",
    group: "insight",
    icon: ChartSpline,
    keys: "g m",
    scope: "analytics:read",
    load: () => import("./explore/explore-page.tsx"),
  },
  {
    path: "costs",
    title: "Costs & budget",
    docs: "reference/costs",
    group: "insight",
    icon: CircleDollarSign,
    keys: "g c",
    scope: "analytics:read",
    load: () => import("./costs/costs-page.tsx"),
  },
];

import {
  Empty,
  SetUsageEmailPreferences,
  UsageEmailPreferences,
  UsageHistory,
  UsageHistoryQuery,
  UsagePeriod,
} from "@millrace/contract/usage";
import { projectRoute, type Route } from "../../platform/route.ts";
import { getCurrentUsage } from "./get-current-usage.ts";
import { getEmailPreferences } from "./get-email-preferences.ts";
import { listUsageHistory } from "./list-usage-history.ts";
import { setEmailPreferences } from "./set-email-preferences.ts";

export const usageRoutes: Route[] = [
  projectRoute({
    method: "GET",
    path: "/v1/usage/current",
    summary: "Get the usage of the current billing period",
    scope: "usage:read",
    response: UsagePeriod,
    run: (ctx) => getCurrentUsage(ctx),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/usage/history",
    summary: "List the usage of billing periods, newest first",
    scope: "usage:read",
    query: UsageHistoryQuery,
    response: UsageHistory,
    run: (ctx, { query }) => listUsageHistory(ctx, query),
  }),
  projectRoute({
    method: "GET",
    path: "/v1/usage/email-preferences",
    summary: "Get the caller's preferences for the monthly usage e-mail",
    scope: "usage:read",
    response: UsageEmailPreferences,
    run: (ctx) => getEmailPreferences(ctx),
  }),
  projectRoute({
    method: "PUT",
    path: "/v1/usage/email-preferences",
    summary: "Set the caller's preferences for the monthly usage e-mail",
    scope: "usage:write",
    body: SetUsageEmailPreferences,
    response: Empty,
    run: (ctx, { body }) => setEmailPreferences(ctx, body),
  }),
];

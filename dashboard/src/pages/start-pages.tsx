import { CalendarSync, Database, RadioTower } from "lucide-react";
import type { PageRoute } from "./page-route.ts";

/** Pages about what starts jobs and workflows: schedules, event sources and outbox sources. */
export const startPages: readonly PageRoute[] = [
  {
    path: "schedules",
    title: "Schedules",
    docs: "guides/cron",
    group: "build",
    icon: CalendarSync,
    keys: "g t",
    scope: "jobs:read",
    load: () => import("./schedules/schedules-page.tsx"),
  },
  {
    path: "event-sources",
    title: "Event sources",
    docs: "reference/event-sources",
    group: "build",
    icon: RadioTower,
    keys: "g s",
    scope: "events:read",
    load: () => import("./event-sources/event-sources-page.tsx"),
  },
  {
    path: "event-sources/$sourceId",
    title: "Event source",
    docs: "reference/event-sources",
    scope: "events:read",
    opensId: "event source",
    load: () => import("./event-sources/event-source-page.tsx"),
  },
  {
    path: "outbox-sources",
    title: "Outbox sources",
    docs: "guides/outbox",
    group: "build",
    icon: Database,
    keys: "g o",
    scope: "outbox:read",
    load: () => import("./outbox-sources/outbox-sources-page.tsx"),
  },
];

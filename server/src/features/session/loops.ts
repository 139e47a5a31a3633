import { deleteExpiredSessions } from "../../platform/access/session-store.ts";
import type { Loop } from "../../platform/loop.ts";

const PAGE = 1_000;

export const sessionLoops: Loop[] = [
  {
    name: "delete-expired-sessions",
    everyMs: 60_000,
    oneInstance: true,
    runOnce: async (ctx) => (await deleteExpiredSessions(ctx, PAGE)) === PAGE,
  },
];

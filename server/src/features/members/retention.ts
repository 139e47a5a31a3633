import type { RetentionEntry } from "../../platform/retention/retention-entry.ts";

export const memberRetention: RetentionEntry[] = [
  { name: "invitations", table: "invitations", expiresAt: "expires_at", page: 1_000 },
];

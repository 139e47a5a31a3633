import type { RetentionEntry } from "../../platform/retention/retention-entry.ts";

export const signInRetention: RetentionEntry[] = [
  { name: "sign_in_attempts", table: "sign_in_attempts", expiresAt: "expires_at", page: 1_000 },
];

import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { ActionPlan } from "./plan-action.ts";

const VALID_MS = 10 * 60_000;

export type PlanTokens = {
  issue: (plan: ActionPlan) => string;
  redeem: (plan: ActionPlan, token: string) => string | undefined;
};

/** Tokens of this process: each is bound to one exact plan, is valid for ten minutes and is used once. */
export function openPlanTokens(nowMs: () => number = Date.now): PlanTokens {
  const key = randomBytes(32);
  const used = new Set<string>();
  const sign = (plan: ActionPlan, expiresAtMs: string) =>
    createHmac("sha256", key)
      .update(`${expiresAtMs}\n${canonical(plan)}`)
      .digest("base64url");
  return {
    issue: (plan) => {
      const expiresAtMs = String(nowMs() + VALID_MS);
      return `${expiresAtMs}.${sign(plan, expiresAtMs)}`;
    },
    /** Returns why it is refused. */
    redeem: (plan, token) => {
      const [expiresAtMs = "", signature = ""] = token.split(".");
      const expected = Buffer.from(sign(plan, expiresAtMs));
      const given = Buffer.from(signature);
      if (given.length !== expected.length || !timingSafeEqual(given, expected))
        return "The token is for another plan, or what it was made for has changed. Plan the action again.";
      if (Number(expiresAtMs) < nowMs()) return "The token has expired. Plan the action again.";
      if (used.has(token)) return "The token was used already. Plan the action again.";
      used.add(token);
      return undefined;
    },
  };
}

export function isSamePlan(one: ActionPlan, other: ActionPlan): boolean {
  return canonical(one) === canonical(other);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, one) =>
    typeof one === "object" && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
}

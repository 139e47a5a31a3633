import type { RunBlocker } from "@millrace/contract/run-explanation";
import { hasEnded } from "../../../flow/runs/states.ts";
import type { Facts } from "./explain-facts.ts";

/** Summarizes the explanation in one sentence. */
export function sentenceOf(facts: Facts, blockers: readonly RunBlocker[]): string {
  if (hasEnded(facts.status)) return ended(facts);
  if (facts.status === "running") return running(facts);
  const [first, ...others] = blockers;
  if (!first) return "The run can start now: it is claimed as soon as a dispatch slot is free.";
  if (others.length === 0) return first.message;
  const rest = others.map(({ code }) => code).join(", ");
  return `${first.message} Also blocked by: ${rest}.`;
}

function ended({ status, finished_at, cause, error, attempt }: Facts): string {
  const how = `The run ended as ${status} at ${finished_at}${cause === status ? "" : ` (${cause})`}`;
  const when = attempt > 0 ? `, in attempt ${attempt}` : ", before it started";
  return error ? `${how}${when}: ${error.message}` : `${how}${when}.`;
}

function running({ attempt, claimed_at, accepted_at, lease_until }: Facts): string {
  const who = accepted_at ? "its endpoint has accepted it" : "its endpoint has not responded yet";
  return `The run has been running since ${claimed_at}, in attempt ${attempt}: ${who}, and its lease is valid until ${lease_until}.`;
}

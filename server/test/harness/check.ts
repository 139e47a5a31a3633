import { attemptsRise, dispatchesAreClaimed, leasesAreKept } from "./check/attempts.ts";
import { createsExist, tenantsAgree } from "./check/creates.ts";
import { endsAreFinal, endsOnce, everythingEnds } from "./check/ends.ts";
import { limitsHold } from "./check/limits.ts";
import { orderHolds } from "./check/order.ts";
import { changesAreAudited, usageIsCounted } from "./check/records.ts";
import { failuresFollow, stepsStartOnce } from "./check/steps.ts";
import { nothingStartsBelow } from "./check/stops.ts";
import { noTenantWaits } from "./check/tenants.ts";
import { deliveriesAreSent, noSleepIsEarly, waitsEndOnce, waitsResume } from "./check/waits.ts";
import type { History } from "./history.ts";

/** `check` returns the violations, with the ids. */
type Invariant = { promise: string; check: (history: History) => string[] };

/**
 * I1–I16 apply to every history. S1–S3 cover stops, order and tenants. L1 applies where everything had the time to end.
 */
export const INVARIANTS: Record<string, Invariant> = {
  I1: { promise: "an acknowledged create exists, once for each idempotency key", check: createsExist },
  I2: { promise: "one end for each run", check: endsOnce },
  I3: {
    promise: "an end is left only by an audited retry or replay, which raises the generation",
    check: endsAreFinal,
  },
  I4: { promise: "attempts strictly increase", check: attemptsRise },
  I5: {
    promise: "what is dispatched was claimed, under one lease, and only its holder is heard",
    check: dispatchesAreClaimed,
  },
  I6: { promise: "what runs has a live lease, or is taken over in time", check: leasesAreKept },
  I7: { promise: "a step starts after all it depends on, once for each generation", check: stepsStartOnce },
  I8: { promise: "failed and skipped steps follow on_failure", check: failuresFollow },
  I9: { promise: "a wait is received, timed out or canceled, never two of them", check: waitsEndOnce },
  I10: { promise: "a wait is received and what waited goes on in one transaction", check: waitsResume },
  I11: { promise: "no sleep or delay ends early", check: noSleepIsEarly },
  I12: { promise: "no limit is exceeded at any instant", check: limitsHold },
  I13: { promise: "a received wait with notify_url is delivered, under a stable id", check: deliveriesAreSent },
  I14: { promise: "each audited change has one audit row, and the chain is valid", check: changesAreAudited },
  I15: { promise: "usage is what the transitions count", check: usageIsCounted },
  I16: { promise: "every row has the tenant of its parents", check: tenantsAgree },
  S1: {
    promise: "nothing below a cancel or pause is claimed after its commit, until a resume",
    check: nothingStartsBelow,
  },
  S2: { promise: "rank order within a limit; first in, first out within a key and priority", check: orderHolds },
  S3: { promise: "no tenant waits for another", check: noTenantWaits },
  L1: { promise: "every run and workflow run ends", check: everythingEnds },
};

export type Violations = Record<string, string[]>;

/** One bug may show in a thousand runs; a person needs only a few of them. */
const MOST_TOLD = 20;

/** The violations of each broken invariant, by its name; empty when all hold. */
export function checkHistory(history: History): Violations {
  const found = Object.entries(INVARIANTS).map(([name, { check }]) => [name, check(history)] as const);
  const broken = found.filter(([, violations]) => violations.length > 0);
  return Object.fromEntries(broken.map(([name, violations]) => [name, some(violations)]));
}

function some(violations: string[]): string[] {
  const more = violations.length - MOST_TOLD;
  return more > 0 ? [...violations.slice(0, MOST_TOLD), `and ${more} more`] : violations;
}

import { attemptsRise, dispatchesAreClaimed, leasesAreKept } from "./check/attempts.ts";
import { changesAreLogged } from "./check/changes.ts";
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
 * I1–I17 apply to every history. S1–S3 cover stops, order and tenants. L1 applies where everything had the time to end.
 */
export const INVARIANTS: Record<string, Invariant> = {
  I1: { promise: "an acknowledged create exists, once per idempotency key", check: createsExist },
  I2: { promise: "each run ends once", check: endsOnce },
  I3: {
    promise: "a final state is left only by an audited retry or replay, which raises the generation",
    check: endsAreFinal,
  },
  I4: { promise: "attempts strictly increase", check: attemptsRise },
  I5: {
    promise: "every dispatch was claimed under one lease, and only the lease holder's reports are accepted",
    check: dispatchesAreClaimed,
  },
  I6: { promise: "every running run has a live lease, or is rescued in time", check: leasesAreKept },
  I7: { promise: "a step starts after all its dependencies, once for each generation", check: stepsStartOnce },
  I8: { promise: "failed and skipped steps follow on_failure", check: failuresFollow },
  I9: { promise: "a wait is received, timed out or canceled, exactly one of them", check: waitsEndOnce },
  I10: { promise: "receiving a wait and resuming its run or step are one transaction", check: waitsResume },
  I11: { promise: "no sleep or delay ends early", check: noSleepIsEarly },
  I12: { promise: "no limit is exceeded at any instant", check: limitsHold },
  I13: { promise: "a received wait with notify_url is delivered, under a stable id", check: deliveriesAreSent },
  I14: { promise: "each audited change has one audit row, and the chain is valid", check: changesAreAudited },
  I15: { promise: "usage matches the transitions", check: usageIsCounted },
  I16: { promise: "every row has the tenant of its parents", check: tenantsAgree },
  I17: {
    promise: "the changelog has every transition and decision once, and those of a run in order",
    check: changesAreLogged,
  },
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
const MAX_REPORTED = 20;

/** The violations of each broken invariant, by its name; empty when all hold. */
export function checkHistory(history: History): Violations {
  const found = Object.entries(INVARIANTS).map(([name, { check }]) => [name, check(history)] as const);
  const broken = found.filter(([, violations]) => violations.length > 0);
  return Object.fromEntries(broken.map(([name, violations]) => [name, some(violations)]));
}

function some(violations: string[]): string[] {
  const more = violations.length - MAX_REPORTED;
  return more > 0 ? [...violations.slice(0, MAX_REPORTED), `and ${more} more`] : violations;
}

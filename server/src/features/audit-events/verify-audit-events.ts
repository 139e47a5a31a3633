import type { AuditVerification, VerifyAuditEventsQuery } from "@millrace/contract/projects/audit-events";
import type { ProjectCtx } from "../../platform/context.ts";
import { invalid } from "../../platform/errors/errors.ts";
import { inSlices } from "../../platform/time-slices.ts";
import { isSignedHead, storedHash } from "./chain.ts";
import { findHead, type HeadRow, presentHead } from "./heads.ts";
import { countUnsealed, EVENTS_AT_ONCE, readChain, type StoredRow } from "./queries.ts";

type Issue = AuditVerification["issues"][number];

const MAX_ISSUES = 100;
const MAX_EVENTS = 50_000; // per call: about two seconds

/** Recomputes every hash of the chain from its signed beginning to its signed end; a long chain in parts. */
export async function verifyAuditEvents(
  ctx: ProjectCtx,
  { after = 0 }: VerifyAuditEventsQuery,
  max = MAX_EVENTS,
): Promise<AuditVerification> {
  const [unsealed, head] = [await countUnsealed(ctx), await findHead(ctx, ctx.project_id)];
  if (!head) return withoutHead(ctx, unsealed);
  const issues = headIssues(ctx, head);
  const position = await startOf(ctx, head, after);
  const chain = await walkChain(ctx, { head, position, max }, issues);
  const isMore = chain.last < head.count && chain.checked === max;
  if (chain.last < head.count && !isMore) {
    const message = `The chain ends with event ${chain.last}; ${head.count} were sealed.`;
    issues.push({ kind: "cut_off", chain_no: chain.last, event_id: null, message });
  }
  return {
    valid: issues.length === 0,
    checked: chain.checked,
    next_after: isMore ? chain.last : null,
    unsealed,
    issues: issues.slice(0, MAX_ISSUES),
    head: presentHead(ctx, head),
  };
}

/** Either nothing was sealed yet, or the head of the chain is missing. */
async function withoutHead(ctx: ProjectCtx, unsealed: number): Promise<AuditVerification> {
  const [sealed] = await readChain(ctx, ctx.project_id, 0, 1);
  const message = "There are sealed events, but the head of their chain is missing.";
  const issues: Issue[] = sealed
    ? [{ kind: "head_forged", chain_no: sealed.chain_no, event_id: sealed.id, message }]
    : [];
  return { valid: issues.length === 0, checked: 0, next_after: null, unsealed, issues, head: null };
}

function headIssues({ config }: ProjectCtx, head: HeadRow): Issue[] {
  const { project_id, count, hash, start_no, start_hash } = head;
  const isHead = isSignedHead(config, "head", { project_id, no: count, hash }, head.signature);
  const start = { project_id, no: start_no, hash: start_hash };
  const isStart = isSignedHead(config, "start", start, head.start_signature);
  const none = { chain_no: null, event_id: null };
  return [
    ...(isHead
      ? []
      : [{ kind: "head_forged" as const, ...none, message: "The signature of the chain's end is invalid." }]),
    ...(isStart
      ? []
      : [{ kind: "start_forged" as const, ...none, message: "The signature of the chain's beginning is invalid." }]),
  ];
}

type Position = { last: number; hash: Buffer };

/** The signed beginning, or the event after which this call continues: the previous call computed its hash. */
async function startOf(ctx: ProjectCtx, head: HeadRow, after: number): Promise<Position> {
  if (after <= head.start_no) return { last: head.start_no, hash: head.start_hash };
  const [event] = await readChain(ctx, ctx.project_id, after - 1, 1);
  if (event?.chain_no !== after) throw invalid("query.after", "is not the number of an event of the chain", after);
  return { last: after, hash: Buffer.from(event.hash ?? "", "hex") };
}

/** Only up to the head that was read: events sealed meanwhile belong to a newer head. */
async function walkChain(
  ctx: ProjectCtx,
  { head, position, max }: { head: HeadRow; position: Position; max: number },
  issues: Issue[],
) {
  let { last, hash } = position;
  let checked = 0;
  while (last < head.count && checked < max) {
    const events = await readChain(ctx, ctx.project_id, last, Math.min(EVENTS_AT_ONCE, max - checked));
    for (const event of events.filter(({ chain_no }) => (chain_no ?? 0) <= head.count)) {
      const computed = await checkEvent({ last, hash }, event, issues);
      [last, hash, checked] = [event.chain_no ?? last, computed, checked + 1];
    }
    if (events.length === 0 || (events.at(-1)?.chain_no ?? 0) > head.count) break;
  }
  if (last === head.count && !hash.equals(head.hash) && issues.length === 0) {
    const message = "The chain does not end with the signed hash.";
    issues.push({ kind: "edited", chain_no: last, event_id: null, message });
  }
  return { last, checked };
}

/** Continues with the stored hash, so one issue is reported once, not for every later event. */
async function checkEvent(before: Position, event: StoredRow, issues: Issue[]): Promise<Buffer> {
  const chain_no = event.chain_no ?? 0;
  const stored = Buffer.from(event.hash ?? "", "hex");
  if (chain_no !== before.last + 1) {
    const message = `Events ${before.last + 1} to ${chain_no - 1} are missing.`;
    issues.push({ kind: "missing", chain_no: before.last + 1, event_id: null, message });
  } else if (!(await inSlices(storedHash(before.hash, chain_no, event))).equals(stored)) {
    issues.push({
      kind: "edited",
      chain_no,
      event_id: event.id,
      message: `Event ${chain_no} differs from what was sealed.`,
    });
  }
  return stored;
}

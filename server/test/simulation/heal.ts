import { settleRuns } from "../../src/flow/runs/settle/settle-runs.ts";
import { runSql } from "../world/database.ts";
import { behave } from "./endpoint.ts";
import { claim, runTask } from "./members.ts";
import { type Run, report, TASKS } from "./run.ts";

/** After the last fault, everything must have ended in this time. A lease takes 30 s, reconciliation runs every 30 s. */
const MAX_SECS = 120;
const EVERY_SECS = 5;
const RECONCILES_EVERY_SECS = 30;

const LIVE = `
  select 1 from (
    select project_id from runs where finished_at is null
    union all select project_id from workflow_runs where finished_at is null
    union all select project_id from outbox
    union all select project_id from batch_operations where finished_at is null
  ) live where project_id = $1 limit 1`;

/** Instances, endpoints and people do their work without faults. */
export async function heal(run: Run): Promise<void> {
  const { world, seen, members, choices } = run;
  for (const member of members) {
    member.frozenUntil = 0;
    // What it was sending is lost with its replies: the leases expire.
    member.held.clear();
  }
  for (let secs = 0; secs <= MAX_SECS; secs += EVERY_SECS) {
    await doWhatPeopleDo(run);
    const isReconciled = secs % RECONCILES_EVERY_SECS === 0;
    for (const name of TASKS) {
      if (isReconciled || !name.startsWith("reconcile")) await runTask(choices.one(members), name);
    }
    await dispatchAll(run);
    if ((await runSql(world.connection, LIVE, [seen.project.id])).length === 0) {
      seen.healedSecs = secs;
      return;
    }
    await run.pass(EVERY_SECS);
  }
}

async function dispatchAll(run: Run): Promise<void> {
  const { members, choices, seen } = run;
  for (;;) {
    const member = choices.one(members);
    const claimed = await claim(member, seen.project.id, 20);
    for (const each of claimed) {
      run.sent.set(each.run_id, each);
      const { calls, reply, later } = behave(each, choices);
      for (const call of calls) await report(run, member, each, call);
      await settleRuns(member.ctx, [{ run: each, outcome: reply }]);
      if (later) await report(run, member, each, later);
    }
    await runTask(member, "run-outbox");
    if (claimed.length === 0) return;
  }
}

/** What waits for people is answered, what they paused goes on, what is due only in an hour is canceled. */
async function doWhatPeopleDo(run: Run): Promise<void> {
  const { world, seen } = run;
  const { api, id } = seen.project;
  await api.put("/v1/project-budget", { monthly_budget_microusd: null });
  for (const slug of ["job-a", "job-b", "job-c"]) {
    await api.post(`/v1/jobs/${slug}/resume`, {});
    await api.patch(`/v1/jobs/${slug}`, { enabled: true });
  }
  for (const { call, target } of await runSql<{ call: string; target: string }>(world.connection, OPEN, [id])) {
    if (call !== "accepted") await api.post(call.replace("$", encodeURIComponent(target)), {});
    else {
      const claimed = run.sent.get(target);
      const member = run.members[0];
      if (claimed && member) await report(run, member, claimed, { verb: "complete", body: { result: null } });
    }
  }
}

const OPEN = `
  select '/v1/workflow-runs/$/resume' as call, id::text as target from workflow_runs where project_id = $1 and status = 'paused'
  union all select '/v1/runs/$/resume', id::text from runs where project_id = $1 and status = 'paused'
  union all select '/v1/workflow-runs/$/cancel', id::text from workflow_runs
    where project_id = $1 and status = 'pending' and scheduled_at > clock() + interval '1 minute'
  union all select '/v1/runs/$/cancel', run_id::text from run_queue
    where project_id = $1 and blocked_on = 'not_due' and run_at > clock() + interval '1 minute'
  union all select '/v1/events/$/send', event_key from event_triggers
    where project_id = $1 and status = 'waiting' and wait_kind = 'event'
  union all select '/v1/workflow-runs/' || workflow_run_id || '/steps/$/approve', step_ref from step_runs
    where project_id = $1 and status = 'waiting' and type = 'approval'
  union all select 'accepted', run_id::text from run_queue where project_id = $1 and accepted_at is not null`;

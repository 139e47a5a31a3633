import { defineEvent, defineJob } from "@millrace/sdk";
import { startWorker } from "../start-worker.ts";

const decided = defineEvent({ key: (expense: { id: string }) => `expense:${expense.id}` });

const reimburse = defineJob({
  id: "reimburse",
  run: async (expense: { id: string; amount: number }, ctx) => {
    // A step runs only once, although the code before a wait runs again after it.
    const mail = await ctx.step("ask", () => {
      console.log(`mail: may ${expense.id} be paid (${expense.amount})?`);
      return { to: "boss@example.com" };
    });
    const decision = await ctx.waitForEvent<{ yes: boolean; by: string }>(decided(expense).key, { timeout: "72h" });
    if (!decision.yes) return `rejected by ${decision.by}`;
    return ctx.step("pay", () => `paid ${expense.amount}, approved by ${decision.by} (${mail.to})`);
  },
});

const { client, stop } = await startWorker([reimburse]);
async function ask(expense: { id: string; amount: number }) {
  const run = await client.jobs.trigger(reimburse, expense);
  while ((await run.get()).status !== "waiting") await new Promise((resolve) => setTimeout(resolve, 50));
  return run;
}
const runs = [await ask({ id: "lunch", amount: 18 }), await ask({ id: "yacht", amount: 180_000 })];
// Nothing is running meanwhile: you could stop this program here and start it again in three days.
await client.events.send(decided({ id: "lunch" }), { yes: true, by: "Grace" });
await client.events.send(decided({ id: "yacht" }), { yes: false, by: "Grace" });
for (const run of runs) console.log(await run.unwrap());
stop();

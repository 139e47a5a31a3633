import { defineJob } from "@millrace/sdk";
import { startWorker } from "../start-worker.ts";

type Turn = { tool: string; input: Record<string, unknown> } | { answer: string };

/** A stand-in for a language model: it searches, reads and answers in its third turn. */
function model(question: string, seen: unknown[]): Turn {
  if (question.includes("everything")) return { tool: "search", input: { page: seen.length } };
  if (seen.length === 0) return { tool: "search", input: { text: question } };
  if (seen.length === 1) return { tool: "read", input: { document: 7 } };
  return { answer: `42, says document 7` };
}

const TOOLS: Record<string, (input: Record<string, unknown>) => unknown> = {
  search: ({ page = 0 }) => ({ documents: [7], page }),
  read: ({ document }) => ({ document, text: "The answer is 42." }),
};

/** Each turn costs one cent, and a run at most five. Turns are steps, so none is paid for twice after a crash. */
const agent = defineJob({
  id: "agent",
  maxCostUsd: 0.05,
  retry: { maxAttempts: 1 },
  run: async ({ question }: { question: string }, ctx) => {
    const seen: unknown[] = [];
    for (let turn = 1; ; turn++) {
      const next = await ctx.step(`turn-${turn}`, async () => {
        await ctx.usage.add({
          provider: "example",
          model: "tiny-1",
          inputTokens: 900,
          outputTokens: 40,
          costUsd: 0.01,
        });
        return model(question, seen);
      });
      if ("answer" in next) return { answer: next.answer, turns: turn };
      const work = TOOLS[next.tool] ?? (() => ({ error: "no such tool" }));
      seen.push(await ctx.step(`tool-${turn}`, () => ctx.toolCall(next.tool, next.input, () => work(next.input))));
    }
  },
});

const { client, stop } = await startWorker([agent]);
for (const question of ["What is the answer?", "Tell me everything."]) {
  const run = await client.jobs.trigger(agent, { question });
  const end = await run.result();
  const calls = await client.runs.toolCalls(run.id, { order: "asc" }).all();
  const { cost_microusd } = await run.get();
  console.log(question);
  console.log(`  tools: ${calls.map(({ name }) => name).join(", ")}`);
  console.log(`  cost: ${cost_microusd / 1_000_000} USD`);
  console.log(`  ${end.ok ? end.output.answer : `${end.status}: ${end.error.code}`}`);
}
stop();

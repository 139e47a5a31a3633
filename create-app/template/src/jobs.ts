import { defineJob, defineWorkflow } from "@millrace/sdk";
import { z } from "zod";

const Person = z.object({ name: z.string().min(1) });

export const greet = defineJob({
  id: "greet",
  schema: Person,
  retry: { maxAttempts: 3, backoff: "exponential" },
  run: async ({ name }, ctx) => {
    const text = await ctx.step("compose", () => `Hello, ${name}!`); // runs once, even if the job is retried
    ctx.log.info("greeted", { name });
    return { text };
  },
});

export const welcome = defineWorkflow("welcome", { schema: Person })
  .job("greet", greet, { payload: ({ payload }) => ({ name: payload.name }) })
  .waitForEvent("confirmed", { after: ["greet"], key: ({ payload }) => `confirmed:${payload.name}`, timeout: "72h" })
  .job("again", greet, { after: ["confirmed"], payload: ({ payload }) => ({ name: payload.name }) });

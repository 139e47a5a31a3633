import type { SdkUsage } from "../generated/schemas.ts";
import { CanceledError, isSuspend } from "../job-errors.ts";
import { ignoreRejection } from "./ignore-rejection.ts";
import type { RunContext, Usage } from "./run-context.ts";
import type { Session } from "./session.ts";

type Records = Pick<RunContext, "progress" | "usage" | "toolCall" | "output" | "tag">;

/** Records of a run. They need not be awaited: they are sent before the attempt ends. */
export function openRecords(session: Session): Records {
  const send = <T>(path: string, body: unknown, safe = false) => session.track(session.post<T>(path, body, { safe }));
  const record = async (path: string, body: unknown, safe = false) => void (await send(path, body, safe));
  return {
    progress: (percent, message) => ignoreRejection(record("/progress", { percent, message: message ?? null }, true)),
    output: (name, value) => ignoreRejection(record("/output", { name, value: value ?? null })),
    tag: (changes) => ignoreRejection(record("/metadata", changes, true)),
    usage: { add: (usage) => ignoreRejection(addUsage(session, usage)) },
    toolCall: async (name, input, work) => {
      const startedAt = performance.now();
      const record = (end: { output?: unknown; error?: string }) =>
        send("/tool-call", { name, input, ...end, duration_ms: Math.round(performance.now() - startedAt) });
      const output = await Promise.resolve()
        .then(work)
        .catch(async (error: unknown) => {
          if (!isSuspend(error)) await record({ error: textOf(error) }).catch(() => {});
          throw error;
        });
      await record({ output: output ?? null });
      return output;
    },
  };
}

async function addUsage(session: Session, { inputTokens, outputTokens, costUsd, ...rest }: Usage): Promise<void> {
  const body = {
    ...rest,
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    ...(costUsd !== undefined && { cost_microusd: Math.round(costUsd * 1_000_000) }),
  };
  const { over_budget } = await session.track(session.post<SdkUsage>("/usage", body));
  if (over_budget) session.stop(new CanceledError("The run has exceeded the maximum cost of its job."));
}

export function textOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 16_000);
}

import { capsuleContent, capsuleOf } from "../../seed/seed-capsule.ts";
import { type Attack, type Hostile, makeJob, ok } from "./attack.ts";
import { listOf, mapOf, nested } from "./hostile-values.ts";

const IMPORT = "/v1/workflow-runs/capsules";
/** 50 are allowed; importing them takes most of the time. */
const SHADOWED = 20;

/** A run of 300 steps that each depend on all others, which no valid definition allows. */
function tangled(): string {
  const refs = listOf(300, (i) => `s${i}`);
  const content = capsuleContent({ steps: refs });
  const steps = content.version.steps.map((step) => ({ ...step, depends_on: refs.slice(0, 120) }));
  return capsuleOf({ ...content, version: { ...content.version, steps } });
}

function withOutput(output: unknown): string {
  const content = capsuleContent();
  return capsuleOf({ ...content, steps: content.steps.map((step, nth) => (nth === 0 ? { ...step, output } : step)) });
}

async function importAll({ api }: Hostile, documents: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const document of documents) ids.push(ok(await api.post(IMPORT, document)).id ?? "");
  return ids;
}

/** Replays the capsules with a definition of as many steps. */
async function shadow(hostile: Hostile, capsule_ids: string[], stepCount: number): Promise<() => Promise<unknown>> {
  const job_id = await makeJob(hostile);
  const steps = listOf(stepCount, (i) => ({ step_ref: `s${i}`, job_id, depends_on: i === 0 ? [] : [`s${i - 1}`] }));
  const { id } = ok(await hostile.api.post("/v1/workflows", { name: `Workflow ${hostile.n()}`, steps }));
  return async () => ok(await hostile.api.post(`/v1/workflows/${id}/shadow`, { capsule_ids }));
}

/** Imported workflow runs. */
export const CAPSULE_ATTACKS: Record<string, Attack> = {
  "import and read a capsule with 49,000 names": async (hostile) => {
    const document = withOutput(mapOf(49_000, (i) => i));
    return async () => {
      const [id] = await importAll(hostile, [document]);
      await hostile.api.get(`${IMPORT}/${id}`);
    };
  },
  "shadow 20 capsules with 49,000 names": async (hostile) => {
    const documents = listOf(SHADOWED, () => withOutput(mapOf(49_000, (i) => i)));
    return shadow(hostile, await importAll(hostile, documents), 2);
  },
  "shadow 20 capsules of steps that depend on each other": async (hostile) =>
    shadow(hostile, await importAll(hostile, listOf(SHADOWED, tangled)), 300),
  "shadow a capsule of many nested values": async (hostile) =>
    shadow(hostile, await importAll(hostile, [withOutput(listOf(800, () => nested(50)))]), 300),
};

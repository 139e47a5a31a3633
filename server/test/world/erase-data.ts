import type { TestProject } from "./world.ts";

/** Deletes the data of an ended run or workflow run, by its path. */
export async function eraseData({ api }: Pick<TestProject, "api">, path: string): Promise<void> {
  const { status, text } = await api.delete(`${path}/data`);
  if (status !== 204) throw new Error(text);
}

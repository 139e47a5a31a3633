import { call } from "../../api/call.ts";
import { asProblem } from "../../api/problem.ts";
import { allPages } from "../../pages/all-pages.tsx";

const OPENED = allPages.flatMap(({ path, opensId }) => (opensId ? [{ path, noun: opensId }] : []));

/** Object kinds with an id: "run, workflow run, job …". */
export const NOUNS = OPENED.map(({ noun }) => noun);

/** Finds the page of an id. An id does not reveal its type, so all types are requested in parallel. */
export async function findPageById(id: string, project: string): Promise<string | undefined> {
  const pages = OPENED.map(({ path }) => path.replace(/\$\w+/, id));
  const results = await Promise.allSettled(pages.map((page) => call("GET", `/v1/${page}`, { project })));
  const found = results.findIndex(({ status }) => status === "fulfilled");
  const failed = results.find((each) => each.status === "rejected" && !isNotThere(each.reason));
  if (found < 0 && failed?.status === "rejected") throw failed.reason;
  return pages[found];
}

/** Or forbidden, which is reported as not found. */
function isNotThere(error: unknown): boolean {
  return [403, 404].includes(asProblem(error).status);
}

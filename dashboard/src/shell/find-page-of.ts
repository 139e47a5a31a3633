import { call } from "../api/call.ts";
import { asProblem } from "../api/problem.ts";
import { allPages } from "../pages/all-pages.tsx";

const OPENED = allPages.flatMap(({ path, opensId }) => (opensId ? [{ path, noun: opensId }] : []));

/** What an id can be of: "run, workflow run, job …". */
export const NOUNS = OPENED.map(({ noun }) => noun);

/** The page of whatever has this id in the project. An id does not say what it is of: each kind is asked for at once. */
export async function findPageOf(id: string, project: string): Promise<string | undefined> {
  const pages = OPENED.map(({ path }) => path.replace(/\$\w+/, id));
  const asked = await Promise.allSettled(pages.map((page) => call("GET", `/v1/${page}`, { project })));
  const found = asked.findIndex(({ status }) => status === "fulfilled");
  const failed = asked.find((each) => each.status === "rejected" && !isNotThere(each.reason));
  if (found < 0 && failed?.status === "rejected") throw failed.reason;
  return pages[found];
}

/** Or not for this reader, who is told no more than that. */
function isNotThere(error: unknown): boolean {
  return [403, 404].includes(asProblem(error).status);
}

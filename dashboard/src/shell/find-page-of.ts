import { call } from "../api/call.ts";
import { allPages } from "../pages/all-pages.tsx";

const OPENED = allPages.flatMap(({ path, opensId }) => (opensId ? [{ path, noun: opensId }] : []));

/** What an id can be of: "run, workflow run, job …". */
export const NOUNS = OPENED.map(({ noun }) => noun);

/** The page of whatever has this id in the project. An id does not say what it is of: each kind is asked for at once. */
export async function findPageOf(id: string, project: string): Promise<string | undefined> {
  const pages = OPENED.map(({ path }) => path.replace(/\$\w+/, id));
  const found = await Promise.all(
    pages.map((page) =>
      call("GET", `/v1/${page}`, { project }).then(
        () => page,
        () => undefined,
      ),
    ),
  );
  return found.find((page) => page !== undefined);
}

import type { ServiceClient } from "./service-client.ts";

type Index = {
  pages: [path: string, title: string, section: string][];
  entries: [page: number, id: string, heading: string, text: string][];
};

const MAX_FOUND = 5;
const MAX_SHOWN = 1_500;

/** Every word counts; more in a heading or a title than in the text. */
export async function searchDocs(client: ServiceClient, given: string) {
  const { pages, entries } = await client.request<Index>("GET", "/docs/search.json");
  const words = given
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word.length > 1);
  const found = entries.flatMap(([page, id, heading, text]) => {
    const [path = "", title = ""] = pages[page] ?? [];
    const [head, body] = [`${title} ${heading}`.toLowerCase(), text.toLowerCase()];
    const points = words.reduce((sum, word) => sum + (head.includes(word) ? 3 : 0) + (body.includes(word) ? 1 : 0), 0);
    return points === 0
      ? []
      : [
          {
            points,
            url: `${client.baseUrl}/docs/${path}${id ? `#${id}` : ""}`,
            title,
            heading,
            text: text.slice(0, MAX_SHOWN),
          },
        ];
  });
  return found
    .sort((a, b) => b.points - a.points)
    .slice(0, MAX_FOUND)
    .map(({ points: _, ...entry }) => entry);
}

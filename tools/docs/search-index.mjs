/** Long lists of results and decisions are found by their titles; their text would double the index. */
const TITLES_ONLY = /^(adr|evidence|requirements|errors)(\/|$)/;

/**
 * The search index: `{pages: [[path, title, section]], entries: [[page, id, heading, text]]}`, one entry for each heading.
 */
export function searchIndex(pages) {
  const entries = pages.flatMap((page, nth) => {
    const headings = [{ id: "", text: "" }, ...page.headings];
    const isShort = TITLES_ONLY.test(page.path);
    const shown = isShort ? headings.slice(0, 1) : headings;
    return shown.map(({ id, text }, at) => [nth, id, text, isShort ? "" : (page.texts[at] ?? "")]);
  });
  return { pages: pages.map(({ path, title, section }) => [path, title, section]), entries };
}

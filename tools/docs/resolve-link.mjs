import { existsSync } from "node:fs";
import { posix } from "node:path";

/**
 * Returns a function that turns a link of the page `file` (relative to the repository, as on GitHub) into its address on
 * the site. Files that are not pages are linked in the repository. `used` collects the links into the site for the check.
 */
export function linksOf(file, { root, pagesByFile, base, repository, used, broken }) {
  return (href) => {
    if (/^[a-z]+:/.test(href)) return href;
    const [target = "", hash] = href.split("#", 2);
    if (target.startsWith("/docs")) return toPage(target.replace(/^\/docs\/?/, ""), hash);
    const path = target === "" ? file : posix.join(posix.dirname(file), target).replace(/\/$/, "");
    const page = pagesByFile.get(path) ?? pagesByFile.get(`${path}/README.md`);
    if (page) return toPage(page.path, hash);
    if (path === "openapi.json") return toPage("api", hash);
    const image = /^docs\/(images\/[\w-]+\.png)$/.exec(path);
    if (image) return base + image[1];
    if (!existsSync(posix.join(root, path))) broken.push(`${file}: ${href}: there is no such file`);
    return `${repository}/blob/main/${path}${hash ? `#${hash}` : ""}`;
  };

  function toPage(path, hash) {
    used.push({ file, path, hash });
    return addressOf(base, path, hash);
  }
}

/** `guides/saga` → `/docs/guides/saga`; the start page is the base itself. */
export function addressOf(base, path, hash) {
  const address = path === "" ? base.replace(/(.)\/$/, "$1") : base + path;
  return hash ? `${address}#${hash}` : address;
}

/** Links to pages and headings that do not exist. `pages` includes the generated ones, each with its `ids`. */
export function findBroken(used, pages) {
  const idsByPath = new Map(pages.map(({ path, ids }) => [path, new Set(ids)]));
  return used.flatMap(({ file, path, hash }) => {
    const ids = idsByPath.get(path);
    if (!ids) return [`${file}: /docs/${path}: there is no such page`];
    return hash && !ids.has(hash) ? [`${file}: /docs/${path}#${hash}: there is no such heading`] : [];
  });
}

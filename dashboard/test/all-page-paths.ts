import { allPages } from "../src/pages/all-pages.tsx";

type Ids = Record<string, string>;
/** Undefined: no object was seeded for this page. */
type PagePath = { name: string; path: (project: string, ids?: Ids) => string | undefined; isAnonymous: boolean };

/** Every page: the sign-in, all pages, the gallery, and one that does not exist. Object pages need an id. */
export function allPagePaths(): PagePath[] {
  return [
    { name: "sign-in", path: () => "/", isAnonymous: true },
    ...allPages.map(({ path }) => ({
      name: path.replaceAll("/", "-").replaceAll("$", ""),
      path: (project: string, ids: Ids = {}) => filled(`/p/${project}/production/${path}`, ids),
      isAnonymous: false,
    })),
    { name: "gallery", path: () => "/gallery", isAnonymous: false },
    { name: "not-found", path: (project: string) => `/p/${project}/production/nothing`, isAnonymous: false },
  ];
}

function filled(path: string, ids: Ids): string | undefined {
  const whole = path.replace(/\$(\w+)/g, (name, key) => ids[key] ?? name);
  return whole.includes("$") ? undefined : whole;
}

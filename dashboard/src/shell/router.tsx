import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { allPages } from "../pages/all-pages.tsx";
import { CrashPage } from "./crash-page.tsx";
import { FirstPage } from "./first-page.tsx";
import { NotFoundPage } from "./not-found-page.tsx";
import { guardedPage } from "./page-guard.tsx";
import { Shell } from "./shell.tsx";
import { SignedInOnly } from "./sign-in/signed-in-only.tsx";

const root = createRootRoute({ component: SignedInOnly, notFoundComponent: NotFoundPage, errorComponent: CrashPage });

const first = createRoute({ getParentRoute: () => root, path: "/", component: FirstPage });

const gallery = createRoute({
  getParentRoute: () => root,
  path: "/gallery",
  component: lazyRouteComponent(() => import("../pages/gallery/gallery-page.tsx")),
});

const place = createRoute({
  getParentRoute: () => root,
  path: "/p/$project/$environment",
  component: Shell,
  notFoundComponent: NotFoundPage,
});
const placeFirst = createRoute({ getParentRoute: () => place, path: "/", component: FirstPage });
const projectFirst = createRoute({ getParentRoute: () => root, path: "/p/$project", component: FirstPage });

const pages = allPages.map((row) =>
  createRoute({
    getParentRoute: () => place,
    path: row.path,
    component: guardedPage(row),
    errorComponent: CrashPage,
  }),
);

/** The URL is the state. Parameters are plain strings; unknown ones are kept. */
export const router = createRouter({
  routeTree: root.addChildren([first, gallery, projectFirst, place.addChildren([placeFirst, ...pages])]),
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== "");
    const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
    return text === "" ? "" : `?${text}`;
  },
  scrollRestoration: true,
  // Selected URL state keeps its identity while unchanged, to avoid renders.
  defaultStructuralSharing: true,
  defaultNotFoundComponent: NotFoundPage,
});

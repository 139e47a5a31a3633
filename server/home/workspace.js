import { call } from "./api.js";
import { button, el } from "./dom.js";
import { skeletonRows } from "./paged-list.js";
import { problemView } from "./problem-view.js";
import { backLink, showProject } from "./project-page.js";
import { projectRail } from "./project-rail.js";

const WIDE = matchMedia("(width >= 900px)");

/** The projects and the one picked. The address holds which: `#/p/<slug>`. Answers how to close it. */
export function openWorkspace(app, me) {
  const closed = new AbortController();
  const rail = projectRail(me, { onFirstPage: pickFirst });
  const page = el("div", { class: "page" });
  const node = el("div", { class: "workspace" }, rail.node, page);
  let turn = 0;

  async function show(isOwnMove) {
    const slug = slugInAddress();
    turn += 1;
    const mine = turn;
    node.dataset.view = slug ? "project" : "list";
    rail.mark(slug);
    if (!slug) return showNothingPicked(page, rail);
    page.replaceChildren(skeletonRows(6));
    try {
      const project = rail.find(slug) ?? (await call("GET", `/v1/projects/${encodeURIComponent(slug)}`));
      if (mine === turn) showProject(page, project, me);
    } catch (problem) {
      if (mine === turn)
        page.replaceChildren(
          backLink(),
          problemView(problem, () => show(isOwnMove)),
        );
    }
    // A reader who picked a project goes on at its heading.
    if (isOwnMove) page.querySelector("h1")?.focus();
  }

  /** A newcomer lands on something to look at. On a phone several projects are a list first. */
  function pickFirst(projects) {
    const [first] = projects;
    if (slugInAddress()) return;
    if (!first || !(WIDE.matches || projects.length === 1)) return show(false);
    location.replace(`#/p/${encodeURIComponent(first.slug)}`);
  }

  addEventListener("hashchange", () => void show(true), { signal: closed.signal });
  addEventListener("service-back", () => node.querySelector(".problem") && reload(), { signal: closed.signal });

  function reload() {
    void rail.load();
    void show(false);
  }

  app.replaceChildren(node);
  reload();
  return () => closed.abort();
}

function slugInAddress() {
  const [, slug] = /^#\/p\/([^/]+)$/.exec(location.hash) ?? [];
  try {
    return slug && decodeURIComponent(slug);
  } catch {
    return undefined;
  }
}

function showNothingPicked(page, rail) {
  document.title = "Projects · Millrace";
  if (rail.isUnread()) return page.replaceChildren();
  page.replaceChildren(rail.isEmpty() ? firstSteps(rail.create) : el("p", { class: "empty" }, "Pick a project."));
}

/** For an empty installation. Whoever may not create a project sees why the list is empty in the list itself. */
function firstSteps(create) {
  if (!create) return "";
  return el(
    "div",
    { class: "first-steps" },
    el("h1", { tabindex: -1 }, "Create your first project"),
    el("p", {}, "Jobs, workflows, environments and API keys live in a project."),
    button("Create project", { class: "button primary", onclick: create }),
  );
}

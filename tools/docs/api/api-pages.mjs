import { escapeHtml } from "../escape-html.mjs";
import { operationsByTag, titleOf } from "./read-operations.mjs";
import { renderOperation } from "./render-operation.mjs";
import { inlineCode, renderSchema } from "./render-schema.mjs";
import { schemaPlaces } from "./schema-places.mjs";

const introduction = (source) => `
<p>Every operation of the HTTP API, generated from the <a href="${source}">OpenAPI 3.1 document</a>. Send an API key as
<code>Authorization: Bearer svc_…</code>. Bodies are JSON in snake_case; unknown fields are rejected with 422.</p>
<p>Operations of a project take <code>project_id</code> in the query, or the header <code>X-Project-Id</code>: the id or slug of the
project. You can leave it out with an API key, which belongs to one project.</p>
`;

/** The API reference: an index, a page for each tag with its schemas, and one with those that several tags use. */
export function apiPages(document, base, source) {
  const tags = operationsByTag(document);
  const reference = { document, base, places: schemaPlaces(document) };
  return [
    indexPage(tags, base, source),
    ...tags.map(([tag, operations]) => tagPage(tag, operations, reference)),
    schemaPage(reference),
  ];
}

function indexPage(tags, base, source) {
  const lists = tags.map(([tag, operations]) => {
    const rows = operations.map(
      ({ id, method, path, summary }) =>
        `<tr><td><span class="method ${method.toLowerCase()}">${method}</span></td>` +
        `<td><a href="${base}api/${tag}#${id}"><code>${escapeHtml(path)}</code></a></td><td>${inlineCode(summary)}</td></tr>`,
    );
    return `<h2 id="${tag}"><a href="${base}api/${tag}">${titleOf(tag)}</a></h2>\n<div class="table"><table class="operations"><tbody>${rows.join("")}</tbody></table></div>`;
  });
  const headings = tags.map(([tag]) => ({ id: tag, depth: 2, text: titleOf(tag) }));
  return page("api", "API reference", `<h1>API reference</h1>${introduction(source)}${lists.join("\n")}`, headings);
}

function tagPage(tag, operations, reference) {
  const path = `api/${tag}`;
  const schemas = schemasAt(path, reference);
  const html = operations.map((operation) => renderOperation(operation, reference));
  const shown = schemas.length > 0 ? ['<h2 id="schemas">Schemas</h2>', ...schemas.map(({ html }) => html)] : [];
  const headings = operations.map(({ id, summary }) => ({ id, depth: 2, text: summary.replaceAll("`", "") }));
  if (schemas.length > 0) headings.push({ id: "schemas", depth: 2, text: "Schemas" });
  const texts = operations.map(({ method, path, description = "" }) => `${method} ${path} ${description}`);
  const names = schemas.map(({ name }) => name);
  const found = page(path, titleOf(tag), `<h1>${titleOf(tag)}</h1>\n${[...html, ...shown].join("\n")}`, headings);
  return { ...found, texts: ["", ...texts, names.join(" ")], ids: [...found.ids, ...names] };
}

/** Schemas that several tags use, and an index of all. */
function schemaPage(reference) {
  const { base, places } = reference;
  const shared = schemasAt("api/schemas", reference);
  const all = [...places].map(([name, path]) => `<li><a href="${base}${path}#${name}">${name}</a></li>`);
  const html = `<h1>Schemas</h1>\n<ul class="names">${all.join("")}</ul>\n${shared.map(({ html }) => html).join("\n")}`;
  return { ...page("api/schemas", "Schemas", html, []), ids: shared.map(({ name }) => name) };
}

function schemasAt(path, reference) {
  const names = [...reference.places].filter(([, place]) => place === path).map(([name]) => name);
  return names.map((name) => ({ name, html: renderSchema(name, reference) }));
}

function page(path, title, html, headings) {
  return {
    path,
    title,
    navTitle: title,
    section: "API",
    html,
    headings,
    texts: ["", ...headings.map(() => "")],
    description: `${title} of the Millrace API`,
    ids: headings.map(({ id }) => id),
  };
}

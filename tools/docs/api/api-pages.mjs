import { escapeHtml } from "../escape-html.mjs";
import { operationsByTag, titleOf } from "./read-operations.mjs";
import { renderOperation } from "./render-operation.mjs";
import { inlineCode, renderFields, typeOf } from "./render-schema.mjs";

const introduction = (source) => `
<p>Every operation of the HTTP API, generated from the <a href="${source}">OpenAPI 3.1 document</a>. Send an API key as
<code>Authorization: Bearer svc_…</code>. Bodies are JSON in snake_case; unknown fields are rejected with 422.</p>
<p>Operations of a project take <code>project_id</code> in the query, or the header <code>X-Project-Id</code>: the id or slug of the
project. You can leave it out with an API key, which belongs to one project.</p>
`;

/** The API reference: an index, a page for each tag, and one with all schemas. */
export function apiPages(document, base, source) {
  const tags = operationsByTag(document);
  return [
    indexPage(tags, base, source),
    ...tags.map(([tag, operations]) => tagPage(tag, operations, document, base)),
    schemaPage(document, base),
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

function tagPage(tag, operations, document, base) {
  const html = operations.map((operation) => renderOperation(operation, document, base)).join("\n");
  const headings = operations.map(({ id, summary }) => ({ id, depth: 2, text: summary.replaceAll("`", "") }));
  const texts = operations.map(({ method, path, description = "" }) => `${method} ${path} ${description}`);
  return { ...page(`api/${tag}`, titleOf(tag), `<h1>${titleOf(tag)}</h1>\n${html}`, headings), texts: ["", ...texts] };
}

function schemaPage(document, base) {
  const entries = Object.entries(document.components.schemas).sort(([a], [b]) => a.localeCompare(b));
  const parts = entries.map(([name, schema]) => {
    const fields = renderFields(schema, base) || `<p>${typeOf(schema, base)}</p>`;
    const about = schema.description ? `<p>${inlineCode(schema.description)}</p>` : "";
    return `<section class="schema" id="${name}"><h2>${name}<a class="anchor" href="#${name}" aria-label="Link to this schema">#</a></h2>${about}${fields}</section>`;
  });
  const ids = entries.map(([name]) => name);
  const found = page("api/schemas", "Schemas", `<h1>Schemas</h1>\n${parts.join("\n")}`, []);
  return { ...found, ids };
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

import { escapeHtml } from "../escape-html.mjs";
import { renderCode } from "../render-markdown.mjs";
import { printCurl } from "./print-curl.mjs";
import { nameOf } from "./read-operations.mjs";
import { inlineCode, renderFields, typeOf } from "./render-schema.mjs";

/** Parameters that nearly every operation has; the index page describes them once. */
const COMMON = new Set(["project_id", "X-Project-Id"]);

/** `reference` has the `document`, the `base` of links and the `places` of schemas. */
export function renderOperation(operation, reference) {
  const { id, method, path, summary, description } = operation;
  return [
    `<section class="operation" id="${id}">`,
    `<h2>${inlineCode(summary)}<a class="anchor" href="#${id}" aria-label="Link to this operation">#</a></h2>`,
    `<p class="endpoint"><span class="method ${method.toLowerCase()}">${method}</span> <code>${escapeHtml(path)}</code></p>`,
    description ? `<p>${inlineCode(description)}</p>` : "",
    renderAccess(operation),
    renderParameters(operation, reference),
    renderBody(operation, reference),
    renderResponses(operation, reference),
    renderCode(printCurl(operation, reference.document), "sh"),
    "</section>",
  ].join("\n");
}

function renderAccess({ security = [] }) {
  if (security.length === 0) return '<p class="access">Public: needs no credentials.</p>';
  const scopes = [...new Set(security.flatMap((each) => Object.values(each).flat()))];
  if (scopes.length > 0)
    return `<p class="access">Scope: ${scopes.map((each) => `<code>${each}</code>`).join(", ")}</p>`;
  const names = { runToken: "the run's own token", apiKey: "any API key", internalSecret: "the internal secret" };
  const [kind] = security.flatMap(Object.keys);
  return `<p class="access">Credential: ${names[kind] ?? kind}</p>`;
}

function renderParameters({ parameters = [] }, reference) {
  const rows = parameters
    .filter(({ name }) => !COMMON.has(name))
    .map(
      (each) =>
        `<tr><td><code>${escapeHtml(each.name)}</code> <span class="in">${each.in}</span>` +
        `${each.required && each.in !== "path" ? ' <span class="required">required</span>' : ""}</td>` +
        `<td>${typeOf(each.schema, reference)}</td><td>${inlineCode(each.description ?? each.schema.description ?? "")}</td></tr>`,
    );
  if (rows.length === 0) return "";
  return `<h3>Parameters</h3><div class="table"><table class="fields"><tbody>${rows.join("")}</tbody></table></div>`;
}

function renderBody({ requestBody }, reference) {
  if (!requestBody) return "";
  const [[type, { schema }]] = Object.entries(requestBody.content);
  const name = nameOf(schema);
  const fields = renderFields(name ? reference.document.components.schemas[name] : schema, reference);
  const kind = type === "application/json" ? "" : ` <code>${escapeHtml(type)}</code>`;
  return `<h3>Body${kind}</h3>${fields || `<p>${typeOf(schema, reference)}</p>`}`;
}

function renderResponses({ responses, "x-error-codes": codes = [] }, reference) {
  const rows = Object.entries(responses)
    .filter(([status]) => status < 400)
    .map(([status, { description, content = {} }]) => {
      const types = Object.entries(content).map(([type, { schema }]) =>
        nameOf(schema) ? typeOf(schema, reference) : `<code>${escapeHtml(type)}</code>`,
      );
      return `<tr><td><code>${status}</code></td><td>${[...new Set(types)].join(" or ")}</td><td>${inlineCode(description ?? "")}</td></tr>`;
    });
  const errors = codes.map((code) => `<a href="${reference.base}errors/${code}"><code>${code}</code></a>`);
  const list =
    errors.length > 0
      ? `<details class="errors"><summary>${errors.length} error codes</summary><p>${errors.join(" ")}</p></details>`
      : "";
  return `<h3>Responses</h3><div class="table"><table class="fields"><tbody>${rows.join("")}</tbody></table></div>${list}`;
}

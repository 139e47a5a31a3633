import { escapeHtml } from "../escape-html.mjs";
import { renderCode } from "../render-markdown.mjs";
import { printCurl } from "./print-curl.mjs";
import { nameOf } from "./read-operations.mjs";
import { inlineCode, renderFields, typeOf } from "./render-schema.mjs";

/** Parameters that nearly every operation has; the index page describes them once. */
const COMMON = new Set(["project_id", "X-Project-Id"]);

export function renderOperation(operation, document, base) {
  const { id, method, path, summary, description } = operation;
  return [
    `<section class="operation" id="${id}">`,
    `<h2>${inlineCode(summary)}<a class="anchor" href="#${id}" aria-label="Link to this operation">#</a></h2>`,
    `<p class="endpoint"><span class="method ${method.toLowerCase()}">${method}</span> <code>${escapeHtml(path)}</code></p>`,
    description ? `<p>${inlineCode(description)}</p>` : "",
    renderAccess(operation),
    renderParameters(operation, base),
    renderBody(operation, document, base),
    renderResponses(operation, base),
    renderCode(printCurl(operation, document), "sh"),
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

function renderParameters({ parameters = [] }, base) {
  const rows = parameters
    .filter(({ name }) => !COMMON.has(name))
    .map(
      (each) =>
        `<tr><td><code>${escapeHtml(each.name)}</code> <span class="in">${each.in}</span>` +
        `${each.required && each.in !== "path" ? ' <span class="required">required</span>' : ""}</td>` +
        `<td>${typeOf(each.schema, base)}</td><td>${inlineCode(each.description ?? each.schema.description ?? "")}</td></tr>`,
    );
  if (rows.length === 0) return "";
  return `<h3>Parameters</h3><div class="table"><table class="fields"><tbody>${rows.join("")}</tbody></table></div>`;
}

function renderBody({ requestBody }, document, base) {
  if (!requestBody) return "";
  const [[type, { schema }]] = Object.entries(requestBody.content);
  const name = nameOf(schema);
  const fields = renderFields(name ? document.components.schemas[name] : schema, base);
  const kind = type === "application/json" ? "" : ` <code>${escapeHtml(type)}</code>`;
  return `<h3>Body${kind}</h3>${fields || `<p>${typeOf(schema, base)}</p>`}`;
}

function renderResponses({ responses, "x-error-codes": codes = [] }, base) {
  const rows = Object.entries(responses)
    .filter(([status]) => status < 400)
    .map(([status, { description, content = {} }]) => {
      const types = Object.entries(content).map(([type, { schema }]) =>
        nameOf(schema) ? typeOf(schema, base) : `<code>${escapeHtml(type)}</code>`,
      );
      return `<tr><td><code>${status}</code></td><td>${[...new Set(types)].join(" or ")}</td><td>${inlineCode(description ?? "")}</td></tr>`;
    });
  const errors = codes.map((code) => `<a href="${base}errors/${code}"><code>${code}</code></a>`);
  const list =
    errors.length > 0
      ? `<details class="errors"><summary>${errors.length} error codes</summary><p>${errors.join(" ")}</p></details>`
      : "";
  return `<h3>Responses</h3><div class="table"><table class="fields"><tbody>${rows.join("")}</tbody></table></div>${list}`;
}

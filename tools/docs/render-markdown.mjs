import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import json from "highlight.js/lib/languages/json";
import python from "highlight.js/lib/languages/python";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { Marked } from "marked";
import { escapeHtml } from "./escape-html.mjs";

/** Two programs that do the same, each after "With …:": on a wide screen they are next to each other. */
const HALF = String.raw`<p>With [^<]*:</p>\s*<div class="code">(?:(?!</div>)[\s\S])*</div>\s*`;
const PAIR = new RegExp(`(${HALF})(${HALF})`, "g");

const LANGUAGES = { bash, json, python, sql, typescript, xml, yaml };
const NAMES = { ts: "typescript", tsx: "typescript", js: "typescript", mjs: "typescript", sh: "bash", html: "xml" };
for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language);

/**
 * Renders Markdown to HTML. `resolve(href)` turns a link into the address on the site. Returns also the first heading
 * as the title, the other headings, and the plain text under each of them, for the search.
 */
export function renderMarkdown(markdown, resolve) {
  const ids = new Set();
  const headings = [];
  const renderer = {
    heading({ tokens, depth }) {
      const text = plainText(tokens);
      const id = uniqueId(slugOf(text), ids);
      headings.push({ id, depth, text });
      const inner = this.parser.parseInline(tokens);
      if (depth === 1) return `<h1 id="${id}">${inner}</h1>\n`;
      return `<h${depth} id="${id}">${inner}<a class="anchor" href="#${id}" aria-label="Link to this section">#</a></h${depth}>\n`;
    },
    code({ text, lang }) {
      return renderCode(text, lang);
    },
    link({ href, title, tokens }) {
      const hint = title ? ` title="${escapeHtml(title)}"` : "";
      return `<a href="${escapeHtml(resolve(href))}"${hint}>${this.parser.parseInline(tokens)}</a>`;
    },
    image({ href, text }) {
      return `<img src="${escapeHtml(resolve(href))}" alt="${escapeHtml(text)}" loading="lazy" />`;
    },
    table({ header, rows, align }) {
      const cell = (tag, at, inner) => `<${tag}${align[at] ? ` class="${align[at]}"` : ""}>${inner}</${tag}>`;
      // A heading without text is not one.
      const row = (tag, cells) =>
        `<tr>${cells.map(({ tokens, text }, at) => cell(text ? tag : "td", at, this.parser.parseInline(tokens))).join("")}</tr>`;
      const hasHead = header.some(({ text }) => text !== "");
      const head = hasHead ? `<thead>${row("th", header)}</thead>` : "";
      return `<div class="table"><table>${head}<tbody>${rows.map((cells) => row("td", cells)).join("")}</tbody></table></div>\n`;
    },
  };
  const marked = new Marked({ gfm: true, renderer });
  const tokens = marked.lexer(markdown);
  const html = marked.parser(tokens).replaceAll(PAIR, '<div class="pair"><div>$1</div><div>$2</div></div>\n');
  const [first, ...others] = headings;
  return {
    html: inSections(html),
    title: first?.text ?? "",
    titleId: first?.id,
    headings: others,
    texts: textsOf(tokens),
  };
}

/** A section for each heading of the second level: a browser lays out only those that are on the screen. */
function inSections(html) {
  const [lead, ...sections] = html.split(/(?=<h2 )/);
  return lead + sections.map((section) => `<section>\n${section}</section>\n`).join("");
}

/** `lang` may have a second word: the name of the file, or a note such as `other` for the code of another product. */
export function renderCode(text, lang = "") {
  const [word = "", note = ""] = lang.split(/\s+/);
  const file = note.includes(".") ? `<p class="file">${escapeHtml(note)}</p>` : "";
  const name = NAMES[word] ?? word;
  const inner = name in LANGUAGES ? hljs.highlight(text, { language: name }).value : escapeHtml(text);
  return `<div class="code">${file}<pre tabindex="0"><code class="language-${escapeHtml(word || "text")}">${inner}</code></pre></div>\n`;
}

/** As GitHub does it, so that a link works in both places. */
function slugOf(text) {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");
}

function uniqueId(slug, ids) {
  let id = slug;
  for (let nth = 1; ids.has(id); nth += 1) id = `${slug}-${nth}`;
  ids.add(id);
  return id;
}

function plainText(tokens = []) {
  return tokens.map((token) => (token.tokens ? plainText(token.tokens) : (token.text ?? ""))).join("");
}

/** The text between each two headings, in their order. Code blocks are left out: they make the index twice as large. */
function textsOf(tokens) {
  const texts = [];
  for (const token of tokens) {
    if (token.type === "heading") texts.push("");
    else if (texts.length > 0 && token.type !== "code") texts[texts.length - 1] += ` ${blockText(token)}`;
  }
  return texts.map((text) => text.replaceAll(/\s+/g, " ").trim());
}

function blockText(token) {
  if (token.type === "table")
    return [token.header, ...token.rows]
      .flat()
      .map((cell) => plainText(cell.tokens))
      .join(" ");
  if (token.type === "list") return token.items.map((item) => item.tokens.map(blockText).join(" ")).join(" ");
  if (token.type === "html") return "";
  return token.tokens ? plainText(token.tokens) : (token.text ?? "");
}

// Adds to the documentation what needs a script: search, copy buttons. The pages work without it.
(() => {
  const base = document.body.dataset.base;
  const MAX_RESULTS = 12;

  // Links into the earlier reference at this address.
  if (location.hash.startsWith("#/")) location.replace(`${base}api`);

  for (const block of document.querySelectorAll(".code")) addCopyButton(block);

  function addCopyButton(block) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", () => void copy(button, block.querySelector("code").textContent));
    block.append(button);
  }

  async function copy(button, text) {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
    setTimeout(() => {
      button.textContent = "Copy";
    }, 1_500);
  }

  const box = document.querySelector(".search");
  const input = box.querySelector("input");
  const list = box.querySelector(".results");
  let index;
  box.hidden = false;

  input.addEventListener("focus", () => void load());
  input.addEventListener("input", () => void search());
  input.addEventListener("keydown", onKey);
  addEventListener("click", ({ target }) => {
    if (!box.contains(target)) list.hidden = true;
  });
  addEventListener("keydown", (event) => {
    const isTyping = /^(input|textarea|select)$/i.test(event.target.tagName);
    if (isTyping || (event.key !== "/" && !(event.key === "k" && (event.metaKey || event.ctrlKey)))) return;
    event.preventDefault();
    input.focus();
  });

  async function search() {
    show(find(await load(), input.value));
  }

  function load() {
    index ??= fetch(`${base}search.json`).then((response) => response.json());
    return index;
  }

  /** Every word must occur. A title counts most, then a heading; text counts by its first occurrence only. */
  function find({ pages, entries }, query) {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length === 0) return undefined;
    const found = [];
    for (const [nth, id, heading, text] of entries) {
      const [path, title, section] = pages[nth];
      const score = scoreOf(words, title.toLowerCase(), heading.toLowerCase(), text.toLowerCase());
      // A page itself before its sections, and what explains something before what lists it.
      const bonus = (id === "" ? 1 : 0) + (/^(Start|Guides|Operate)$/.test(section) ? 2 : 0);
      if (score > 0) found.push({ path, title, section, id, heading, text, score: score + bonus });
    }
    return { words, hits: found.sort((a, b) => b.score - a.score).slice(0, MAX_RESULTS) };
  }

  function scoreOf(words, title, heading, text) {
    let score = 0;
    for (const word of words) {
      const own = scoreIn(title, word, 6) + scoreIn(heading, word, 8) + scoreIn(text, word, 1);
      if (own === 0) return 0;
      score += own;
    }
    return score;
  }

  function scoreIn(text, word, weight) {
    const at = text.indexOf(word);
    if (at < 0) return 0;
    const isStart = at === 0 || !/\w/.test(text[at - 1]);
    return isStart ? weight : weight / 3;
  }

  function show(result) {
    list.replaceChildren();
    list.hidden = result === undefined;
    if (!result) return;
    for (const hit of result.hits) list.append(linkTo(hit, result.words));
    if (result.hits.length === 0) list.append(element("p", `Nothing found for “${input.value.trim()}”.`));
    else list.firstElementChild.setAttribute("aria-selected", "true");
  }

  function linkTo({ path, title, section, id, heading, text }, words) {
    const link = element("a", heading ? `${title} › ${heading}` : title);
    link.href = base + path + (id ? `#${id}` : "");
    link.append(element("small", `${section} · ${excerptOf(text, words)}`));
    return link;
  }

  function excerptOf(text, words) {
    const at = Math.max(0, text.toLowerCase().indexOf(words[0]) - 30);
    return (at > 0 ? "…" : "") + text.slice(at, at + 120);
  }

  function element(name, text) {
    const made = document.createElement(name);
    made.textContent = text;
    return made;
  }

  function onKey(event) {
    const links = [...list.querySelectorAll("a")];
    const at = links.findIndex((link) => link.getAttribute("aria-selected") === "true");
    if (event.key === "Escape") {
      list.hidden = true;
      input.blur();
    } else if (event.key === "Enter" && at >= 0) {
      location.assign(links[at].href);
      list.hidden = true;
    } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && links.length > 0) {
      event.preventDefault();
      const next = (at + (event.key === "ArrowDown" ? 1 : -1) + links.length) % links.length;
      links[at]?.removeAttribute("aria-selected");
      links[next].setAttribute("aria-selected", "true");
      links[next].scrollIntoView({ block: "nearest" });
    }
  }
})();

import { copyButton } from "./copy.js";
import { button, el, icon } from "./dom.js";

/** What happened, what to do, the request id, and the way to try again. */
export function problemView(problem, retry) {
  const { title, detail, remedy, errors, request_id } = asProblem(problem);
  return el(
    "div",
    { class: "problem", role: "alert" },
    icon("failed"),
    el(
      "div",
      { class: "problem-text" },
      el("strong", {}, title),
      el("p", {}, detail),
      errors.length > 1 && el("ul", {}, ...errors.map((fault) => el("li", {}, `${fault.location}: ${fault.message}`))),
      remedy && el("p", {}, remedy),
      request_id && requestId(request_id),
      retry && retryButton(retry, problem.retry_after),
    ),
  );
}

function requestId(id) {
  return el(
    "p",
    { class: "request-id" },
    "Request id ",
    el("code", {}, id),
    copyButton("Copy request id", () => id),
  );
}

/** Enabled when the service said it may be asked again. */
function retryButton(retry, waitSecs) {
  const again = button("Try again", { onclick: retry });
  if (waitSecs) wait(again, waitSecs);
  return again;
}

function wait(again, secs) {
  again.disabled = secs > 0;
  again.textContent = secs > 0 ? `Try again in ${secs} s` : "Try again";
  if (secs > 0) setTimeout(() => wait(again, secs - 1), 1000);
}

/** A fault of this page itself is shown like any other, and told to the console. */
function asProblem(error) {
  if (error.title) return error;
  console.error(error);
  return {
    title: "This page has a fault",
    detail: error.message,
    remedy: "Reload the page. The API is not affected.",
    errors: [],
  };
}

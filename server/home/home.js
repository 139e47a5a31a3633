import { showAccount } from "./account.js";
import { ask } from "./api.js";
import { say } from "./dom.js";
import { watchHealth } from "./health.js";
import { problemView } from "./problem-view.js";
import { showSignIn } from "./sign-in.js";
import { openWorkspace } from "./workspace.js";

const app = document.getElementById("app");
const SESSION_OVER = "The session has ended. Sign in again.";
const account = document.getElementById("account");
let closeWorkspace = () => {};

watchHealth(document.getElementById("health"));
addEventListener("signed-out", ({ detail }) => leave(detail.code === "unauthorized" ? SESSION_OVER : detail.detail));
addEventListener("pageshow", ({ persisted }) => persisted && location.reload());
document.querySelector(".skip").addEventListener("click", skipToContent);
void start(takeCode());

/** Signs in with the code of the link, if there is one, then shows whoever is signed in. */
async function start(code) {
  let notice;
  try {
    if (code) await ask("POST", "/v1/session", { code });
  } catch (problem) {
    if (problem.status !== 401) return showSignIn(app, { problem, retry: () => start(code), onSignedIn: enter });
    notice = "This sign-in link was used before or has expired. Run npm start again for a new one, or sign in here.";
  }
  await enter(notice);
}

async function enter(notice) {
  try {
    const me = await ask("GET", "/v1/me");
    showAccount(account, me, () => leave("You are signed out."));
    closeWorkspace = openWorkspace(app, me);
    if (notice) say("The link was used before, but you are signed in.");
  } catch (problem) {
    if (problem.status !== 401) return app.replaceChildren(problemView(problem, () => enter(notice)));
    const ended = problem.code === "unauthorized" ? undefined : problem.detail;
    showSignIn(app, { notice: notice ?? ended, onSignedIn: enter });
  }
}

function leave(notice) {
  closeWorkspace();
  for (const dialog of document.querySelectorAll("dialog")) dialog.remove();
  account.replaceChildren();
  showSignIn(app, { notice, onSignedIn: enter });
}

/** By hand: the part of the address behind # says which project is shown. */
function skipToContent(event) {
  event.preventDefault();
  (app.querySelector("h1") ?? app).focus();
}

/** Takes the code out of the address at once, so that it is in no bookmark and no history. */
function takeCode() {
  const url = new URL(location.href);
  const code = url.searchParams.get("code");
  url.searchParams.delete("code");
  if (code !== null) history.replaceState(null, "", url);
  return code;
}

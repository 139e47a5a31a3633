import { Option as ProgramOption } from "commander";
import { optionsOf } from "../../build-program.ts";
import type { Command } from "../../command.ts";
import { command, required } from "../../command.ts";
import { CommandError } from "../../command-error.ts";

const SHELLS: Record<string, (words: Words) => string> = {
  bash: forBash,
  zsh: forZsh,
  fish: forFish,
  pwsh: forPowerShell,
};

/** What may follow the words typed so far: `runs` → list, get, …; `runs list` → its options. */
type Words = ReadonlyMap<string, readonly string[]>;

/** Takes the command table as a function: the table contains this command. */
export function completionOf(commands: () => readonly Command[]): Command {
  return command({
    name: "completion",
    summary: "print a script that completes commands in your shell",
    args: [required("shell", "bash, zsh, fish or pwsh")],
    callsService: false,
    examples: [
      "millrace completion bash > ~/.local/share/bash-completion/completions/millrace",
      "millrace completion zsh > ~/.zfunc/_millrace",
      "millrace completion fish > ~/.config/fish/completions/millrace.fish",
      "millrace completion pwsh >> $PROFILE",
    ],
    run: async (cli, { args: [shell = ""] }) => {
      const print = SHELLS[shell];
      if (!print)
        throw new CommandError("usage", `Unknown shell "${shell}".`, [`Use ${Object.keys(SHELLS).join(", ")}.`]);
      cli.write(print(wordsOf(commands())));
    },
  });
}

function wordsOf(commands: readonly Command[]): Words {
  const words = new Map<string, string[]>();
  const add = (after: string, word: string) => {
    const known = words.get(after) ?? [];
    if (!known.includes(word)) words.set(after, [...known, word]);
  };
  for (const each of commands) {
    const parts = each.name.split(" ");
    for (const [nth, word] of parts.entries()) add(parts.slice(0, nth).join(" "), word);
    for (const { flags } of optionsOf(each)) add(each.name, new ProgramOption(flags).long ?? flags);
  }
  return words;
}

function forBash(words: Words): string {
  const cases = [...words].map(([after, next]) => `    "${after}") words="${next.join(" ")}" ;;\n`);
  return `_millrace() {
  local path="" word words=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    [[ $word == -* ]] && break
    path="\${path:+$path }$word"
  done
  while :; do
    case "$path" in
${cases.join("")}    esac
    [[ -n $words || $path != *" "* ]] && break
    path="\${path% *}"
  done
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _millrace millrace
`;
}

/**
 * Not `path`, which is $PATH in zsh. Global, since an autoloaded file runs as a function. The last line serves both an
 * autoloaded file and `source`.
 */
function forZsh(words: Words): string {
  const entries = [...words].map(([after, next]) => `  '${after}' '${next.join(" ")}'\n`);
  return `#compdef millrace
typeset -gA _millrace_words
_millrace_words=(
${entries.join("")})
_millrace() {
  local typed="" word
  for word in "\${words[@]:1:$((CURRENT - 2))}"; do
    [[ $word == -* ]] && break
    typed="\${typed:+$typed }$word"
  done
  while [[ -z "\${_millrace_words[$typed]}" && $typed == *" "* ]]; do typed="\${typed% *}"; done
  compadd -- \${=_millrace_words[$typed]}
}
if [[ "\${funcstack[1]}" == _millrace ]]; then _millrace "$@"; else compdef _millrace millrace; fi
`;
}

function forFish(words: Words): string {
  const cases = [...words].map(([after, next]) => `      case '${after}'\n        set words ${next.join(" ")}\n`);
  return `function __millrace_words
  set -l typed
  for word in (commandline -opc)[2..-1]
    string match -q -- '-*' $word; and break
    set -a typed $word
  end
  while true
    set -l words
    switch "$typed"
${cases.join("")}    end
    if set -q words[1]
      printf '%s\\n' $words
      return
    end
    set -q typed[2]; or return
    set -e typed[-1]
  end
end
complete -c millrace -f -a '(__millrace_words)'
`;
}

function forPowerShell(words: Words): string {
  const entries = [...words].map(([after, next]) => `  '${after}' = '${next.join(" ")}'\n`);
  return `$MillraceWords = @{
${entries.join("")}}
Register-ArgumentCompleter -Native -CommandName millrace -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $typed = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
  if ($wordToComplete -ne '' -and $typed.Count -gt 0) { $typed = @($typed | Select-Object -SkipLast 1) }
  $path = ($typed | Where-Object { -not $_.StartsWith('-') }) -join ' '
  while (-not $MillraceWords.ContainsKey($path) -and $path.Contains(' ')) { $path = $path.Substring(0, $path.LastIndexOf(' ')) }
  if (-not $MillraceWords.ContainsKey($path)) { return }
  $MillraceWords[$path].Split(' ') | Where-Object { $_.StartsWith($wordToComplete) } |
    ForEach-Object { [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_) }
}
`;
}

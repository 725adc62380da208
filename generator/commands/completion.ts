import type { Option } from "commander";
import { UsageError } from "../failure.js";
import { EXIT } from "../io.js";
import { getOwn } from "../json.js";
import { didYouMean } from "../nearest.js";
import type { CommandEntry } from "./command.js";

/** A command and what may follow it. File names may follow anywhere. */
interface CompletedCommand {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly CompletedOption[];
}

interface CompletedOption {
  /** The option with its dashes. */
  readonly long: string;
  readonly description: string;
  readonly takesValue: boolean;
  readonly choices: readonly string[];
}

/** Writes the script of a shell that completes `accrete`. */
type ScriptWriter = (commands: readonly CompletedCommand[]) => string;

/** Quotes a text for a POSIX shell and for fish, in which nothing but the quote and the backslash has a meaning inside. */
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Quotes a text for PowerShell. */
const quoteForPowerShell = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Escapes a description inside the brackets of an option of zsh. */
const escapeForZsh = (text: string): string => text.replace(/[\\[\]:]/g, "\\$&");

const listNames = (options: readonly CompletedOption[]): string => options.map(({ long }) => long).join(" ");

/** Returns each option with a fixed list of values, after its command, and these values. */
function listChoices(commands: readonly CompletedCommand[]): (readonly [option: string, choices: string])[] {
  return commands.flatMap(({ name, options }) =>
    options
      .filter(({ choices }) => choices.length > 0)
      .map(({ long, choices }) => [`${name} ${long}`, choices.join(" ")] as const),
  );
}

const SHELLS: { readonly [shell: string]: ScriptWriter } = {
  bash: (commands) => `_accrete() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}" words=""
  COMPREPLY=()
  if [[ $COMP_CWORD -eq 1 ]]; then
    words=${quote(commands.map(({ name }) => name).join(" "))}
  else
    case "\${COMP_WORDS[1]} $previous" in
${listChoices(commands)
  .map(([option, choices]) => `      ${quote(option)}) words=${quote(choices)} ;;\n`)
  .join("")}    esac
    if [[ -z $words && $current == -* ]]; then
      case "\${COMP_WORDS[1]}" in
${commands.map(({ name, options }) => `        ${name}) words=${quote(listNames(options))} ;;\n`).join("")}      esac
    fi
  fi
  [[ -z $words ]] || COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _accrete accrete accrete-cli
`,
  zsh: (commands) => `#compdef accrete
_accrete() {
  local -a commands=(
${commands.map(({ name, summary }) => `    ${quote(`${name}:${summary}`)}\n`).join("")}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command="$words[2]"
  shift words
  (( CURRENT -= 1 ))
  case "$command" in
${commands
  .map(
    ({ name, options }) =>
      `    ${name}) _arguments ${options.map((option) => `${quote(formatZshOption(option))} `).join("")}'*:file:_files' ;;\n`,
  )
  .join("")}  esac
}
compdef _accrete accrete accrete-cli
`,
  fish: (commands) =>
    commands
      .flatMap(({ name, summary, options }) => [
        `complete -c accrete -f -n __fish_use_subcommand -a ${name} -d ${quote(summary)}\n`,
        ...options.map(({ long, description, takesValue, choices }) => {
          const values = choices.length > 0 ? ` -x -a ${quote(choices.join(" "))}` : takesValue ? " -r" : "";
          const condition = quote(`__fish_seen_subcommand_from ${name}`);
          return `complete -c accrete -n ${condition} -l ${long.slice(2)}${values} -d ${quote(description)}\n`;
        }),
      ])
      .join(""),
  powershell: (commands) => `Register-ArgumentCompleter -Native -CommandName accrete -ScriptBlock {
  param($word, $line, $position)
  $commands = [ordered]@{
${commands.map(({ name, options }) => `    ${quoteForPowerShell(name)} = ${quoteForPowerShell(listNames(options))}\n`).join("")}  }
  $choices = @{
${listChoices(commands)
  .map(([option, choices]) => `    ${quoteForPowerShell(option)} = ${quoteForPowerShell(choices)}\n`)
  .join("")}  }
  $before = @($line.CommandElements | Where-Object { $_.Extent.EndOffset -lt $position } | ForEach-Object { "$_" })
  if ($before.Count -lt 2) { $words = $commands.Keys }
  elseif ($choices["$($before[1]) $($before[-1])"]) { $words = $choices["$($before[1]) $($before[-1])"] -split " " }
  elseif ($word -like "-*") { $words = "$($commands[$before[1]])" -split " " }
  else { $words = @() }
  $words | Where-Object { $_ -like "$word*" } | ForEach-Object { [System.Management.Automation.CompletionResult]::new($_) }
}
`,
};

function formatZshOption({ long, description, takesValue, choices }: CompletedOption): string {
  const values = choices.length > 0 ? `(${choices.join(" ")})` : "_files";
  return `${long}[${escapeForZsh(description)}]${takesValue ? `:value:${values}` : ""}`;
}

function describeOption({ long, description, required, optional, argChoices }: Option): CompletedOption {
  return { long: long ?? "", description, takesValue: required || optional, choices: argChoices ?? [] };
}

/** Returns the command `accrete completion`. `loadCommands` returns every command. */
export const createCompletionCommand = (loadCommands: () => Promise<CommandEntry[]>): CommandEntry => ({
  name: "completion",
  summary: "print a script that completes commands and options in a shell",
  operands: { syntax: "<shell>", description: Object.keys(SHELLS).join(", ") },
  options: [],
  examples: [
    ["completion bash >> ~/.bashrc", "for bash, if accrete is installed for all projects"],
    ["completion zsh >> ~/.zshrc", "for zsh, below the line with compinit"],
    ["completion fish > ~/.config/fish/completions/accrete.fish", "for fish"],
    ["completion powershell >> $PROFILE", "for PowerShell"],
  ],
  run: async ([shell = ""], _options, io) => {
    const writeScript = getOwn(SHELLS, shell);
    if (writeScript === undefined)
      throw new UsageError(
        `Unknown shell ${JSON.stringify(shell)}${didYouMean(shell, Object.keys(SHELLS))} Available: ${Object.keys(SHELLS).join(", ")}.`,
      );
    const commands = (await loadCommands()).map(({ name, summary, options }) => ({
      ...{ name, summary },
      options: options.map(describeOption),
    }));
    io.stdout(writeScript(commands));
    return EXIT.ok;
  },
});

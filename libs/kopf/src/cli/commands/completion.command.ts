import { Argument, type Command } from 'commander';
import type { CliCommand } from '../cli.command.js';

/** `kopf completion`: a script that completes commands and options in a shell. */
export const completionCommand: CliCommand = {
  name: 'completion',
  summary: 'Print a script that completes commands and options in a shell.',

  configure(command) {
    command.addArgument(new Argument('<shell>', 'The shell.').choices(['bash', 'zsh', 'fish']));
    command.addHelpText('after', '\nFor bash, for example: source <(kopf completion bash)');
  },

  run: ([shell], _options, _environment, program) => {
    const words = listWords(program);
    const script = { bash: createBash, zsh: createZsh, fish: createFish }[shell as 'bash' | 'zsh' | 'fish'](words);
    return Promise.resolve({ data: { shell: String(shell), script }, text: script });
  },
};

/** One command with what can follow it. */
interface CompletedCommand {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly {
    readonly flag: string;
    readonly description: string;
    readonly choices: readonly string[];
  }[];
  /** Choices of the first argument. */
  readonly choices: readonly string[];
}

function listWords(program: Command): readonly CompletedCommand[] {
  return program.commands.map((command) => ({
    name: command.name(),
    summary: command.summary(),
    options: command.options.flatMap(({ long, description, argChoices = [] }) => {
      return long ? [{ flag: long, description, choices: argChoices }] : [];
    }),
    choices: command.registeredArguments[0]?.argChoices ?? [],
  }));
}

function createBash(commands: readonly CompletedCommand[]): string {
  const cases = commands.map(({ name, options, choices }) => {
    const words = [...options.map(({ flag }) => flag), ...choices].join(' ');
    return `    ${name}) words='${words}' ;;`;
  });
  const values = listValues(commands).map(
    ([flag, choices]) => `    ${flag}) COMPREPLY=($(compgen -W '${choices}' -- "$current")); return ;;`,
  );
  return `_kopf() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" words
  case "$previous" in
${values.join('\n')}
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    words='${commands.map(({ name }) => name).join(' ')} help --help --version'
  else case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _kopf kopf
`;
}

/** Zsh takes the script of bash as it is. */
function createZsh(commands: readonly CompletedCommand[]): string {
  return `autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n${createBash(commands)}`;
}

function createFish(commands: readonly CompletedCommand[]): string {
  const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = commands.flatMap(({ name, summary, options, choices }) => [
    `complete -c kopf -n __fish_use_subcommand -a ${name} -d ${quote(summary)}`,
    ...choices.map((choice) => `complete -c kopf -n '__fish_seen_subcommand_from ${name}' -a ${choice}`),
    ...options.map(({ flag, description, choices: values }) => {
      const arguments_ = values.length > 0 ? ` -x -a ${quote(values.join(' '))}` : '';
      return `complete -c kopf -n '__fish_seen_subcommand_from ${name}' -l ${flag.slice(2)} -d ${quote(description)}${arguments_}`;
    }),
  ]);
  return `${lines.join('\n')}\n`;
}

/** The choices of options, by their flags: they mean the same in all commands. */
function listValues(commands: readonly CompletedCommand[]): readonly (readonly [flag: string, choices: string])[] {
  const all = commands.flatMap(({ options }) => options.filter(({ choices }) => choices.length > 0));
  return [...new Map(all.map(({ flag, choices }) => [flag, choices.join(' ')]))];
}

import { Argument, type Command } from 'commander';
import { KubeConfigLogin } from 'nestjs-kopf/tooling';
import type { CommandDefinition } from '../cli.command.js';
import type { CliEnvironment } from '../cli.environment.js';
import type { CommandResult } from '../command.output.js';

const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** The names of a kubeconfig that scripts ask for while the user types, by the options that take them. */
const LISTS: Readonly<Record<string, string>> = {
  '--context': 'contexts',
  '--allow-context': 'contexts',
  '--namespace': 'namespaces',
};

/** `kopf completion`: a script that completes commands and options in a shell. */
export const completionCommand: CommandDefinition = {
  configure(command) {
    const choices = [...SHELLS, ...new Set(Object.values(LISTS))];
    const description = 'The shell; or what to list of the kubeconfig, as the scripts do.';
    command.addArgument(new Argument('<shell>', description).choices(choices));
    command.addHelpText('after', '\nFor bash, for example: source <(kopf completion bash)');
  },

  run: async ([shell], _options, environment, loadProgram) => {
    if (!(SHELLS as readonly unknown[]).includes(shell)) return listNames(String(shell), environment);
    const words = listWords(await loadProgram());
    const script = { bash: createBash, zsh: createZsh, fish: createFish }[shell as (typeof SHELLS)[number]](words);
    return { data: { shell: String(shell), script }, text: script };
  },
};

/**
 * Returns the names of contexts, or the namespaces that contexts name; the cluster is not asked, so that the user does not have to wait
 * while typing.
 */
async function listNames(list: string, { clock, variables }: CliEnvironment): Promise<CommandResult> {
  const { contexts } = await new KubeConfigLogin({ clock, environment: variables }).load();
  const namespaces = [...contexts.values()].flatMap(({ namespace }) => namespace ?? []);
  const names = [...new Set(list === 'contexts' ? contexts.keys() : namespaces)].sort();
  return { data: { [list]: names }, text: names.join('\n') };
}

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
  const names = Object.entries(LISTS).map(
    ([flag, list]) =>
      `    ${flag}${flag === '--namespace' ? '|-n' : ''}) COMPREPLY=($(compgen -W "$("\${COMP_WORDS[0]}" completion ${list} 2>/dev/null)" -- "$current")); return ;;`,
  );
  return `_kopf() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" words
  case "$previous" in
${[...values, ...names].join('\n')}
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
      const offered = LISTS[flag] ? `(kopf completion ${LISTS[flag]} 2>/dev/null)` : values.join(' ');
      const arguments_ = offered === '' ? '' : ` -x -a ${quote(offered)}`;
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

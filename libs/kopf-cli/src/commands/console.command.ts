import type { CommandDefinition } from '../cli.command.js';
import { addClusterOptions } from '../cluster.connection.js';
import type { ClusterConsoleOptions } from '../console/cluster.console.js';
import { UsageError } from '../exit.codes.js';
import { describeVariables, IntegerOption, RepeatableOption } from '../option.kinds.js';

interface ConsoleOptions extends Omit<ClusterConsoleOptions, 'allow'> {
  readonly allow?: string;
}

/** The actions that need nothing of an operator but its state on the object, or its pods. */
const ACTIONS = ['retry', 'postpone', 'complete', 'repeat', 'release', 'logs'] as const;

/** The server is loaded only by this command, as others are to start quickly. */
const importConsole = () => import('../console/cluster.console.js');

/** `kopf console`: the console in the browser, for the operators of a cluster, those of Kopf in Python, too. */
export const consoleCommand: CommandDefinition = {
  configure(command) {
    command
      .addOption(new RepeatableOption('-n, --namespace <name>', 'Only objects of this namespace.'))
      .addOption(
        new RepeatableOption('-r, --resource <name>', 'Only these objects: evc, pods. (default: all custom ones)'),
      )
      .option('--lease <name>', 'The Lease by which the operators elect their leader.', 'kopf-operator')
      .addOption(new IntegerOption('--port <number>', 'The port on this machine; 0 for any free one.').default(0))
      .option('--open', 'Open the address in the browser.')
      .option('--allow <actions>', `Actions that the page offers: ${ACTIONS.join(',')}. (default: none)`)
      .addHelpText('after', describeVariables('console', 'resource'));
    addClusterOptions(command);
    command.option('-v, --verbose', 'Log interruptions of watches, too; the page shows them anyway.');
  },

  async run(_args, { allow, ...options }: ConsoleOptions, environment) {
    const actions = readActions(allow);
    const { runClusterConsole } = await importConsole();
    await runClusterConsole({ ...options, allow: actions }, environment);
  },
};

/** @throws UsageError if there is no such action, or it cannot be done from outside. */
function readActions(text = ''): ClusterConsoleOptions['allow'] {
  return text
    .split(',')
    .filter((name) => name !== '')
    .map((name) => {
      const action = ACTIONS.find((each) => each === name);
      if (action) return action;
      throw new UsageError(
        `--allow takes ${ACTIONS.join(', ')}, separated by commas, and not ${JSON.stringify(name)}.`,
      );
    });
}

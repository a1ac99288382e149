import { NestLogger } from 'nestjs-kopf/tooling';
import type { CommandDefinition } from '../cli.command.js';
import { addLogOptions } from '../cli.logger.js';
import { addClusterOptions } from '../cluster.connection.js';
import { OperatorApplication } from '../operator.application.js';
import { loadOperator } from '../loaded.operator.js';
import { describeVariables } from '../option.kinds.js';
import { addPeeringOptions, addRunOptions, checkRunOptions, type RunOptions } from '../run.options.js';
import { StopSignals } from '../stop.signals.js';
import { DEV_PRIORITY } from './freeze.command.js';

/** `kopf run`: an operator of files, without a program that starts it. */
export const runCommand: CommandDefinition = {
  configure(command) {
    addRunOptions(command);
    command.option('--dev', `Let operators in the cluster pause: the same as --priority ${DEV_PRIORITY}.`);
    addPeeringOptions(command);
    command.addHelpText('after', describeVariables('run'));
    addClusterOptions(command);
    addLogOptions(command);
  },

  async run([files], options: RunOptions, environment) {
    checkRunOptions(options);
    const source = await loadOperator(files as readonly string[], options.module ?? [], environment);
    const stopped = new StopSignals(environment);
    try {
      const operator = await OperatorApplication.start(source, options, environment);
      if (operator.address) new NestLogger('Kopf').log(`The application listens at ${operator.address}.`);
      try {
        const signal = await stopped.first;
        new NestLogger('Kopf').log(`The operator stops on ${signal}; another signal ends it at once.`);
      } finally {
        await operator.stop();
      }
    } finally {
      stopped.release();
    }
  },
};

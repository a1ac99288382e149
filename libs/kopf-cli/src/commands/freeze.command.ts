import { evaluatePeers, personalIdentity } from 'nestjs-kopf/tooling';
import type { Peer } from 'nestjs-kopf';
import { formatTimestamp } from 'kube-common';
import type { CommandDefinition } from '../cli.command.js';
import { addLogOptions } from '../cli.logger.js';
import { addClusterOptions } from '../cluster.connection.js';
import { IntegerOption, describeVariables, requireOption } from '../option.kinds.js';
import {
  addPeeringObjectOptions,
  changePeerings,
  checkPeeringOptions,
  titleOf,
  type PeeringChangeOptions,
  type PeeringWrite,
} from '../peering.records.js';

interface FreezeOptions extends PeeringChangeOptions {
  readonly dev?: boolean;
  readonly priority: number;
  readonly lifetime?: number;
  readonly message?: string;
}

/** The priority of `--dev`: above all operators that have none in mind, as in Kopf. */
export const DEV_PRIORITY = 666;

/** `kopf freeze`: writes a peer of a high priority into the peering, so that the operators pause. */
export const freezeCommand: CommandDefinition = {
  configure(command) {
    addPeeringObjectOptions(command, 'The name of the one who pauses them.');
    command
      .option('--dev', `The same as --priority ${DEV_PRIORITY}.`)
      .addOption(
        new IntegerOption('-p, --priority <number>', 'Operators of a lower or the same one pause.', -Infinity).default(
          100,
        ),
      )
      .addOption(
        new IntegerOption('-t, --lifetime <seconds>', 'The operators resume after it at the latest. Required.', 1),
      )
      .option('-m, --message <text>', 'The reason, for readers of the peering object.')
      .addHelpText('after', describeVariables('freeze'));
    addClusterOptions(command);
    addLogOptions(command);
  },

  async run(_args, options: FreezeOptions, environment) {
    const name = checkPeeringOptions(options);
    const peer: Peer = {
      identity: options.id ?? personalIdentity(),
      priority: options.dev ? DEV_PRIORITY : options.priority,
      lifetime: requireOption(options.lifetime, '-t, --lifetime <seconds>'),
      lastSeen: environment.clock.now(),
      ...(options.message !== undefined && { message: options.message }),
    };
    const peerings = await changePeerings(name, options, environment, (client, place) => client.touch(place, peer));
    const until = formatTimestamp(peer.lastSeen + peer.lifetime * 1000);
    return {
      data: { ...peer, lastSeen: undefined, until, peerings: peerings.map((each) => reportOf(each, peer)) },
      text: ({ bold, yellow }) =>
        [
          ...peerings.map((each) =>
            each.exists
              ? `Paused the operators of ${bold(titleOf(each))} for ${peer.lifetime} seconds, as ${peer.identity}.`
              : yellow(`There is no ${titleOf(each)}.`),
          ),
          ...peerings.flatMap((each) => listWorking(each, peer).map((other) => yellow(warnOf(other, peer)))),
          `To resume them earlier: ${environment.name} resume --peering ${name}`,
        ].join('\n'),
    };
  },
};

function reportOf(peering: PeeringWrite, peer: Peer): object {
  const { peers: _peers, ...report } = peering;
  return { ...report, working: listWorking(peering, peer).map(({ identity, priority }) => ({ identity, priority })) };
}

/** Returns the operators that are not paused, as their priority is higher. */
function listWorking({ peers }: PeeringWrite, peer: Peer): readonly Peer[] {
  return evaluatePeers(peers, peer, peer.lastSeen).blockers.filter(({ priority }) => priority > peer.priority);
}

function warnOf({ identity, priority }: Peer, peer: Peer): string {
  return `${identity} continues, as its priority is ${priority}, and yours is ${peer.priority}.`;
}

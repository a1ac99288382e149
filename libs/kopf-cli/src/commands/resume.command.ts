import { deadlineOf, personalIdentity } from 'nestjs-kopf/tooling';
import type { Peer } from 'nestjs-kopf';
import type { CommandDefinition } from '../cli.command.js';
import { addLogOptions } from '../cli.logger.js';
import { addClusterOptions } from '../cluster.connection.js';
import { describeVariables } from '../option.kinds.js';
import {
  addPeeringObjectOptions,
  changePeerings,
  checkPeeringOptions,
  titleOf,
  type PeeringChangeOptions,
  type PeeringWrite,
} from '../peering.records.js';

/** `kopf resume`: takes out of the peering what `kopf freeze` has written. */
export const resumeCommand: CommandDefinition = {
  configure(command) {
    addPeeringObjectOptions(command, 'The name that was given to freeze.');
    command.addHelpText('after', describeVariables('resume'));
    addClusterOptions(command);
    addLogOptions(command);
  },

  async run(_args, options: PeeringChangeOptions, environment) {
    const name = checkPeeringOptions(options);
    const identity = options.id ?? personalIdentity();
    const now = environment.clock.now();
    const peerings = await changePeerings(name, options, environment, (client, place) =>
      client.remove(place, [identity]),
    );
    return {
      data: { identity, peerings: peerings.map((each) => reportOf(each, now)) },
      text: ({ bold, yellow }) =>
        peerings
          .flatMap((each) =>
            each.exists
              ? [
                  `${identity} does not pause the operators of ${bold(titleOf(each))} any more.`,
                  ...remaining(each, now),
                ]
              : [yellow(`There is no ${titleOf(each)}.`)],
          )
          .join('\n'),
    };
  },
};

function reportOf(peering: PeeringWrite, now: number): object {
  const { peers: _peers, ...report } = peering;
  const peers = listLiving(peering, now).map(({ lastSeen: _lastSeen, ...peer }) => peer);
  return { ...report, peers };
}

function listLiving({ peers }: PeeringWrite, now: number): Peer[] {
  return peers.filter((peer) => deadlineOf(peer) > now);
}

/** Returns lines about the other peers, as one of them can be another user's pause of the operators. */
function remaining(peering: PeeringWrite, now: number): readonly string[] {
  const living = listLiving(peering, now).sort((one, other) => other.priority - one.priority);
  return living.map(({ identity, priority, message }) => {
    return `  ${identity}: priority ${priority}${message === undefined ? '' : `, ${message}`}`;
  });
}

import type { CommandResult } from '../command.output.js';
import type { CliEnvironment } from '../cli.environment.js';
import { CliLogger } from '../cli.logger.js';
import { withCluster, type ClusterOptions } from '../cluster.connection.js';
import { WebhookCleanup, type MarkedConfiguration } from './webhook.cleanup.js';

/** One configuration of webhooks in the result. */
interface ReleasedWebhooks extends MarkedConfiguration {
  /** Whether its session has not renewed its mark, so that its webhooks have no server. */
  readonly expired: boolean;
  readonly released: boolean;
}

/**
 * Removes the configurations of webhooks that sessions of `kopf dev` have left behind; those of running sessions are only shown.
 *
 * @throws ApiForbiddenError without the permission to list or delete configurations.
 */
export async function releaseWebhooks(
  options: ClusterOptions & { readonly yes?: boolean },
  environment: CliEnvironment,
): Promise<CommandResult> {
  const dryRun = !options.yes;
  const webhooks = await withCluster(options, environment, new CliLogger(environment), async ({ api }) => {
    const cleanup = new WebhookCleanup(api, environment.name);
    const found = await cleanup.list();
    if (!dryRun) await cleanup.removeExpired();
    return found.map((each): ReleasedWebhooks => {
      const expired = cleanup.isExpired(each);
      return { ...each, expired, released: expired && !dryRun };
    });
  });
  return {
    data: { dryRun, webhooks },
    text: ({ bold, yellow }) => {
      if (webhooks.length === 0) return 'No session of kopf dev has left webhooks.';
      const lines = webhooks.flatMap(({ kind, name, owner, until, expired }) => [
        bold(`${kind} ${name}`),
        expired
          ? `  was left by ${owner ?? 'an unknown user'}`
          : yellow(`  stays: the session of ${owner ?? 'an unknown user'} has it until ${until}`),
      ]);
      const hint = 'Nothing was changed. To do it, repeat the command with --yes.';
      return [...lines, ...(dryRun ? [yellow(hint)] : [])].join('\n');
    },
  };
}

import { Option } from 'commander';
import { ApiConflictError, ApiNotFoundError, type KubeObject, type Resource } from 'nestjs-kopf';
import { createReleasePatches, isReleased, planRelease, type Release, type ReleaseScope } from 'nestjs-kopf/tooling';
import { errorText } from 'kube-common';
import type { CommandDefinition } from '../cli.command.js';
import type { CliEnvironment } from '../cli.environment.js';
import { CliLogger } from '../cli.logger.js';
import { addClusterOptions, withCluster, type ClusterConnection, type ClusterOptions } from '../cluster.connection.js';
import { releaseWebhooks } from '../dev/webhook.release.js';
import { EXIT_CODES, UsageError } from '../exit.codes.js';
import { findObject, findResource } from '../object.argument.js';
import { RepeatableOption } from '../option.kinds.js';
import { ProgressBar } from '../progress.bar.js';

interface ReleaseOptions extends ClusterOptions {
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
  readonly selector?: string;
  readonly all?: boolean;
  readonly prefix?: string;
  readonly finalizer?: readonly string[];
  readonly only?: 'finalizers' | 'annotations';
  readonly yes?: boolean;
  readonly webhooks?: boolean;
}

/** One object in the result. */
interface ReleasedObject extends Release {
  readonly namespace?: string;
  readonly name: string;
  /** Is true if the object goes with its last finalizer, without its handlers having been called. */
  readonly deleting: boolean;
  readonly released: boolean;
  readonly error?: string;
}

/** The most attempts with an object that another client changes at the same time. */
const ATTEMPTS = 5;

/** `kopf release`: takes off objects what operators have left on them, when these do not come back. */
export const releaseCommand: CommandDefinition = {
  configure(command) {
    command
      .argument('[resource]', 'The kind of the objects: evc, deployments.apps.')
      .argument('[names...]', 'Their names.')
      .option('-n, --namespace <name>', 'Their namespace. (default: that of the context)')
      .option('-A, --all-namespaces', 'Objects of all namespaces.')
      .option('-l, --selector <labels>', 'Objects with these labels.')
      .option('--all', 'All objects.')
      .option('--prefix <domain>', 'Only what belongs to the operator with this prefix of annotations.')
      .addOption(
        new RepeatableOption('--finalizer <name>', 'A finalizer of an operator that is not recognised by itself.'),
      )
      .addOption(new Option('--only <what>', 'Only one of both.').choices(['finalizers', 'annotations']))
      .option('--webhooks', 'Webhooks that sessions of kopf dev have left behind, instead of objects.')
      .option('-y, --yes', 'Do it; otherwise nothing is changed.');
    addClusterOptions(command);
  },

  async run([resource, names], options: ReleaseOptions, environment) {
    if (options.webhooks) {
      if (resource !== undefined) throw new UsageError('Name a resource, or --webhooks, not both.');
      return releaseWebhooks(options, environment);
    }
    if (resource === undefined) throw new UsageError('Name the resource of the objects, or --webhooks.');
    checkSelection(names as readonly string[], options);
    const objects = await withCluster(options, environment, new CliLogger(environment), async (cluster) => {
      const kind = await findResource(cluster.client, resource as string);
      const found = await findObjects(cluster, kind, names as readonly string[], options);
      return releaseAll({ cluster, resource: kind, options, environment }, found);
    });
    const failed = objects.filter(({ error }) => error !== undefined);
    const dryRun = !options.yes;
    return {
      data: { dryRun, objects },
      exitCode: failed.length > 0 ? EXIT_CODES.failed : EXIT_CODES.good,
      text: ({ bold, red, yellow }) => {
        if (objects.length === 0) return 'No object has anything of an operator.';
        const lines = objects.flatMap((each) => [
          bold(`${each.namespace === undefined ? '' : `${each.namespace}/`}${each.name}`),
          ...describeRelease(each).map((line) => `  ${line}`),
          ...(each.deleting && each.finalizers.length > 0
            ? [yellow('  It is being deleted: its handlers are not called any more.')]
            : []),
          ...(each.error === undefined ? [] : [red(`  ${each.error}`)]),
        ]);
        const hint = 'Nothing was changed. To do it, repeat the command with --yes.';
        return [...lines, ...(dryRun ? [yellow(hint)] : [])].join('\n');
      },
    };
  },
};

/** @throws UsageError unless exactly one of the ways to name objects is used. */
function checkSelection(names: readonly string[], { selector, all, namespace, allNamespaces }: ReleaseOptions): void {
  const ways = [names.length > 0, selector !== undefined, all].filter(Boolean).length;
  if (ways === 0) throw new UsageError('Name objects, or select them by --selector or --all.');
  if (ways > 1) throw new UsageError('Only one of names, --selector, and --all can be used.');
  if (allNamespaces && namespace !== undefined) {
    throw new UsageError('Either --namespace or --all-namespaces can be used, not both.');
  }
  if (allNamespaces && names.length > 0) throw new UsageError('Names are those of one namespace: use --namespace.');
}

async function findObjects(
  cluster: ClusterConnection,
  resource: Resource,
  names: readonly string[],
  { namespace, allNamespaces, selector: labelSelector }: ReleaseOptions,
): Promise<readonly KubeObject[]> {
  const found: KubeObject[] = [];
  for (const name of names) found.push((await findObject(cluster, [resource, name], namespace)).body);
  if (names.length > 0) return found;
  const own = namespace ?? cluster.api.defaultNamespace ?? 'default';
  const scope = allNamespaces || !resource.namespaced ? undefined : own;
  for await (const each of cluster.client.listAll(resource, { namespace: scope, labelSelector })) found.push(each);
  return found;
}

interface ReleaseTask {
  readonly cluster: ClusterConnection;
  readonly resource: Resource;
  readonly options: ReleaseOptions;
  readonly environment: CliEnvironment;
}

async function releaseAll(task: ReleaseTask, bodies: readonly KubeObject[]): Promise<readonly ReleasedObject[]> {
  const released: ReleasedObject[] = [];
  const progress = new ProgressBar(task.environment, 'objects', bodies.length);
  try {
    for (const body of bodies) {
      const result = await releaseOne(task, body);
      if (result) released.push(result);
      progress.step();
    }
  } finally {
    progress.close();
  }
  return released;
}

async function releaseOne(
  { cluster, resource, options, environment }: ReleaseTask,
  first: KubeObject,
): Promise<ReleasedObject | undefined> {
  const scope: ReleaseScope = { prefix: options.prefix, finalizers: options.finalizer ?? [], only: options.only };
  let body = first;
  const { name = '', namespace } = first.metadata;
  const release = planRelease(body, scope, environment.clock.now());
  if (isReleased(release)) return undefined;
  const deleting = Boolean(body.metadata.deletionTimestamp);
  const result = { ...(namespace !== undefined && { namespace }), name, ...release, deleting };
  if (!options.yes) return { ...result, released: false };
  for (let attempt = 1; ; attempt++) {
    try {
      const patches = createReleasePatches(body, planRelease(body, scope, environment.clock.now()));
      const subresource = resource.subresources.includes('status') ? 'status' : undefined;
      // The object can go with its last finalizer, so its status comes first; without a version, as it does not change anything else.
      if (patches.status) {
        body = await cluster.client.patch(resource, name, patches.status, { namespace, subresource });
      }
      const { object } = createReleasePatches(body, planRelease(body, scope, environment.clock.now()));
      if (object) await cluster.client.patch(resource, name, object, { namespace });
      return { ...result, released: true };
    } catch (error) {
      if (error instanceof ApiNotFoundError) return { ...result, released: true };
      if (!(error instanceof ApiConflictError) || attempt === ATTEMPTS)
        return { ...result, released: false, error: errorText(error) };
      body = await cluster.client.get(resource, name, { namespace });
    }
  }
}

function describeRelease({ finalizers, annotations, status }: Release): readonly string[] {
  return [
    ...finalizers.map((name) => `finalizer ${name}`),
    ...annotations.map((name) => `annotation ${name}`),
    ...status.map((name) => `status.${name}`),
  ];
}

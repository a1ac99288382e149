import { Argument } from 'commander';
import type { KubeObject, Resource } from 'nestjs-kopf';
import { isBuiltInGroup, KOPF_FINALIZER, qualifiedName, readStoredState } from 'nestjs-kopf/tooling';
import type { CommandDefinition } from '../cli.command.js';
import { CliLogger } from '../cli.logger.js';
import { addClusterOptions, withCluster, type ClusterConnection, type ClusterOptions } from '../cluster.connection.js';
import { findResource } from '../object.argument.js';
import { ProgressBar } from '../progress.bar.js';

interface MigrateOptions extends ClusterOptions {
  readonly namespace?: string;
}

/** The state that operators have left on the objects of one resource, by the prefix of the annotations. */
interface ResourceStatus {
  readonly resource: string;
  readonly objects: number;
  readonly operators: readonly {
    readonly prefix: string;
    /** Objects whose last handled configuration is stored: another operator takes them over, and does not see them as created. */
    readonly handled: number;
    /** Objects with handlers that are not done, which the next operator continues by their ids. */
    readonly inProgress: number;
    readonly failed: number;
    readonly unreadable: number;
  }[];
  /** Objects with the finalizer of Kopf, and those of them that are being deleted. */
  readonly finalizers: number;
  readonly deleting: number;
  readonly neverHandled: number;
}

/** `kopf migrate status`: what another operator would take over. */
export const migrateCommand: CommandDefinition = {
  configure(command) {
    command
      .addArgument(new Argument('<action>', 'What to do.').choices(['status']))
      .argument('[resources...]', 'The kinds of objects: evc, deployments.apps. (default: all custom resources)')
      .option('-n, --namespace <name>', 'Only objects of this namespace.');
    addClusterOptions(command);
  },

  async run([, names], options: MigrateOptions, environment) {
    const now = environment.clock.now();
    const resources = await withCluster(options, environment, new CliLogger(environment), async (cluster) => {
      const found = await selectResources(cluster, names as readonly string[]);
      const all: ResourceStatus[] = [];
      const progress = new ProgressBar(environment, 'objects');
      try {
        for (const each of found) all.push(await readStatus(cluster, each, options.namespace, now, progress));
      } finally {
        progress.close();
      }
      return all.filter(({ operators, finalizers }) => names.length > 0 || operators.length > 0 || finalizers > 0);
    });
    return {
      data: { resources },
      text: ({ bold, yellow }) =>
        resources.length === 0
          ? 'No object has anything of an operator.'
          : resources
              .flatMap((each) => [
                bold(each.resource),
                ...describe(each).map((line) => `  ${line}`),
                ...warn(each).map(yellow),
              ])
              .join('\n'),
    };
  },
};

async function selectResources(cluster: ClusterConnection, names: readonly string[]): Promise<readonly Resource[]> {
  if (names.length > 0) return Promise.all(names.map((name) => findResource(cluster.client, name)));
  const resources = await cluster.resources();
  // Peering objects are the operators' own.
  return resources.filter(({ group, preferred, verbs, plural }) => {
    return !isBuiltInGroup(group) && preferred && verbs.includes('list') && !/^(cluster)?kopfpeerings$/.test(plural);
  });
}

async function readStatus(
  { client }: ClusterConnection,
  resource: Resource,
  namespace: string | undefined,
  now: number,
  progress: ProgressBar,
): Promise<ResourceStatus> {
  const operators = new Map<string, { handled: number; inProgress: number; failed: number; unreadable: number }>();
  const counts = { objects: 0, finalizers: 0, deleting: 0, neverHandled: 0 };
  for await (const body of client.listAll(resource, { namespace: resource.namespaced ? namespace : undefined })) {
    countObject(body);
    progress.step();
  }
  const sorted = [...operators].map(([prefix, each]) => ({ prefix, ...each }));
  return { resource: qualifiedName(resource), ...counts, operators: sorted };

  function countObject(body: KubeObject): void {
    counts.objects += 1;
    const { finalizers = [], deletionTimestamp } = body.metadata;
    if (finalizers.includes(KOPF_FINALIZER)) {
      counts.finalizers += 1;
      if (deletionTimestamp) counts.deleting += 1;
    }
    const state = readStoredState(body, now).filter(({ annotations, progress, lastHandled }) => {
      return annotations.length + progress.length + lastHandled.length > 0;
    });
    if (state.length === 0) counts.neverHandled += 1;
    for (const { prefix, progress, lastHandled, unreadable } of state) {
      const known = operators.get(prefix) ?? { handled: 0, inProgress: 0, failed: 0, unreadable: 0 };
      if (lastHandled.length > 0) known.handled += 1;
      if (progress.some((each) => each.state !== 'succeeded' && each.state !== 'failed')) known.inProgress += 1;
      if (progress.some((each) => each.state === 'failed')) known.failed += 1;
      if (unreadable.length > 0) known.unreadable += 1;
      operators.set(prefix, known);
    }
  }
}

function describe({ objects, operators, finalizers, deleting, neverHandled }: ResourceStatus): readonly string[] {
  return [
    `objects: ${objects}, never handled: ${neverHandled}, with the finalizer: ${finalizers}, of these being deleted: ${deleting}`,
    ...operators.map(({ prefix, handled, inProgress, failed, unreadable }) => {
      return `${prefix}: handled: ${handled}, in progress: ${inProgress}, failed: ${failed}, unreadable: ${unreadable}`;
    }),
  ];
}

/** Two prefixes mean two operators, or one whose prefix was changed: then all objects are handled as created once more. */
function warn({ operators }: ResourceStatus): readonly string[] {
  if (operators.length < 2) return [];
  return ['  Several prefixes: several operators handle these objects, or the prefix of one was changed.'];
}

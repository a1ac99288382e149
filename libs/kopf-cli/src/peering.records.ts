import type { Command } from 'commander';
import {
  compileNamespacePattern,
  type KubeApi,
  PeeringClient,
  type PeeringPlace,
  readPeers,
  selectPeeringResources,
  selectSpecificNamespaces,
} from 'nestjs-kopf/tooling';
import type { KubeObject, Peer } from 'nestjs-kopf';
import type { CliEnvironment } from './cli.environment.js';
import { checkLogOptions, CliLogger, type CliLogOptions } from './cli.logger.js';
import { withCluster, type ClusterConnection, type ClusterOptions } from './cluster.connection.js';
import { CommandError, UsageError } from './exit.codes.js';
import { RepeatableOption, requireOption } from './option.kinds.js';

/** The options that say which peering objects are meant. */
export interface PeeringOptions {
  readonly namespace?: readonly string[];
  readonly allNamespaces?: boolean;
}

/** The options of commands that write into peering objects. */
export interface PeeringChangeOptions extends PeeringOptions, ClusterOptions, CliLogOptions {
  readonly id?: string;
  readonly peering?: string;
}

/** Adds the options that say which peering objects a command writes into, and as whom. */
export function addPeeringObjectOptions(command: Command, identity: string): void {
  command
    .addOption(new RepeatableOption('-n, --namespace <pattern>', 'The namespaces whose KopfPeering is meant.'))
    .option('-A, --all-namespaces', 'The ClusterKopfPeering is meant, which is the default.')
    .option('-i, --id <identity>', `${identity} (default: user@host)`)
    .option('-P, --peering <name>', 'The name of the peering object. Required.');
}

/** The function that writes into one peering object; there is no result if it does not exist. */
type PeeringChange = (client: PeeringClient, place: PeeringPlace) => Promise<KubeObject | undefined>;

/** One peering object in the results of commands. */
interface PeeringReport {
  readonly kind: string;
  readonly apiVersion: string;
  readonly namespace?: string;
  readonly name: string;
  /** Whether the object exists. */
  readonly exists: boolean;
}

/** A peering object after it was written to; its peers are as they were then. */
export interface PeeringWrite extends PeeringReport {
  readonly peers: readonly Peer[];
}

/**
 * Finds the peering objects of a name: the one of the cluster, or those of the namespaces.
 *
 * @throws UsageError if both were asked for; CommandError if the cluster has no such resource, or no such namespace.
 */
async function findPeerings(
  cluster: ClusterConnection,
  name: string,
  { namespace: patterns = [], allNamespaces = false }: PeeringOptions,
): Promise<readonly PeeringPlace[]> {
  const isClusterwide = patterns.length === 0;
  const resources = selectPeeringResources(await cluster.resources(), isClusterwide);
  if (resources.length === 0) {
    const kind = isClusterwide ? 'ClusterKopfPeering' : 'KopfPeering';
    throw new CommandError(`The cluster has no resource of the kind ${kind}; its CRD is in k8s/peering.yaml.`);
  }
  if (allNamespaces || isClusterwide) return resources.map((resource) => ({ resource, namespace: undefined, name }));
  const namespaces = await findNamespaces(cluster, patterns);
  return namespaces.flatMap((namespace) => resources.map((resource) => ({ resource, namespace, name })));
}

/** @throws UsageError if both kinds of options are given. */
export function checkNamespaceOptions({ namespace = [], allNamespaces }: PeeringOptions): void {
  if (namespace.length > 0 && allNamespaces) {
    throw new UsageError('Either --namespace or --all-namespaces can be used, not both.');
  }
}

/** Namespaces that are named need no permission to list all of them. */
async function findNamespaces(cluster: ClusterConnection, patterns: readonly string[]): Promise<readonly string[]> {
  const named = selectSpecificNamespaces(patterns);
  if (named.length === patterns.length) return named;
  const matchers = patterns.map(compileNamespacePattern);
  const found: string[] = [];
  for await (const { metadata } of cluster.client.listAll('namespaces.v1')) {
    if (matchers.some((matches) => matches(metadata.name!))) found.push(metadata.name!);
  }
  if (found.length === 0) throw new CommandError(`No namespace matches ${patterns.join(' ')}.`);
  return found;
}

/**
 * Writes to all peering objects at once.
 *
 * @throws CommandError if none of them exists.
 */
async function writePeerings(
  api: KubeApi,
  places: readonly PeeringPlace[],
  write: PeeringChange,
): Promise<readonly PeeringWrite[]> {
  const client = new PeeringClient(api);
  const now = api.clock.now();
  const written = await Promise.all(
    places.map(async (place): Promise<PeeringWrite> => {
      const object = await write(client, place);
      return { ...reportOf(place), exists: object !== undefined, peers: readPeers(object?.status, now) };
    }),
  );
  if (written.some(({ exists }) => exists)) return written;
  const [{ resource, name }] = places;
  const missing = written.map(titleOf).join(', ');
  const manifest = `kubectl create -f - with kind: ${resource.kind} and metadata.name: ${name}`;
  throw new CommandError(`There is no ${missing}. Operators use it once it exists; to create it: ${manifest}.`);
}

function reportOf({ resource, namespace, name }: PeeringPlace): Omit<PeeringReport, 'exists'> {
  const apiVersion = `${resource.group}/${resource.version}`;
  return { apiVersion, kind: resource.kind, ...(namespace !== undefined && { namespace }), name };
}

/** Returns the text for a peering object: `KopfPeering team-a/default`. */
export function titleOf({ kind, namespace, name }: Omit<PeeringReport, 'exists'>): string {
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

/**
 * Checks the options of a command that writes into peering objects.
 *
 * @returns the name of the objects.
 * @throws UsageError if they are wrong, or the name is missing.
 */
export function checkPeeringOptions(options: PeeringChangeOptions): string {
  checkLogOptions(options);
  checkNamespaceOptions(options);
  return requireOption(options.peering, '-P, --peering <name>');
}

/** Connects to the cluster, and writes into all peering objects that the options mean. */
export function changePeerings(
  name: string,
  options: PeeringChangeOptions,
  environment: CliEnvironment,
  change: PeeringChange,
): Promise<readonly PeeringWrite[]> {
  return withCluster(options, environment, new CliLogger(environment, options), async (cluster) =>
    writePeerings(cluster.api, await findPeerings(cluster, name, options), change),
  );
}

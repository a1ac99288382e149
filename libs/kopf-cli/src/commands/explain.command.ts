import { ApiForbiddenError, ApiNotFoundError, type KubeObject, type Peer, type Resource } from 'nestjs-kopf';
import type { Explanation, Finding } from 'nestjs-kopf/inspection';
import {
  addRemedy,
  deadlineOf,
  describeReason,
  explain,
  type ExplainedChange,
  findStoredFailures,
  findUnserved,
  KOPF_FINALIZER,
  matchHandlers,
  matchNamespace,
  readPeers,
  Redactor,
  ResourcePatch,
  selectAllResources,
  selectPeeringResources,
  selectsChanges,
  toDetected,
} from 'nestjs-kopf/tooling';
import type { CommandDefinition } from '../cli.command.js';
import type { CliEnvironment } from '../cli.environment.js';
import { CliLogger } from '../cli.logger.js';
import { addClusterOptions, withCluster, type ClusterConnection, type ClusterOptions } from '../cluster.connection.js';
import { EXIT_CODES } from '../exit.codes.js';
import { formatExplanation } from '../explanation.text.js';
import type { LoadedOperator } from '../module.registry.js';
import { findObject, parseObjectArgument, type ObjectReference } from '../object.argument.js';

interface ExplainOptions extends ClusterOptions {
  readonly namespace?: string;
  readonly module?: string;
  readonly peering: string;
}

/** Loaded only where an operator is looked at, as Nest takes its time. */
const importModuleRegistry = () => import('../module.registry.js');

/** `kopf explain`: the state that operators have left on an object, and what follows from it. */
export const explainCommand: CommandDefinition = {
  configure(command) {
    command
      .argument('<object...>', 'The object: evc/my-claim, or evc my-claim.')
      .option('-n, --namespace <name>', 'Its namespace. (default: that of the context)')
      .option(
        '-m, --module <file>',
        'The operator, for which of its handlers are called, and which filter excludes the others.',
      )
      .option('-P, --peering <name>', 'The peering of the operators.', 'default');
    addClusterOptions(command);
  },

  async run([words], options: ExplainOptions, environment) {
    const reference = parseObjectArgument(words as readonly string[]);
    const explainIt = (operator?: LoadedOperator): Promise<Explanation> =>
      withCluster(options, environment, new CliLogger(environment), (cluster) =>
        explainInCluster({ cluster, reference, ...options, operator }, environment),
      );
    const explanation =
      options.module === undefined
        ? await explainIt()
        : await (await importModuleRegistry()).withOperator(options.module, environment, explainIt);
    const hasFailed = explanation.findings.some(({ code }) => code === 'handler-failed');
    const exitCode = hasFailed ? EXIT_CODES.handlingFailed : EXIT_CODES.good;
    return {
      data: explanation,
      exitCode,
      text: (colors) => formatExplanation(explanation, colors, environment.clock.now()),
    };
  },
};

/** The object to be explained, and where it is. */
export interface ExplainedReference {
  readonly cluster: ClusterConnection;
  readonly reference: ObjectReference;
  readonly namespace?: string;
  /** The name of the peering of its operators. */
  readonly peering: string;
  /** The operator whose handlers are matched with it. @default none is known */
  readonly operator?: LoadedOperator;
}

/** Reads the object and everything around it, and explains it. */
export async function explainInCluster(
  { cluster, reference, namespace, peering, operator }: ExplainedReference,
  environment: CliEnvironment,
): Promise<Explanation> {
  const { resource, body } = await findObject(cluster, reference, namespace);
  const peers = await findPeers(cluster, body, peering, environment);
  const available = operator ? await cluster.resources() : [];
  const events = await findEvents(cluster, body);
  return explainObject({ resource, body, peers, operator, available, events }, environment);
}

interface ExplainedObject {
  readonly resource: Resource;
  readonly body: KubeObject;
  readonly peers: readonly Peer[];
  readonly operator?: LoadedOperator;
  /** All resources that the cluster serves. */
  readonly available: readonly Resource[];
  /** The Kubernetes events about the object. */
  readonly events: readonly KubeObject[];
}

function explainObject(
  { resource, body, peers, operator, available, events }: ExplainedObject,
  environment: CliEnvironment,
): Explanation {
  const redactor = new Redactor(operator?.settings.redaction);
  const settings = operator ? settingsOf(operator, resource) : { finalizer: KOPF_FINALIZER };
  const now = environment.clock.now();
  const posted = findStoredFailures(events);
  const failures = posted.length > 0 ? posted : undefined;
  const logger = new CliLogger(environment, { quiet: true });
  const origin = { resource, body, patch: new ResourcePatch(), memory: { memo: {} }, indices: {}, logger };
  const known = operator && {
    selects: (found: ExplainedChange) => selectsChanges(operator.registry, origin, toDetected(found)),
  };
  const { change, ...explanation } = explain({ body, settings, peers, now, failures, operator: known });
  const changes = redactor.diff(resource, explanation.changes) as Explanation['changes'];
  if (!operator) return { ...explanation, changes };
  const detected = toDetected(change);
  const conceal = (value: unknown): unknown => (value !== undefined && redactor.protects(resource) ? '***' : value);
  const handlers = matchHandlers(operator.registry, origin, detected, conceal);
  const ofOperator = [...findScope(body, operator), ...explainUnserved(operator, available)].map(addRemedy);
  const findings = [...explanation.findings, ...ofOperator];
  return { ...explanation, changes, findings, handlers };
}

function settingsOf({ settings, registry }: LoadedOperator, resource: Resource) {
  const { finalizer, diffbaseStorage: diffbase, progressStorage: progress } = settings.persistence;
  return { finalizer, storages: { diffbase, progress }, extraFields: registry.handlersOf(resource).extraFields };
}

/** A handler whose resource is mistyped is called for no object, and not listed with those of this one. */
function explainUnserved({ registry }: LoadedOperator, available: readonly Resource[]): readonly Finding[] {
  return findUnserved(selectAllResources(registry, available)).map((each) => {
    const text = `Handlers for ${each.resource} are not called: ${describeReason(each)}`;
    return { code: 'resource-not-served', text, evidence: each.handlers.join(', '), problem: true };
  });
}

/** An operator does not see the objects of namespaces that it does not serve. */
function findScope({ metadata: { namespace } }: KubeObject, { options }: LoadedOperator): readonly Finding[] {
  const patterns = options.namespaces === undefined ? [] : [options.namespaces].flat();
  if (namespace === undefined || patterns.length === 0) return [];
  if (patterns.some((pattern) => matchNamespace(namespace, pattern))) return [];
  const text = `The operator does not serve the namespace ${namespace}, only ${patterns.join(', ')}.`;
  return [{ code: 'namespace-not-served', text, evidence: 'KopfModule.forRoot({ namespaces })', problem: true }];
}

/** The Kubernetes events about the object, by which operators with `posting.loggers` report failures; none if they cannot be read. */
async function findEvents({ api }: ClusterConnection, { metadata }: KubeObject): Promise<readonly KubeObject[]> {
  const { uid, namespace = 'default' } = metadata;
  if (uid === undefined) return [];
  const query = new URLSearchParams({ fieldSelector: `involvedObject.uid=${uid}` });
  try {
    return (await api.list(`/api/v1/namespaces/${encodeURIComponent(namespace)}/events?${query.toString()}`)).items;
  } catch (error) {
    if (error instanceof ApiNotFoundError || error instanceof ApiForbiddenError) return [];
    throw error;
  }
}

/** The living peers of the peering of the cluster, or of that of the namespace: of the first that has any. */
async function findPeers(
  cluster: ClusterConnection,
  { metadata: { namespace } }: KubeObject,
  name: string,
  { clock }: CliEnvironment,
): Promise<readonly Peer[]> {
  const resources = await cluster.resources();
  const places = [
    ...selectPeeringResources(resources, true).map((resource) => ({ resource, namespace: undefined })),
    ...(namespace ? selectPeeringResources(resources, false).map((resource) => ({ resource, namespace })) : []),
  ];
  for (const place of places) {
    const peering = await readIfAllowed(cluster, place.resource, name, place.namespace);
    const living = readPeers(peering?.status, clock.now()).filter((peer) => deadlineOf(peer) > clock.now());
    if (living.length > 0) return living.sort((one, other) => other.priority - one.priority);
  }
  return [];
}

async function readIfAllowed(
  { client }: ClusterConnection,
  resource: Resource,
  name: string,
  namespace: string | undefined,
): Promise<KubeObject | undefined> {
  try {
    return await client.get(resource, name, { namespace });
  } catch (error) {
    if (error instanceof ApiNotFoundError || error instanceof ApiForbiddenError) return undefined;
    throw error;
  }
}

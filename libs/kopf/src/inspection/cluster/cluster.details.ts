import { explain, KOPF_FINALIZER, type Explanation } from '../explanation/explanation.js';
import { showChanges, showObject } from '../objects/shown.object.js';
import { REDACTED } from '../../objects/redaction.js';
import type { Redactor } from '../../resources/redactor.js';
import { qualifiedName, type Resource } from '../../resources/resources.js';
import type { InspectedObjectDetails } from '../inspection.types.js';
import { readEvents, readObject } from '../operator/objects/object.reading.js';
import { readRelatives } from '../operator/objects/object.relatives.js';
import type { ClusterHistory } from './cluster.history.js';
import type { ClusterPeers } from './cluster.peers.js';
import type { ClusterTools } from './cluster.tools.js';
import type { ObservedEntry, ObservedObjects } from './observed.objects.js';
import type { ObservedObject, ObservedProgress } from './observed.object.js';
import { failuresOf, progressAt } from './observed.phase.js';
import { toStoredFailure } from './posted.outcome.js';
import { referenceOfEntry, rowOf } from './observed.query.js';

/** The resources of Kubernetes that operators create most, among whose objects children are searched. */
const COMMON_CHILDREN = [
  'deployments.apps',
  'statefulsets.apps',
  'pods',
  'jobs.batch',
  'cronjobs.batch',
  'services',
  'configmaps',
  'persistentvolumeclaims',
];

/** The dependencies of the details of an object. */
export interface ClusterDetailsDependencies {
  readonly tools: ClusterTools;
  readonly history: ClusterHistory;
  readonly peers: ClusterPeers;
  readonly redactor: Redactor;
  readonly objects: ObservedObjects;
  /** Returns all resources of the cluster, as they were looked up last. */
  available(): readonly Resource[];
}

/** The details of one object, which are requested from the API server when a viewer opens it. */
export class ClusterDetails {
  constructor(private readonly dependencies: ClusterDetailsDependencies) {}

  /** @throws InspectionError 404 if there is no such object any more. */
  async inspect(entry: ObservedEntry, signal: AbortSignal): Promise<InspectedObjectDetails> {
    const { tools, history, peers, redactor } = this.dependencies;
    const { resource, object } = entry;
    const isProtected = redactor.protects(resource);
    const body = await readObject(tools.api, resource, referenceOfEntry(entry), signal);
    const [kubernetesEvents, relatives] = await Promise.all([
      readEvents(tools.api, body, (message) => (isProtected ? REDACTED : message), signal),
      readRelatives(tools.api, this.findChildResources(), body, signal),
    ]);
    const now = tools.clock.now();
    const settings = { finalizer: KOPF_FINALIZER };
    const { failure } = object;
    const failures = failure && [toStoredFailure(failure)];
    const living = peers.livingPeers(object.namespace, now);
    const explanation = explain({ body, settings, peers: living, now, failures });
    // Sentences quote errors, which can hold values.
    const findings = isProtected ? [] : explanation.findings;
    return {
      object: rowOf(entry, now),
      body: showObject(redactor, resource, body),
      progress: [...openAndDone(object), ...failuresOf(object)].map((each) => progressAt(each, now)),
      repeatable: object.progress.flatMap(({ handler, ended }) => (ended === 'failed' ? [handler] : [])),
      changes: showChanges(redactor, resource, explanation.changes),
      finalizers: toInspectedFinalizers({ ...explanation, findings }),
      findings: findings.map(({ evidence: _evidence, ...finding }) => finding),
      handlers: [],
      events: history.eventsOf(object.uid),
      beganAt: history.beganAt,
      kubernetesEvents,
      relatives,
      daemons: [],
    };
  }

  private findChildResources(): readonly Resource[] {
    const { objects, available } = this.dependencies;
    const common = available().filter((each) => each.preferred && COMMON_CHILDREN.includes(qualifiedName(each)));
    return [...common, ...objects.resources().map(({ resource }) => resource)];
  }
}

function openAndDone({ progress }: ObservedObject): readonly ObservedProgress[] {
  return progress.filter(({ ended }) => ended !== 'failed');
}

/** Creates the finalizers with their reasons: the findings about a deletion are in the order of the finalizers. */
function toInspectedFinalizers({ finalizers, findings }: Explanation): InspectedObjectDetails['finalizers'] {
  const reasons = findings.filter(({ code }) => code.startsWith('deletion-'));
  return finalizers.map(({ name, owner }, index) => {
    const reason = reasons[index]?.text;
    return { name, owner, ...(reason !== undefined && { reason }) };
  });
}

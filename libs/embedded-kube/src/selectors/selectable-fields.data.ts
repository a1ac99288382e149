/** A field that a selector may name: where its value stands, and what the server takes for an absent one. */
export interface SelectableField {
  /** The path where it differs from the field's name; of several paths the first that is set counts. */
  readonly paths?: readonly string[];
  /** @default '' */
  readonly absent?: string;
}

const PLAIN: SelectableField = {};
const ZERO: SelectableField = { absent: '0' };
const FALSE: SelectableField = { absent: 'false' };

/** The fields that every resource can be selected by. */
export const COMMON_FIELDS: Readonly<Record<string, SelectableField>> = {
  'metadata.name': PLAIN,
  'metadata.namespace': PLAIN,
};

/** The fields beyond {@link COMMON_FIELDS} that built-in resources can be selected by, by `plural.group`. */
export const SELECTABLE_FIELDS: Readonly<Record<string, Readonly<Record<string, SelectableField>>>> = {
  pods: {
    'spec.nodeName': PLAIN,
    'spec.restartPolicy': PLAIN,
    'spec.schedulerName': PLAIN,
    'spec.serviceAccountName': PLAIN,
    'spec.hostNetwork': FALSE,
    'status.phase': PLAIN,
    'status.podIP': PLAIN,
    'status.podIPs': { paths: ['status.podIP'] },
    'status.nominatedNodeName': PLAIN,
  },
  events: {
    'involvedObject.kind': PLAIN,
    'involvedObject.namespace': PLAIN,
    'involvedObject.name': PLAIN,
    'involvedObject.uid': PLAIN,
    'involvedObject.apiVersion': PLAIN,
    'involvedObject.resourceVersion': PLAIN,
    'involvedObject.fieldPath': PLAIN,
    reason: PLAIN,
    reportingComponent: PLAIN,
    source: { paths: ['source.component', 'reportingComponent'] },
    type: PLAIN,
  },
  'events.events.k8s.io': {
    'regarding.kind': PLAIN,
    'regarding.namespace': PLAIN,
    'regarding.name': PLAIN,
    'regarding.uid': PLAIN,
    'regarding.apiVersion': PLAIN,
    'regarding.resourceVersion': PLAIN,
    'regarding.fieldPath': PLAIN,
    reason: PLAIN,
    reportingController: PLAIN,
    type: PLAIN,
  },
  namespaces: { 'status.phase': PLAIN, name: { paths: ['metadata.name'] } },
  nodes: { 'spec.unschedulable': FALSE },
  secrets: { type: PLAIN },
  services: { 'spec.clusterIP': PLAIN, 'spec.type': PLAIN },
  replicationcontrollers: { 'status.replicas': ZERO },
  persistentvolumes: { name: { paths: ['metadata.name'] } },
  persistentvolumeclaims: { name: { paths: ['metadata.name'] } },
  'replicasets.apps': { 'status.replicas': ZERO },
  'jobs.batch': { 'status.successful': { paths: ['status.succeeded'], absent: '0' } },
  'certificatesigningrequests.certificates.k8s.io': { 'spec.signerName': PLAIN },
};
